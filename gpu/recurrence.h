/*
 * recurrence.h: the lines recurrence_float8, recurrence_vector and ema_float8, as lines.h asks
 * for a line.
 *
 * Their carries are not the CPU's, which own memory: o->carry->acc is a SerializedRecurrence, or
 * an SerializedEma (op/serialize.h).
 */
#ifndef SCAN_GPU_RECURRENCE_H
#define SCAN_GPU_RECURRENCE_H

#include "lines.h"
#include "op/serialize.h"
#include "scan.cuh"

/* What comes back beside the column. */
typedef struct RecurrenceAnswer
{
	ScanResult			 result;
	SerializedRecurrence serialized[2]; /* an average's: the second of its weights */
	double				 pending;
	bool				 any;
	bool				 in_first_chunk; /* of its segment */
} RecurrenceAnswer;

/* Both lines of scan_recurrence; only the room that they need differs. */
extern size_t	   recurrence_room(int64_t n, bool nulls, bool heads);
extern size_t	   vector_room(int64_t n, bool nulls, bool heads);
extern ScanGpuCode recurrence_start_line(const LineScan *scan, cudaStream_t stream);
extern ScanGpuCode recurrence_finish_line(const void *answer, int64_t n, ScanGpuOperation *o);

extern size_t	   ema_room(int64_t n, bool nulls, bool heads);
extern ScanGpuCode ema_start_line(const LineScan *scan, cudaStream_t stream);
extern ScanGpuCode ema_finish_line(const void *answer, int64_t n, ScanGpuOperation *o);

#endif /* SCAN_GPU_RECURRENCE_H */
