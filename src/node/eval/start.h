/*
 * start.h: decides which file of eval/ evaluates a function.
 */
#ifndef SCAN_NODE_EVAL_START_H
#define SCAN_NODE_EVAL_START_H

#include "postgres.h"

#include "node/eval/function.h"

/* Makes a function ready to be evaluated, once its fields from wfunc to filter and its contexts are there. */
extern void node_function_start(NodeFunction *f);

#endif /* SCAN_NODE_EVAL_START_H */
