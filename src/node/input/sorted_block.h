/*
 * sorted_block.h: copies rows that were sorted in memory into a block, in their order.
 */
#ifndef SCAN_NODE_INPUT_SORTED_BLOCK_H
#define SCAN_NODE_INPUT_SORTED_BLOCK_H

#include "postgres.h"

#include "node/input/reader.h"

/*
 * Gathers n rows of reader->all, from place `from` of their order on, as the rows of a block, in
 * the columns that are wanted and not constant.
 */
extern void gather_rows(const BlockReader *reader, Block *block, int64 from, int64 n);

/* Gathers n more rows, to the block's end. */
extern void gather_more(const BlockReader *reader, Block *block, int64 from, int64 n);

#endif /* SCAN_NODE_INPUT_SORTED_BLOCK_H */
