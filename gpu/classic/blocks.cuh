/*
 * blocks.cuh: the classical scans, for study.  All of them compute running sums of int8 in the same frame of code, so
 * that only the algorithms differ.
 *
 * They are no part of scan_cuda.so.  test/gpu/bench.cu compares them with gpu/scan.cuh over one type,
 * test/gpu/classics.cu checks them against a plain loop, and test/gpu/README.md has the table.
 *
 * Four of the algorithms scan one block.  A column then takes three steps ("scan-then-propagate"): scan every block,
 * scan the blocks' totals in the same way, and add to every row the prefix of its block.  4 n numbers go through
 * memory, where one pass takes 2 n.
 *
 * A block scan B has B::THREADS, B::ROWS and
 *
 *   B::scan(in, out, base, n)   out[base ..] := running sums of in[base .. base + ROWS - 1],
 *                               rows from n on left out; returns their total to the last thread
 */
#ifndef SCAN_CLASSIC_BLOCKS_CUH
#define SCAN_CLASSIC_BLOCKS_CUH

#include "port.cuh"

template <typename B>
__global__ void
classic_scan_blocks(const int64_t *in, int64_t *out, int64_t n, int64_t *totals)
{
	int64_t total = B::scan(in, out, (int64_t) blockIdx.x * B::ROWS, n);

	if (threadIdx.x == B::THREADS - 1)
		totals[blockIdx.x] = total;
}

/* Adds the prefix of a block to its rows. */
template <typename B>
__global__ void
classic_propagate(int64_t *out, int64_t n, const int64_t *prefixes)
{
	int64_t base = (int64_t) blockIdx.x * B::ROWS;
	int64_t prefix;

	if (blockIdx.x == 0)
		return;
	prefix = prefixes[blockIdx.x - 1]; /* read once: the compiler cannot know that `out` does not overlap it */
	for (int64_t i = base + threadIdx.x; i < base + B::ROWS && i < n; i += B::THREADS)
		out[i] += prefix;
}

/* Returns the size of `room` for n rows, in numbers. */
template <typename B>
int64_t
classic_room(int64_t n)
{
	int64_t blocks = (n + B::ROWS - 1) / B::ROWS;

	return blocks <= 1 ? 1 : blocks + classic_room<B>(blocks);
}

template <typename B>
void
classic_scan(const int64_t *in, int64_t *out, int64_t n, int64_t *room, cudaStream_t stream)
{
	auto	 scan = classic_scan_blocks<B>;
	auto	 propagate = classic_propagate<B>;
	unsigned blocks = (unsigned) ((n + B::ROWS - 1) / B::ROWS);

	LAUNCH(scan, blocks, B::THREADS, stream, in, out, n, room);
	if (blocks <= 1)
		return;
	classic_scan<B>(room, room, blocks, room + blocks, stream);
	LAUNCH(propagate, blocks, B::THREADS, stream, out, n, room);
}

#endif /* SCAN_CLASSIC_BLOCKS_CUH */
