/*
 * gather.h: copies rows that were sorted in memory into a block, in their order.
 */
#ifndef SCAN_NODE_ROWS_GATHER_H
#define SCAN_NODE_ROWS_GATHER_H

#include "postgres.h"

#include "node/rows/reader.h"

/* The next n rows of reader->all to the block's first, in the columns that are wanted and not constant. */
extern void gather_rows(BlockReader *reader, int64 n);

#endif /* SCAN_NODE_ROWS_GATHER_H */
