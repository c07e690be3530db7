/*
 * recurrence.h: the line recurrence_float8, as lines.h asks for a line.
 *
 * Its carry is not the CPU's, which owns memory: o->carry->acc is a RecurrenceTravel
 * (op/travel.h).
 */
#ifndef SCAN_GPU_RECURRENCE_H
#define SCAN_GPU_RECURRENCE_H

#include "lines.h"
#include "op/travel.h"
#include "scan.cuh"

/* What comes back beside the column. */
typedef struct RecurrenceAnswer
{
	ScanResult		 result;
	RecurrenceTravel travel;
	double			 held;
	bool			 any;
} RecurrenceAnswer;

extern size_t	   recurrence_room(int64_t n, bool nulls, bool heads);
extern ScanGpuCode recurrence_start_line(const LineScan *scan, cudaStream_t stream);
extern ScanGpuCode recurrence_finish_line(const void *answer, int64_t n, ScanGpuOperation *o);

#endif /* SCAN_GPU_RECURRENCE_H */
