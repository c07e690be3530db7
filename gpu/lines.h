/*
 * lines.h: one scan over columns that lie in device memory: what cuda.cu asks of
 * lines.cu.
 *
 * The kernels are instantiated in a file of their own, since they take most of the
 * time that a build takes.
 */
#ifndef SCAN_GPU_LINES_H
#define SCAN_GPU_LINES_H

#include "gpu.h"
#include "port.cuh"

/* A scan of n rows, n > 0.  Pointers are the device's but for param and carry. */
typedef struct LineScan
{
	int				 line;
	ScanExtent		 extent;
	int64_t			 n;
	const void		*param;
	const ScanCarry *carry;
	const void		*in;
	const void		*in2;
	const uint8_t	*valid;
	const uint8_t	*heads;
	void			*out;
	uint32_t		*out_valid; /* whole words, all set */
	void			*room;		/* line_room() bytes */
	void			*answer;	/* line_answer_size() bytes: what line_finish() reads */
} LineScan;

/* Whether the line runs here. */
extern bool line_is_here(int line);

/* Bytes that a scan needs beside its columns. */
extern size_t line_room(int line, int64_t n, bool nulls, bool heads);
extern size_t line_answer_size(int line);
extern size_t line_out_size(int line); /* of a row's answer */

/*
 * Starts a scan.  SCAN_GPU_NOT_PROVEN: the carry is one that only the CPU can go on
 * from, and nothing was started.  An error of CUDA's, of a call or a launch, is left for
 * cudaGetLastError(), which whoever calls asks at once.
 */
extern ScanGpuCode line_start(const LineScan *scan, cudaStream_t stream);

/* Reads the answer, copied to the host, into what o says of it, the carry too. */
extern ScanGpuCode line_finish(const void *answer, int64_t n, ScanGpuOperation *o);

#endif /* SCAN_GPU_LINES_H */
