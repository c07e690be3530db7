/*
 * evaluators.h: one function for each file of evaluate/ that evaluates window functions, called by dispatch.c.
 *
 * It sets the pointers of a RowFunction, through which exec/ calls the file.  A header of its own: dispatch.c knows all
 * of these files, and none of them knows dispatch.c.
 */
#ifndef SCAN_NODE_EVALUATE_EVALUATORS_H
#define SCAN_NODE_EVALUATE_EVALUATORS_H

#include "postgres.h"

#include "node/evaluate/function.h"

extern void node_rank_start(RowFunction *f);
extern void node_value_start(RowFunction *f);
extern void node_aggregate_start(RowFunction *f);
extern void node_call_start(RowFunction *f);
extern void node_ahead_start(RowFunction *f);
extern void node_compaction_start(RowFunction *f);

/* ---- dispatch.c: decides which file of evaluate/ evaluates a function ---- */

/* Prepares a function for evaluation.  The caller has set the fields from info to late_row, and the contexts. */
extern void node_function_start(RowFunction *f);

#endif /* SCAN_NODE_EVALUATE_EVALUATORS_H */
