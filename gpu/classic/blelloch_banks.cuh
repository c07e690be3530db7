/*
 * blelloch_banks.cuh: Blelloch's tree with its rows laid out so that threads that run
 * together meet different banks.
 *
 * Shared memory has 32 banks of four bytes; a half warp reads its 16 numbers of eight
 * bytes at once if they lie in different pairs of banks.  At a stride of 2^k the tree
 * meets one pair in every 16 / 2^k.  One place left out after every 16 rows shifts each
 * group of 16 by a pair, and so strides of 16 and more meet all of them.
 * Source: Harris, Sengupta and Owens, "Parallel prefix sum (scan) with CUDA", GPU Gems 3,
 * chapter 39 (2007), where banks were 16.
 */
#ifndef SCAN_CLASSIC_BLELLOCH_BANKS_CUH
#define SCAN_CLASSIC_BLELLOCH_BANKS_CUH

#include "classic/blelloch.cuh"

struct PlaceApart
{
	static __device__ inline int
	of(int row)
	{
		return row + row / 16;
	}
};

typedef BlellochBlock<PlaceApart> BlellochBanks;

#endif /* SCAN_CLASSIC_BLELLOCH_BANKS_CUH */
