/*
 * order_ranges.h: divides a window's rows into ranges of the window order, which several processes answer.
 */
#ifndef SCAN_NODE_INPUT_ORDER_RANGES_H
#define SCAN_NODE_INPUT_ORDER_RANGES_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "node/input/block_reader.h"

/* Repartitions all rows that this process reads to ranges.  Returns when all processes have repartitioned theirs. */
extern void ranges_repartition(BlockReader *reader);

/*
 * Called when a range has been taken and sorted: takes over the rows that it needs of the range before, for which it
 * may wait, and hands its last rows over to the next range.
 */
extern void ranges_join(BlockReader *reader);

/*
 * Points `totals` at the functions' states before the first row of the range, for which it may wait; false: the range
 * is the first one.  The bytes are valid until the next handoff is taken; totals->len is not set.
 */
extern bool ranges_totals(const BlockReader *reader, StringInfo totals);

/* Hands the functions' states after the last row of the range over to the next range. */
extern void ranges_hand_over(BlockReader *reader, const StringInfoData *totals);

#endif /* SCAN_NODE_INPUT_ORDER_RANGES_H */
