/*
 * sort.h: sorts packed keys and brings columns into the sorted order, for cuda.cu and measure.cu.  All pointers are to
 * device memory.
 */
#ifndef SCAN_GPU_SORT_H
#define SCAN_GPU_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "port.cuh"

typedef struct SortKeys
{
	const uint64_t *low;	  /* the lowest 64 bits of each key */
	const uint64_t *high;	  /* the bits above, if keys are longer than 64 bits */
	uint32_t		bits;	  /* bits of a key */
	uint32_t		first;	  /* the first bit by which rows are sorted; less than 64 */
	uint32_t		row_bits; /* lowest bits of a key that hold the row's number, not more than `first`; 0: none do */
	uint32_t		partition_bits; /* highest bits of a key that make its partition */
} SortKeys;

/*
 * All functions below but sort_room() start kernels and do not wait for them.  They return the first error of a call or
 * a launch, their own or an earlier one that is still in cudaGetLastError(); no kernel is started after an error.
 */

/* *room := bytes that sort_order() needs for n rows; 0 after an error. */
extern cudaError_t sort_room(uint32_t n, const SortKeys *keys, size_t *room);

/*
 * order[i] := number of the row at position i by the keys; stable; n > 0.  words[i] := its key.  `words` may be NULL,
 * and must be if keys have more than 64 bits; else `order` may be NULL.  `room` is needed until sort_heads() has run.
 */
extern cudaError_t sort_order(const SortKeys *keys, uint32_t n, uint32_t *order, uint64_t *words, void *room,
							  cudaStream_t stream);

/* to[i] := from[order[i]], values of 1, 2, 4, 8 or 16 bytes. */
extern cudaError_t sort_gather(const void *from, uint32_t width, const uint32_t *order, uint32_t n, void *to,
							   cudaStream_t stream);

/* to[i] := order[n - 1 - i], the reversed order. */
extern cudaError_t sort_reverse(const uint32_t *order, uint32_t n, uint32_t *to, cudaStream_t stream);

/* sort_gather() for columns of bits; writes whole words. */
extern cudaError_t sort_gather_bits(const uint8_t *from, const uint32_t *order, uint32_t n, uint32_t *to,
									cudaStream_t stream);

/* Where segments start. */
typedef struct SortHeads
{
	const SortKeys *keys;	  /* where the partition changes */
	uint64_t	   *words;	  /* of sort_order(): the sorted keys, or NULL */
	void		   *room;	  /* of sort_order(), which has left the sorted keys there if `words` is NULL */
	const uint8_t  *column;	  /* where the bit is set, before the sort; NULL: there is no such column */
	const uint32_t *order;	  /* of rows; reversed if `reversed` */
	uint32_t		tile;	  /* rows of a tile, which starts a segment; 0: there are no tiles */
	bool			reversed; /* true if a tile starts at its last row */
} SortHeads;

/* Sets the bits of the rows at which segments start, in their order; writes whole words. */
extern cudaError_t sort_heads(const SortHeads *heads, uint32_t n, uint32_t *to, cudaStream_t stream);

#endif /* SCAN_GPU_SORT_H */
