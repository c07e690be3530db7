/*
 * dispatch.h: decides which file of evaluate/ evaluates a function.
 */
#ifndef SCAN_NODE_EVALUATE_DISPATCH_H
#define SCAN_NODE_EVALUATE_DISPATCH_H

#include "postgres.h"

#include "node/evaluate/function.h"

/* Prepares a function for evaluation.  The caller has set the fields from info to deferred_row, and the contexts. */
extern void node_function_start(RowFunction *f);

#endif /* SCAN_NODE_EVALUATE_DISPATCH_H */
