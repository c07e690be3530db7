/*
 * evaluators.h: one function for each file of evaluate/ that evaluates window functions, called by dispatch.c.
 *
 * It sets the pointers of a NodeFunction, through which exec/ calls the file.  A header of its own: dispatch.c knows
 * all of these files, and none of them knows dispatch.c.
 */
#ifndef SCAN_NODE_EVALUATE_EVALUATORS_H
#define SCAN_NODE_EVALUATE_EVALUATORS_H

#include "postgres.h"

#include "node/evaluate/function.h"

extern void node_rank_start(NodeFunction *f);
extern void node_value_start(NodeFunction *f);
extern void node_aggregate_start(NodeFunction *f);
extern void node_call_start(NodeFunction *f);
extern void node_compaction_start(NodeFunction *f);

/* Returns false if inlined.c does not evaluate this aggregate. */
extern bool node_inlined_start(NodeFunction *f);

/* Return false if moments.c or order_statistics.c, respectively, does not evaluate this aggregate. */
extern bool node_moments_start(NodeFunction *f);
extern bool node_ranks_start(NodeFunction *f);

/* Returns false if the aggregate is no min or max by an order, or if core's own functions have to evaluate it. */
extern bool node_extreme_start(NodeFunction *f);

/* Has the blocks of an aggregate of inlined.c run as jobs where a device takes them. */
extern void node_stock_start(NodeFunction *f);

#endif /* SCAN_NODE_EVALUATE_EVALUATORS_H */
