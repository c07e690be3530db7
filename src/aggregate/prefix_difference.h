/*
 * prefix_difference.h: counts, sums and averages of integers over sliding frames.
 */
#ifndef SCAN_AGGREGATE_PREFIX_DIFFERENCE_H
#define SCAN_AGGREGATE_PREFIX_DIFFERENCE_H

#include "aggregate/aggregate_op.h"

/* An AggregateRows, for operations whose state is a NumberState with an integer total. */
extern int64 prefix_difference_rows(Aggregate *aggregate, const Block *block, int64 done);

#endif /* SCAN_AGGREGATE_PREFIX_DIFFERENCE_H */
