/*
 * dispatch.h: decides which file of evaluate/ evaluates a function.
 */
#ifndef SCAN_NODE_EVALUATE_DISPATCH_H
#define SCAN_NODE_EVALUATE_DISPATCH_H

#include "postgres.h"

#include "node/evaluate/function.h"

/* Prepares a function for evaluation.  The caller has set the fields from info to deferred_row, and the contexts. */
extern void node_function_start(NodeFunction *f);

/* ---- one function for each file of evaluate/, called by dispatch.c ---- */

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

#endif /* SCAN_NODE_EVALUATE_DISPATCH_H */
