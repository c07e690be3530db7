/*
 * bench_frames.cuh: the lines of frames (op/frame.h) over frames of several lengths, for bench.cu.
 *
 * A frame takes as long as its values do, whatever bytes are moved, so the figure is additions, or steps of a variance,
 * per second.
 */
#ifndef SCAN_GPU_BENCH_FRAMES_CUH
#define SCAN_GPU_BENCH_FRAMES_CUH

#include "bench.cuh"
#include "frame.h"

static void
bench_frame_line(const char *what, int line, const void *in, int64_t n, int64_t length)
{
	ScanFrame	*frames = device_alloc<ScanFrame>((size_t) n);
	double		*out = device_alloc<double>((size_t) n);
	uint32_t	*out_valid = device_alloc<uint32_t>((size_t) n / 32 + 1);
	FrameAnswer *answer = device_alloc<FrameAnswer>(1);
	double		 values = frame_start_fill(frames, NULL, n, length, stream), s;
	char		 name[80];
	LineScan	 scan;

	memset(&scan, 0, sizeof(scan));
	scan.line = line;
	scan.n = n;
	scan.in = in;
	scan.in2 = frames;
	scan.out = out;
	scan.out_valid = out_valid;
	scan.answer = answer;
	s = timed([&]() { (void) line_start(&scan, stream); });
	snprintf(name, sizeof(name), "%s, %lld values", what, (long long) length);
	if (profiled)
		printf("# %s\n", name);
	else
	{
		printf("| %-44s | %8.3f | %8.3f | %10.1f |\n", name, s * 1e3, s / (double) n * 1e9, values / s * 1e-9);
		table_row("bench", name, (double) n, "ms", s * 1e3);
		table_row("bench", name, (double) n, "ns per row", s / (double) n * 1e9);
		table_row("bench", name, (double) n, "Gvalues/s", values / s * 1e-9);
	}
	for (void *p : {(void *) frames, (void *) out, (void *) out_valid, (void *) answer})
		must(cudaFree(p), "free");
}

/* `in` has room for n values, which the lines read as doubles or as floats: any bits will do. */
static void
bench_frames(void *in, int64_t n)
{
	static const int64_t lengths[] = {100, 1000, 10000};

	fill(in, n, FILL_FLOAT8);
	printf("\n| frames of %lld rows | ms | ns/row | Gvalues/s |\n|---|---|---|---|\n", (long long) n);
	for (int64_t length : lengths)
		if (length <= n)
		{
			bench_frame_line("frame_sum float8", SCAN_OP_frame_sum_float8, in, n, length);
			bench_frame_line("frame_sum float4", SCAN_OP_frame_sum_float4, in, n, length);
			bench_frame_line("frame_squares float8", SCAN_OP_frame_squares_float8, in, n, length);
		}
}

#endif /* SCAN_GPU_BENCH_FRAMES_CUH */
