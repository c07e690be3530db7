/*
 * split.cuh: sorts keys of one bit, stably: zeros first, then ones.
 *
 * sort.cu calls it.  A radix sort of one bit is a split, and a split is a sum scan (Blelloch 1990, section 1.3): a zero
 * goes to its position among the zeros, a one to its position after all zeros.  The keys are read once, and only their
 * bits are kept, so that 12 bytes per row go through memory, where the sort of pairs takes 36.  Rejected:
 * cub::DevicePartition, because it returns the second part in reverse, and one pass with look-back, because the
 * position of the first one is known only at the end.
 *
 *   bits      packs the keys of 32 rows into a word per thread; counts the zeros of each block
 *   offsets   sums the zeros before each block, and all zeros
 *   scatter   writes every row's number to the row's position
 */
#ifndef SCAN_GPU_SPLIT_CUH
#define SCAN_GPU_SPLIT_CUH

#include "port.cuh"

#define SPLIT_THREADS 256
#define SPLIT_WARPS (SPLIT_THREADS / 32)
#define SPLIT_ROWS ((int64_t) SPLIT_THREADS * 32)

typedef struct SplitArgs
{
	const uint64_t *keys;
	uint32_t		bit; /* the bit by which rows are sorted */
	uint32_t		n;
	uint32_t		blocks;
	uint32_t	   *bits; /* one word per thread */
	uint32_t *zeros; /* zeros of each block, which split_offsets() replaces by the zeros before it; last: all zeros */
	uint32_t *order; /* the result: row numbers in sorted order */
} SplitArgs;

typedef struct SplitRoom
{
	uint32_t warp[SPLIT_WARPS];
} SplitRoom;

/* Returns the sum of x over the threads up to this one. */
__device__ inline uint32_t
split_sum(uint32_t x, SplitRoom &room)
{
	int		 lane = (int) threadIdx.x % 32, warp = (int) threadIdx.x / 32;
	uint32_t before = 0;

	for (int d = 1; d < 32; d *= 2)
	{
		uint32_t below = warp_below(x, d);

		x += lane >= d ? below : 0;
	}
	__syncthreads(); /* all threads are done with what the room held before */
	if (lane == 31)
		room.warp[warp] = x;
	__syncthreads();
	for (int w = 0; w < SPLIT_WARPS; w++)
		before += w < warp ? room.warp[w] : 0;
	return before + x;
}

/* Returns the first row of the thread's word. */
__device__ inline int64_t
split_row()
{
	return (int64_t) blockIdx.x * SPLIT_ROWS + (int64_t) threadIdx.x * 32;
}

/* Returns the number of zeros in the thread's word, rows past the end not counted. */
__device__ inline uint32_t
split_zeros(const SplitArgs &a, uint32_t word)
{
	int64_t left = (int64_t) a.n - split_row();

	return (left < 0 ? 0 : left < 32 ? (uint32_t) left : 32) - bits_set(word);
}

__global__ void
__launch_bounds__(SPLIT_THREADS) split_bits(const __grid_constant__ SplitArgs a)
{
	SHARED(SplitRoom, room);
	int		 lane = (int) threadIdx.x % 32;
	int64_t	 base = split_row() - lane * 32; /* the warp's first row */
	uint32_t mine = 0, sum;

#pragma unroll 8
	for (int k = 0; k < 32; k++)
	{
		int64_t	 row = base + k * 32 + lane;
		uint32_t word = warp_ballot(row < a.n && (a.keys[row] >> a.bit & 1) != 0);

		if (lane == k)
			mine = word;
	}
	a.bits[(int64_t) blockIdx.x * SPLIT_THREADS + threadIdx.x] = mine;
	sum = split_sum(split_zeros(a, mine), room);
	if (threadIdx.x == SPLIT_THREADS - 1)
		a.zeros[blockIdx.x] = sum;
}

/* Runs in one block, which is enough: there is a number only for every 8192 rows. */
__global__ void
__launch_bounds__(SPLIT_THREADS) split_offsets(const __grid_constant__ SplitArgs a)
{
	SHARED(SplitRoom, room);
	uint32_t before = 0;

	for (uint32_t base = 0; base < a.blocks; base += SPLIT_THREADS)
	{
		uint32_t at = base + threadIdx.x;
		uint32_t zeros = at < a.blocks ? a.zeros[at] : 0;
		uint32_t sum = split_sum(zeros, room);

		if (at < a.blocks)
			a.zeros[at] = before + sum - zeros;
		for (int w = 0; w < SPLIT_WARPS; w++)
			before += room.warp[w];
	}
	if (threadIdx.x == 0)
		a.zeros[a.blocks] = before;
}

__global__ void
__launch_bounds__(SPLIT_THREADS) split_scatter(const __grid_constant__ SplitArgs a)
{
	SHARED(SplitRoom, room);
	int		 lane = (int) threadIdx.x % 32;
	int64_t	 base = split_row() - lane * 32;
	uint32_t mine = a.bits[(int64_t) blockIdx.x * SPLIT_THREADS + threadIdx.x];
	uint32_t zeros = split_zeros(a, mine);
	uint32_t before = a.zeros[blockIdx.x] + split_sum(zeros, room) - zeros;
	uint32_t all = a.zeros[a.blocks];

#pragma unroll 8
	for (int k = 0; k < 32; k++)
	{
		int64_t	 row = base + k * 32 + lane;
		uint32_t word = warp_value(mine, k);
		uint32_t zero = warp_value(before, k) + bits_set(~word & ((1u << lane) - 1));

		if (row < a.n)
			a.order[(word >> lane & 1) == 0 ? zero : all + ((uint32_t) row - zero)] = (uint32_t) row;
	}
}

/* ---- from the host ---- */

static inline uint32_t
split_blocks(uint32_t n)
{
	return (uint32_t) ((n + SPLIT_ROWS - 1) / SPLIT_ROWS);
}

/* Returns the bytes of `room` that split_order() needs for n rows. */
static inline size_t
split_room(uint32_t n)
{
	return ((size_t) split_blocks(n) * (SPLIT_THREADS + 1) + 1) * sizeof(uint32_t);
}

/* order[i] := number of the row at position i by one bit of the key; stable. */
static inline void
split_order(const uint64_t *keys, uint32_t bit, uint32_t n, uint32_t *order, void *room, cudaStream_t stream)
{
	uint32_t  blocks = split_blocks(n);
	uint32_t *bits = (uint32_t *) room;
	SplitArgs a = {keys, bit, n, blocks, bits, bits + (size_t) blocks * SPLIT_THREADS, order};

	LAUNCH(split_bits, blocks, SPLIT_THREADS, stream, a);
	LAUNCH(split_offsets, 1, SPLIT_THREADS, stream, a);
	LAUNCH(split_scatter, blocks, SPLIT_THREADS, stream, a);
}

#endif /* SCAN_GPU_SPLIT_CUH */
