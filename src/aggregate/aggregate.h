/*
 * aggregate.h: evaluates an aggregate over the rows of blocks (aggregate_op.h), for the nodes and array_moving_*.
 */
#ifndef SCAN_AGGREGATE_AGGREGATE_H
#define SCAN_AGGREGATE_AGGREGATE_H

#include "aggregate/aggregate_op.h"

/*
 * Finds the operation and the strategy, and sets the members of aggregate->f that evaluate rows.  The caller has set
 * what comes before them, and has begun the result.
 */
extern void aggregate_start(Aggregate *aggregate);

/* ---- partial.c: transition values that core's own aggregation combines with those of other processes ---- */

/* Computes the transition value of the rows so far, in the current context: SCAN_OK, or SCAN_NULL. */
typedef ScanStatus (*PartialResult)(Aggregate *aggregate, Datum *value);

/*
 * Returns the function that computes what core's partial aggregation would return, for a stock aggregate, or one of
 * ours of that kind, whose transition value is not its result; NULL: there is none.  The frames of the aggregate do not
 * slide.
 */
extern PartialResult aggregate_partial_result(Oid aggregate, MovingKind kind);

#endif /* SCAN_AGGREGATE_AGGREGATE_H */
