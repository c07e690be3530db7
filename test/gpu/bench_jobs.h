/*
 * bench_jobs.h: whole jobs against the CPU: the part of bench.cu that is C.
 */
#ifndef SCAN_GPU_BENCH_JOBS_H
#define SCAN_GPU_BENCH_JOBS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C"
#endif
	void
	bench_jobs(int64_t max_n); /* rows of the longest one */

#endif /* SCAN_GPU_BENCH_JOBS_H */
