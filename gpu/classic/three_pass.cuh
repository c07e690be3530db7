/*
 * three_pass.cuh: a scan in three passes, totals first and answers last ("reduce-then-scan").
 *
 * Each of 1024 blocks, more than most devices run at once, takes one long piece of the column.  The first pass reads
 * the pieces and writes their totals.  The second pass scans the totals in one block.  The third pass reads the pieces
 * again and writes the answers, starting from the prefix of the piece.  3 n numbers go through memory: a quarter less
 * than with scan-then-propagate, a half more than with look-back.  The totals fit in a block for any n.
 * Source: Dotsenko, Govindaraju, Sloan, Boyd and Manferdelli, "Fast scan algorithms on graphics processors", ICS
 * (2008); Merrill and Grimshaw, "Parallel scan for stream architectures", UVA CS2009-14 (2009).
 */
#ifndef SCAN_CLASSIC_THREE_PASS_CUH
#define SCAN_CLASSIC_THREE_PASS_CUH

#include "classic/warp_shuffle.cuh"

#define THREE_PASS_THREADS 512
#define THREE_PASS_BLOCKS 1024 /* at most; the second pass takes two totals per thread */

/* Returns the rows of a piece, a multiple of a block's threads. */
static inline int64_t
three_pass_piece(int64_t n)
{
	int64_t rounds = (n + (int64_t) THREE_PASS_BLOCKS * THREE_PASS_THREADS - 1) /
					 ((int64_t) THREE_PASS_BLOCKS * THREE_PASS_THREADS);

	return rounds * THREE_PASS_THREADS;
}

__global__ void
three_pass_totals(const int64_t *in, int64_t n, int64_t piece, int64_t *totals)
{
	SHARED(ClassicWarpTotals, room);
	int64_t base = (int64_t) blockIdx.x * piece;
	int64_t sum = 0;

	for (int64_t i = base + threadIdx.x; i < base + piece && i < n; i += THREE_PASS_THREADS)
		sum += in[i];
	sum = classic_block_scan(sum, room, THREE_PASS_THREADS / 32);
	if (threadIdx.x == THREE_PASS_THREADS - 1)
		totals[blockIdx.x] = sum;
}

/* Replaces each total by the sum of the totals before it; runs in one block. */
__global__ void
three_pass_prefixes(int64_t *totals, int blocks)
{
	SHARED(ClassicWarpTotals, room);
	int		at = 2 * (int) threadIdx.x;
	int64_t first = at < blocks ? totals[at] : 0;
	int64_t second = at + 1 < blocks ? totals[at + 1] : 0;
	int64_t sum = classic_block_scan(first + second, room, THREE_PASS_THREADS / 32);

	if (at < blocks)
		totals[at] = sum - first - second;
	if (at + 1 < blocks)
		totals[at + 1] = sum - second;
}

__global__ void
three_pass_answers(const int64_t *in, int64_t *out, int64_t n, int64_t piece, const int64_t *prefixes)
{
	SHARED(ClassicWarpTotals, room);
	int64_t base = (int64_t) blockIdx.x * piece;
	int64_t sum = prefixes[blockIdx.x];

	for (int64_t from = base; from < base + piece && from < n; from += THREE_PASS_THREADS)
	{
		int64_t i = from + threadIdx.x;
		int64_t up_to = classic_block_scan(i < n ? in[i] : 0, room, THREE_PASS_THREADS / 32);

		if (i < n)
			out[i] = sum + up_to;
		sum += room.warp[THREE_PASS_THREADS / 32 - 1];
		__syncthreads(); /* all threads have read the room before the next round overwrites it */
	}
}

/* `room` has THREE_PASS_BLOCKS numbers. */
static inline void
three_pass_scan(const int64_t *in, int64_t *out, int64_t n, int64_t *room, cudaStream_t stream)
{
	int64_t	 piece = three_pass_piece(n);
	unsigned blocks = (unsigned) ((n + piece - 1) / piece);

	LAUNCH(three_pass_totals, blocks, THREE_PASS_THREADS, stream, in, n, piece, room);
	LAUNCH(three_pass_prefixes, 1, THREE_PASS_THREADS, stream, room, (int) blocks);
	LAUNCH(three_pass_answers, blocks, THREE_PASS_THREADS, stream, in, out, n, piece, room);
}

#endif /* SCAN_CLASSIC_THREE_PASS_CUH */
