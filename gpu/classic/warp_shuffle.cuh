/*
 * warp_shuffle.cuh: a block scan by Hillis and Steele's steps among the 32 threads of a warp, in registers, and a scan
 * of the warps' totals.
 *
 * Threads of a warp exchange values without shared memory and without barriers, so five steps scan 32 rows.  The totals
 * of a block's warps fit in one warp, which scans them in the same way; that takes two barriers in all.  The extra
 * additions cost nothing, because an instruction takes a warp as long for 31 threads as for one.
 * Source: Kogge and Stone, "A parallel algorithm for the efficient solution of a general class of recurrence
 * equations", IEEE Trans.  Comput.  C-22 (1973); Sengupta, Harris and Garland, "Efficient parallel scan algorithms for
 * GPUs", NVIDIA NVR-2008-003.
 */
#ifndef SCAN_CLASSIC_WARP_SHUFFLE_CUH
#define SCAN_CLASSIC_WARP_SHUFFLE_CUH

#include "classic/blocks.cuh"

__device__ inline int64_t
classic_warp_scan(int64_t x)
{
	int lane = (int) threadIdx.x % 32;

	for (int d = 1; d < 32; d *= 2)
	{
		int64_t below = warp_below(x, d);

		x += lane >= d ? below : 0;
	}
	return x;
}

struct ClassicWarpTotals
{
	int64_t warp[32];
};

/* Returns the sum of x over the threads up to this one, in a block of at most 32 whole warps. */
__device__ inline int64_t
classic_block_scan(int64_t x, ClassicWarpTotals &totals, int warps)
{
	int t = (int) threadIdx.x;

	x = classic_warp_scan(x);
	if (t % 32 == 31)
		totals.warp[t / 32] = x;
	__syncthreads();
	if (t < 32)
	{
		int64_t total = classic_warp_scan(t < warps ? totals.warp[t] : 0);

		totals.warp[t] = total;
	}
	__syncthreads();
	return x + (t >= 32 ? totals.warp[t / 32 - 1] : 0);
}

struct WarpShuffle
{
	enum
	{
		THREADS = 512,
		ROWS = THREADS
	};

	static __device__ int64_t
	scan(const int64_t *in, int64_t *out, int64_t base, int64_t n)
	{
		SHARED(ClassicWarpTotals, totals);
		int64_t i = base + threadIdx.x;
		int64_t sum = classic_block_scan(i < n ? in[i] : 0, totals, THREADS / 32);

		if (i < n)
			out[i] = sum;
		return sum;
	}
};

#endif /* SCAN_CLASSIC_WARP_SHUFFLE_CUH */
