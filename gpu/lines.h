/*
 * lines.h: one scan over columns in device memory, for cuda.cu, measure.cu and recurrence.cu.
 *
 * lines.cu is a file of its own because its kernels take most of the time of a build.
 */
#ifndef SCAN_GPU_LINES_H
#define SCAN_GPU_LINES_H

#include "gpu.h"
#include "port.cuh"

/*
 * A scan of n rows, n > 0.  `param`, `carry` and what begins with host_ are in host memory, everything else in device
 * memory.
 */
typedef struct LineScan
{
	int				 line;
	ScanExtent		 extent;
	int64_t			 n;
	const void		*param;
	const ScanCarry *carry;
	const void		*in;
	const void		*in2;
	const void		*host_in;	 /* the rows of `in`, in any order, for recurrence_vector; NULL: they are not known */
	const uint8_t	*host_valid; /* the bits of `valid` in the same order */
	const uint8_t	*valid;
	const uint8_t	*heads;
	void			*out;
	uint32_t		*out_valid; /* whole words, all bits set */
	void			*room;		/* line_room() bytes */
	void			*zeroed;	/* line_zeroed() bytes, all zero */
	void			*answer;	/* line_answer_size() bytes, all zero, which line_finish() reads */
} LineScan;

#define LINE_HOST_ROWS 64 /* rows of host_in, at most, that line_start() reads in a column without NULLs */

/* True if the device can run the line. */
extern bool line_is_here(int line);

/* The largest line_answer_size(). */
#define LINE_ANSWER_MAX 1024

/* Sizes in bytes: of LineScan.room, .zeroed and .answer, and of one value of LineScan.out. */
extern size_t line_room(int line, int64_t n, bool nulls, bool heads);
extern size_t line_zeroed(int line, int64_t n, bool nulls, bool heads);
extern size_t line_answer_size(int line);
extern size_t line_out_size(int line);

/*
 * Starts a scan.  Returns SCAN_GPU_NOT_PROVEN, with nothing started, if only the CPU can continue from the carry.
 * CUDA's error of a call or a launch stays in cudaGetLastError(), which the caller has to check at once.
 */
extern ScanGpuCode line_start(const LineScan *scan, cudaStream_t stream);

/*
 * Reads `answer`, the host's copy of LineScan.answer, and sets has_nulls, status, done and the carry of o.  Returns
 * SCAN_GPU_NOT_PROVEN if the device could not prove the answers.
 */
extern ScanGpuCode line_finish(const void *answer, int64_t n, ScanGpuOperation *o);

#endif /* SCAN_GPU_LINES_H */
