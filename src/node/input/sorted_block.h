/*
 * sorted_block.h: fills blocks with rows that were sorted in memory.
 */
#ifndef SCAN_NODE_INPUT_SORTED_BLOCK_H
#define SCAN_NODE_INPUT_SORTED_BLOCK_H

#include "postgres.h"

#include "node/input/block_input.h"
#include "node/input/sorted_input.h"

typedef struct SortedBlocks
{
	BlockInput	  input;
	const Sorted *sorted;

	/* running: positions in the order of the sorted rows */
	int64 next; /* the block's first row */
	int64 end;	/* after the last row that is emitted; the rows behind are left to another range */
} SortedBlocks;

/* Begins; `input` has all but the methods and the block. */
extern void sorted_blocks_begin(SortedBlocks *blocks, BlockInput input, const Sorted *sorted);

/* Begins with rows that have just been sorted, and emits those at positions `first` to end - 1. */
extern void sorted_blocks_use(SortedBlocks *blocks, int64 first, int64 end);

/* Forgets the sorted rows.  Called before or after they are freed. */
extern void sorted_blocks_rewind(SortedBlocks *blocks);

#endif /* SCAN_NODE_INPUT_SORTED_BLOCK_H */
