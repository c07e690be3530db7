/*
 * order_ranges.h: a window's rows in ranges of their order, for several processes to answer.
 */
#ifndef SCAN_NODE_INPUT_ORDER_RANGES_H
#define SCAN_NODE_INPUT_ORDER_RANGES_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "node/input/reader.h"

/* Deals all rows of this process to ranges. */
extern void ranges_repartition(BlockReader *reader);

/*
 * A range has been taken and sorted: what comes before its first row is had from the range before, and its last rows
 * are handed over to the next.
 */
extern void ranges_join(BlockReader *reader);

/* What the functions have to go on from at the first row of the range, to be read; false: it is the first of all. */
extern bool ranges_totals(const BlockReader *reader, StringInfo totals);

/* Hands over what they have come to. */
extern void ranges_hand_over(BlockReader *reader, const StringInfoData *totals);

#endif /* SCAN_NODE_INPUT_ORDER_RANGES_H */
