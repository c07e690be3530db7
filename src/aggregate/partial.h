/*
 * partial.h: what an aggregate returns for the rows of one process, if core's own aggregation combines it with what the
 * other processes return.
 */
#ifndef SCAN_AGGREGATE_PARTIAL_H
#define SCAN_AGGREGATE_PARTIAL_H

#include "aggregate/aggregate_op.h"

/* Computes the transition value of the rows so far, in the current context: SCAN_OK, or SCAN_NULL. */
typedef ScanStatus (*PartialResult)(Aggregate *aggregate, Datum *value);

/*
 * Returns the function that computes what core's partial aggregation of a stock aggregate would return, for an
 * aggregate whose transition value is not its result; NULL: there is none.  The frames of the aggregate do not slide.
 */
extern PartialResult aggregate_partial_result(Oid aggregate);

#endif /* SCAN_AGGREGATE_PARTIAL_H */
