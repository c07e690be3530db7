/*
 * dispatch.h: decides which file of evaluate/ evaluates a function.
 */
#ifndef SCAN_NODE_EVALUATE_DISPATCH_H
#define SCAN_NODE_EVALUATE_DISPATCH_H

#include "postgres.h"

#include "node/evaluate/function.h"

/* Makes a function ready to be evaluated, once its fields from wfunc to filter and its contexts are there. */
extern void node_function_start(NodeFunction *f);

/* ---- each file of evaluate/ makes functions of its kinds ready; dispatch.c asks ---- */

extern void node_rank_start(NodeFunction *f);
extern void node_value_start(NodeFunction *f);
extern void node_aggregate_start(NodeFunction *f);
extern void node_call_start(NodeFunction *f);
extern void node_compaction_start(NodeFunction *f);

/* False: the aggregate is none of those that inlined.c has. */
extern bool node_inlined_start(NodeFunction *f);

/* False: the aggregate is none of those of moments.c, or of order_statistics.c. */
extern bool node_moments_start(NodeFunction *f, MovingKind kind);
extern bool node_ranks_start(NodeFunction *f, MovingKind kind);

/* False: the aggregate is no extreme by an order, or core's functions are to do it. */
extern bool node_extreme_start(NodeFunction *f);

/* Has blocks of an aggregate of inlined.c's go as jobs, where a device takes them. */
extern void node_stock_start(NodeFunction *f);

#endif /* SCAN_NODE_EVALUATE_DISPATCH_H */
