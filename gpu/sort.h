/*
 * sort.h: the order of packed keys, and columns brought into it: what cuda.cu asks of
 * sort.cu.  All pointers are the device's.
 */
#ifndef SCAN_GPU_SORT_H
#define SCAN_GPU_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "port.cuh"

typedef struct SortKeys
{
	const uint64_t *low;
	const uint64_t *high; /* of keys longer than 64 bits */
	uint32_t		bits; /* of a key */
	uint32_t		partition_bits;
} SortKeys;

/*
 * All of these but sort_room() start kernels and do not wait for them.  They return the first error of a call or a
 * launch, of their own or an earlier one that nobody has asked for; what would have followed it was not started.
 */

/* *room := bytes that sort_order() needs for n rows; 0 after an error. */
extern cudaError_t sort_room(uint32_t n, uint32_t bits, size_t *room);

/* order[i] := the row that comes i-th by its key, n > 0; stable. */
extern cudaError_t sort_order(const SortKeys *keys, uint32_t n, uint32_t *order, void *room, cudaStream_t stream);

/* to[i] := from[order[i]], values of 1, 2, 4, 8 or 16 bytes. */
extern cudaError_t sort_gather(const void *from, uint32_t width, const uint32_t *order, uint32_t n, void *to,
							   cudaStream_t stream);

/* to[i] := order[n - 1 - i]: the rows from the last one on. */
extern cudaError_t sort_reverse(const uint32_t *order, uint32_t n, uint32_t *to, cudaStream_t stream);

/* Where segments start beside the heads that come; NULL in the place of one: nowhere. */
typedef struct SortHeads
{
	const SortKeys *keys;	  /* where the row's partition is not that of the row before, */
	uint32_t		tile;	  /* and where a tile begins; 0: there are none */
	bool			reversed; /* the order is: a tile begins with its last row */
} SortHeads;

/* The same as sort_gather() for bits, whole words; from is NULL: zeros.  A bit is also set where `heads` says. */
extern cudaError_t sort_gather_bits(const uint8_t *from, const SortHeads *heads, const uint32_t *order, uint32_t n,
									uint32_t *to, cudaStream_t stream);

#endif /* SCAN_GPU_SORT_H */
