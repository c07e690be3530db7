/*
 * tile.h: how many rows a block of scan.cuh takes: for the kernels, and for whoever checks them about
 * a tile's edges.
 */
#ifndef SCAN_GPU_TILE_H
#define SCAN_GPU_TILE_H

#define SCAN_THREADS 256

/*
 * Rows of a thread, which holds them in registers, of a line whose values, answers and accumulators
 * have so many bytes.
 */
#define SCAN_ITEMS(in, out, acc) ((in) <= 8 && (out) <= 8 && (acc) <= 8 ? 16 : 8)
#define SCAN_TILE_ROWS(in, out, acc) (SCAN_THREADS * SCAN_ITEMS(in, out, acc))

/*
 * Blocks of a multiprocessor at once, where a thread has much to hold.  For two it has 128 registers, and devices
 * before sm_90 would spill up to 140 bytes of three lines and 96 of averages.
 */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define LARGE_BLOCKS_AT_ONCE 1
#else
#define LARGE_BLOCKS_AT_ONCE 2
#endif

#endif /* SCAN_GPU_TILE_H */
