/*
 * aggregate.h: evaluates an aggregate over the rows of blocks (aggregate_op.h).
 */
#ifndef SCAN_AGGREGATE_AGGREGATE_H
#define SCAN_AGGREGATE_AGGREGATE_H

#include "aggregate/aggregate_op.h"

/*
 * Finds the operation and the strategy, and sets the members of aggregate->f that evaluate rows.  The caller has set
 * what comes before them, and has begun the result.
 */
extern void aggregate_start(Aggregate *aggregate);

#endif /* SCAN_AGGREGATE_AGGREGATE_H */
