/*
 * bench.cuh: what the parts of bench.cu share: times by events, a line of a table, and columns of numbers.
 */
#ifndef SCAN_GPU_BENCH_CUH
#define SCAN_GPU_BENCH_CUH

#include <algorithm>
#include <map>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <time.h>
#include <vector>

#include "../law/random.h"
#include "port.cuh"
#include "table.h"

#ifdef SCAN_EMULATE
#define cudaProfilerStart() cudaSuccess
#define cudaProfilerStop() cudaSuccess
#else
#include <cuda_profiler_api.h>
#endif

#define RUNS 9

static cudaEvent_t	from_event, to_event;
static cudaStream_t stream;
static double		copy_gbs;
static int			failures;
static bool			profiled; /* true if a profiler looks: everything runs once, and no time is printed */

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

/* Runs what `work` starts between the two calls by which a profiler knows what to look at. */
template <typename Work>
static double
shown_to_profiler(Work work)
{
	must(cudaStreamSynchronize(stream), "run");
	must(cudaProfilerStart(), "profiler");
	work();
	must(cudaStreamSynchronize(stream), "run");
	must(cudaGetLastError(), "launch");
	must(cudaProfilerStop(), "profiler");
	return 1;
}

/* The median time of what `work` starts on the stream, in seconds. */
template <typename Work>
static double
timed(Work work)
{
	std::vector<float> ms;

	if (profiled)
		return shown_to_profiler(work);
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

/* Scans of ours, and the scan of CUB's that each is measured against; both by rows, since their bytes may differ. */
static const struct
{
	const char *ours, *cub;
} cub_scans[] = {
	{"sum int8", "cub, sum int8"},
	{"sum int8, segments", "cub, sum int8 by keys of 4 bytes, segments"},
	{"max int8", "cub, max int8"},
};

static std::map<std::string, double> row_rate; /* rows a second of each scan that was timed last */

/* What part of the speed of CUB's scan a scan of ours has, in percent; 0: CUB has none, or it was not timed. */
static double
share_of_cub(const char *name, double rows, double s)
{
	for (const auto &scan : cub_scans)
		if (strcmp(name, scan.ours) == 0 && row_rate[scan.cub] > 0)
			return 100 * rows / s / row_rate[scan.cub];
	return 0;
}

/* target: what part of a copy, in percent, it is meant to reach; 0: no target */
static void
say(const char *name, double bytes, double rows, double s, int target)
{
	double gbs = bytes / s * 1e-9, of_cub = share_of_cub(name, rows, s);
	char   aim[30] = "", cub[30] = "";

	row_rate[name] = rows / s;
	if (target > 0)
		snprintf(aim, sizeof(aim), "%d %%%s", target, 100 * gbs / copy_gbs < target ? ", missed" : "");
	if (of_cub > 0)
		snprintf(cub, sizeof(cub), "%.1f %%", of_cub);
	printf("| %-44s | %8.3f | %8.1f | %7.1f | %5.1f %% | %7s | %-12s |\n", name, s * 1e3, gbs, rows / s * 1e-9,
		   100 * gbs / copy_gbs, cub, aim);
	table_row("bench", name, rows, "ms", s * 1e3);
	table_row("bench", name, rows, "GB/s", gbs);
	table_row("bench", name, rows, "% of copy", 100 * gbs / copy_gbs);
	if (of_cub > 0)
		table_row("bench", name, rows, "% of CUB", of_cub);
}

static void
heading(const char *title)
{
	printf("\n| %-44s | %8s | %8s | %7s | %7s | %7s | %-12s |\n|%s|%s|%s|%s|%s|%s|%s|\n", title, "ms", "GB/s",
		   "Grows/s", "of copy", "of CUB", "target", std::string(46, '-').c_str(), std::string(10, '-').c_str(),
		   std::string(10, '-').c_str(), std::string(9, '-').c_str(), std::string(9, '-').c_str(),
		   std::string(9, '-').c_str(), std::string(14, '-').c_str());
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
