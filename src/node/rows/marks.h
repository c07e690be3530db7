/*
 * marks.h: marks the rows at which partitions and peer groups begin.
 */
#ifndef SCAN_NODE_ROWS_MARKS_H
#define SCAN_NODE_ROWS_MARKS_H

#include "postgres.h"

#include "node/rows/reader.h"

/* Makes place for n rows in the block's marks. */
extern void marks_reserve(BlockReader *reader, int64 n);

/* Marks the rows from `from` on, the first of which comes after row j of `before`; NULL: after none. */
extern void marks_add(BlockReader *reader, int64 from, const Rows *before, int64 j);

/* Sorted input: the first place from `from` on at which a unit of the reader's lookahead starts. */
extern int64 marks_next_unit(const BlockReader *reader, int64 from);

#endif /* SCAN_NODE_ROWS_MARKS_H */
