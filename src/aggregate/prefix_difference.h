/*
 * prefix_difference.h: counts, sums and averages of integers over sliding frames.
 */
#ifndef SCAN_AGGREGATE_PREFIX_DIFFERENCE_H
#define SCAN_AGGREGATE_PREFIX_DIFFERENCE_H

#include "aggregate/aggregate_op.h"

/* An EvaluateRows, for operations whose state is a NumberState with an integer total. */
extern int64 prefix_difference_rows(RowFunction *f, const Block *block, int64 done);

#endif /* SCAN_AGGREGATE_PREFIX_DIFFERENCE_H */
