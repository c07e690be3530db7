/*
 * boundaries.h: marks the boundaries: the rows at which partitions and peer groups begin.
 */
#ifndef SCAN_NODE_INPUT_BOUNDARIES_H
#define SCAN_NODE_INPUT_BOUNDARIES_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "column/block.h"
#include "node/input/window_keys.h"
#include "sort/sort_order.h"

/* Makes room for n rows in the block's `head` and `peer`. */
extern void boundaries_reserve(Block *block, int64 n);

/*
 * Fills `head` and `peer` of the block's rows from row `from` on; if that is row 0, it is the input's first row.
 * Comparisons leave their garbage in the per-tuple memory of `econtext`, which is reset.
 */
extern void boundaries_mark(const WindowKeys *keys, ExprContext *econtext, Block *block, int64 from);

/* Sorted input: returns the first position from `from` on at which a unit starts; the end of the order if none does. */
extern int64 boundaries_next_unit(const SortOrder *order, Lookahead unit, int64 from);

#endif /* SCAN_NODE_INPUT_BOUNDARIES_H */
