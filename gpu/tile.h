/*
 * tile.h: how many rows a block of threads takes in scan.cuh.  It is for the kernels, and for the tests of rows at a
 * tile's edges.
 */
#ifndef SCAN_GPU_TILE_H
#define SCAN_GPU_TILE_H

#define SCAN_THREADS 256

/*
 * Rows of a thread, which holds them in registers.  `in`, `out` and `acc` are bytes of the line's values, answers and
 * accumulators.
 */
#define SCAN_ITEMS(in, out, acc) ((in) <= 8 && (out) <= 8 && (acc) <= 8 ? 16 : 8)
#define SCAN_TILE_ROWS(in, out, acc) (SCAN_THREADS * SCAN_ITEMS(in, out, acc))

/*
 * Blocks that a multiprocessor runs at once, for kernels whose threads hold large values.  With two blocks a thread has
 * 128 registers; on devices before sm_90 three lines would then spill up to 140 bytes, and averages 96.
 */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define LARGE_BLOCKS_AT_ONCE 1
#else
#define LARGE_BLOCKS_AT_ONCE 2
#endif

#endif /* SCAN_GPU_TILE_H */
