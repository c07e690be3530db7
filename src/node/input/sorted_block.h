/*
 * sorted_block.h: copies rows that were sorted in memory into a block, in their order.
 */
#ifndef SCAN_NODE_INPUT_SORTED_BLOCK_H
#define SCAN_NODE_INPUT_SORTED_BLOCK_H

#include "postgres.h"

#include "node/input/block_reader.h"

/*
 * Replaces the rows of a block by the n rows of reader->all from position `from` of the order on.  Fills the columns
 * that are wanted and not constant.
 */
extern void gather_rows(const BlockReader *reader, Block *block, int64 from, int64 n);

/* Appends the n rows from position `from` on to those of the block. */
extern void gather_more(const BlockReader *reader, Block *block, int64 from, int64 n);

#endif /* SCAN_NODE_INPUT_SORTED_BLOCK_H */
