/*
 * frame.h: the functions of lines.h for the lines of frames (op/frame.h); lines.cu and measure.cu call them.
 */
#ifndef SCAN_GPU_FRAME_H
#define SCAN_GPU_FRAME_H

#include "lines.h"

/* What the kernel returns beside the column. */
typedef struct FrameAnswer
{
	uint32_t has_nulls; /* 1 if some frame has no values */
} FrameAnswer;

extern size_t	   frame_room(int64_t n, bool nulls, bool heads);
extern ScanGpuCode frame_start_line(const LineScan *scan, cudaStream_t stream);
extern ScanGpuCode frame_finish_line(const void *answer, int64_t n, ScanGpuOperation *o);

/*
 * Starts a kernel that writes a frame for each of n rows: the row's value and those before it, `most` at most; and n
 * values, unless `values` is NULL.  Values that are all equal would not do to measure a variance: a quotient of 0 takes
 * another path.  Returns how many values all frames have together.  For measurements.
 */
extern double frame_start_fill(ScanFrame *frames, double *values, int64_t n, int64_t most, cudaStream_t stream);

#endif /* SCAN_GPU_FRAME_H */
