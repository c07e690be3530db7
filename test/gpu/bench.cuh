/*
 * bench.cuh: what the parts of bench.cu share: times by events, a line of a table, and columns of numbers.
 */
#ifndef SCAN_GPU_BENCH_CUH
#define SCAN_GPU_BENCH_CUH

#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <time.h>
#include <vector>

#include "../law/random.h"
#include "port.cuh"
#include "table.h"

#define RUNS 9

static cudaEvent_t	from_event, to_event;
static cudaStream_t stream;
static double		copy_gbs;
static int			failures;

static void
must(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	printf("bench: %s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

template <typename T>
static T *
device_alloc(size_t n)
{
	void *p = NULL;

	must(cudaMalloc(&p, n * sizeof(T) + 256), "cudaMalloc");
	return (T *) p;
}

static double
seconds()
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

/* The median time of what `work` starts on the stream, in seconds. */
template <typename Work>
static double
timed(Work work)
{
	std::vector<float> ms;

	for (int i = 0; i < RUNS + 2; i++)
	{
		float one = 0;

		must(cudaEventRecord(from_event, stream), "event");
		work();
		must(cudaEventRecord(to_event, stream), "event");
		must(cudaEventSynchronize(to_event), "run");
		must(cudaGetLastError(), "launch");
		must(cudaEventElapsedTime(&one, from_event, to_event), "event");
		if (i >= 2)
			ms.push_back(one);
	}
	std::sort(ms.begin(), ms.end());
	return ms[ms.size() / 2] * 1e-3;
}

/* target: what part of a copy, in percent, it is meant to reach; 0: no target */
static void
say(const char *name, double bytes, double rows, double s, int target)
{
	double gbs = bytes / s * 1e-9;
	char   aim[30] = "";

	if (target > 0)
		snprintf(aim, sizeof(aim), "%d %%%s", target, 100 * gbs / copy_gbs < target ? ", missed" : "");
	printf("| %-44s | %8.3f | %8.1f | %7.1f | %5.1f %% | %-12s |\n", name, s * 1e3, gbs, rows / s * 1e-9,
		   100 * gbs / copy_gbs, aim);
	table_row("bench", name, rows, "ms", s * 1e3);
	table_row("bench", name, rows, "GB/s", gbs);
	table_row("bench", name, rows, "% of copy", 100 * gbs / copy_gbs);
}

static void
heading(const char *title)
{
	printf("\n| %-44s | %8s | %8s | %7s | %7s | %-12s |\n|%s|%s|%s|%s|%s|%s|\n", title, "ms", "GB/s", "Grows/s",
		   "of copy", "target", std::string(46, '-').c_str(), std::string(10, '-').c_str(),
		   std::string(10, '-').c_str(), std::string(9, '-').c_str(), std::string(9, '-').c_str(),
		   std::string(14, '-').c_str());
}

/* ---- data ---- */

typedef enum Fill
{
	FILL_BITS,	 /* any 64 bits */
	FILL_INT8,	 /* integers that do not overflow in sums */
	FILL_FLOAT8, /* about normal numbers of some digits */
	FILL_DECAY,	 /* coefficients of a recurrence, 0.5 to 1 */
	FILL_FILTER, /* pairs of them: a resonant filter's */
	FILL_VARY,	 /* pairs of them: others in every row, 0 to 0.5 */
	FILL_HEADS,	 /* bits: one in 256, in words */
	FILL_VALID,	 /* bits: three in four */
} Fill;

__global__ void
fill_kernel(uint64_t *to, int64_t n, Fill fill)
{
	int64_t	 i = (int64_t) blockIdx.x * 256 + threadIdx.x;
	uint64_t r = random_at((uint64_t) i), word = 0;
	double	 x;

	if (i >= n)
		return;
	switch (fill)
	{
		case FILL_BITS:
			to[i] = r;
			return;
		case FILL_INT8:
			to[i] = (uint64_t) ((int64_t) r >> 30);
			return;
		case FILL_FLOAT8:
			x = (double) ((int64_t) r >> 20) * 0x1p-30;
			break;
		case FILL_DECAY:
			x = 0.5 + (double) (r >> 12) * 0x1p-53;
			break;
		case FILL_FILTER:
			x = i % 2 == 0 ? 1.9 : -0.95;
			break;
		case FILL_VARY:
			x = (double) (r >> 12) * 0x1p-53;
			break;
		case FILL_HEADS:
			for (int k = 0; k < 64; k++)
				word |= (uint64_t) (random_at((uint64_t) (i * 64 + k)) % 256 == 0) << k;
			to[i] = word;
			return;
		default:
			to[i] = r | random_at(r);
			return;
	}
	memcpy(&to[i], &x, sizeof(x));
}

static void
fill(void *to, int64_t words, Fill how)
{
	LAUNCH(fill_kernel, (unsigned) ((words + 255) / 256), 256, stream, (uint64_t *) to, words, how);
	must(cudaStreamSynchronize(stream), "fill");
}

#endif /* SCAN_GPU_BENCH_CUH */
