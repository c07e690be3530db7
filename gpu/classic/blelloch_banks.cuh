/*
 * blelloch_banks.cuh: Blelloch's tree with its rows laid out so that threads that run together access different banks.
 *
 * Shared memory has 32 banks of four bytes.  A half warp reads its 16 numbers of eight bytes at once if they lie in
 * different pairs of banks.  At a stride of 2^k the tree uses only 16 / 2^k of the 16 pairs.  One number left free
 * after every 16 rows shifts each group of 16 rows by a pair, so that strides of 16 and more use all pairs.
 * Source: Harris, Sengupta and Owens, "Parallel prefix sum (scan) with CUDA", GPU Gems 3, chapter 39 (2007), where
 * banks were 16.
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
