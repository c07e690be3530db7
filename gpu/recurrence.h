/*
 * recurrence.h: the functions of lines.h for the lines recurrence_float8, recurrence_vector and ema_float8; lines.cu
 * calls them.
 *
 * Their carries differ from the CPU's, whose accumulators own memory: here o->carry->acc is a SerializedRecurrence or a
 * SerializedEma (op/serialize.h).
 */
#ifndef SCAN_GPU_RECURRENCE_H
#define SCAN_GPU_RECURRENCE_H

#include "lines.h"
#include "op/serialize.h"
#include "scan.cuh"

/* What the kernels return beside the column. */
typedef struct RecurrenceAnswer
{
	ScanResult			 result;
	SerializedRecurrence serialized[2]; /* state after the last row; [1]: the weights of an adjusted average */
	double				 pending;
	bool				 any;
	bool				 in_first_chunk; /* true if the last row is in the first chunk of its segment */
} RecurrenceAnswer;

/* Both lines of scan_recurrence share all functions but the one for their room. */
extern size_t	   recurrence_room(int64_t n, bool nulls, bool heads);
extern size_t	   vector_room(int64_t n, bool nulls, bool heads);
extern size_t	   recurrence_zeroed(int64_t n, bool nulls, bool heads); /* for averages, too */
extern ScanGpuCode recurrence_start_line(const LineScan *scan, cudaStream_t stream);
extern ScanGpuCode recurrence_finish_line(const void *answer, int64_t n, ScanGpuOperation *o);

extern size_t	   ema_room(int64_t n, bool nulls, bool heads);
extern ScanGpuCode ema_start_line(const LineScan *scan, cudaStream_t stream);
extern ScanGpuCode ema_finish_line(const void *answer, int64_t n, ScanGpuOperation *o);

#endif /* SCAN_GPU_RECURRENCE_H */
