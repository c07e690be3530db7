/*
 * boundaries.h: marks the rows at which partitions and peer groups begin.
 */
#ifndef SCAN_NODE_INPUT_BOUNDARIES_H
#define SCAN_NODE_INPUT_BOUNDARIES_H

#include "postgres.h"

#include "node/input/reader.h"

/* Makes place for n rows in a block's marks. */
extern void boundaries_reserve(const BlockReader *reader, Block *block, int64 n);

/* Marks the rows of a block from `from` on; row 0 is the input's first. */
extern void boundaries_mark(BlockReader *reader, Block *block, int64 from);

/* Sorted input: the first place from `from` on at which a unit starts. */
extern int64 boundaries_next_unit(const BlockReader *reader, Lookahead unit, int64 from);

#endif /* SCAN_NODE_INPUT_BOUNDARIES_H */
