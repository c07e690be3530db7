/*
 * function.h: a function of the window while the node runs: a RowFunction (column/row_function.h), and what the plan
 * has of it.
 *
 * exec/begin.c sets what is fixed, dispatch.c chooses the file of evaluate/ that evaluates the function, and that file
 * stores the results of a block, some rows at a time.
 */
#ifndef SCAN_NODE_EVALUATE_FUNCTION_H
#define SCAN_NODE_EVALUATE_FUNCTION_H

#include "postgres.h"

#include "aggregate/aggregate_op.h"
#include "node/function_info.h"

typedef struct NodeFunction
{
	Aggregate		   aggregate; /* begins with the RowFunction; the other members are of FUNCTION_AGGREGATE alone */
	WindowFunctionInfo info;	  /* as the plan has it */

	/* arguments that are computed when their row enters a frame (entering_rows.h) */
	struct EnteringRows *entering; /* of the node */
	RowFunction			 late;	   /* what computes them; the RowFunction of `aggregate` reads them as columns */
	/* of `aggregate`; it sees rows `view_begin` to `view_end` - 1 of the block.  NULL: there are no such arguments */
	EvaluateRows strategy;
	int64		 view_begin;
	int64		 view_end;
} NodeFunction;

static inline RowFunction *
node_row_function(NodeFunction *function)
{
	return &function->aggregate.f;
}

/* Returns what the plan has of a function of the node. */
static inline const WindowFunctionInfo *
node_info(const RowFunction *f)
{
	return &((const NodeFunction *) f)->info;
}

/* Starts a new block: none of its rows is evaluated yet.  Makes room for its results. */
static inline void
node_function_new_block(RowFunction *f, const Block *block)
{
	f->done = block->begin;
	result_column_begin(&f->result, block->n);
}

/* Stores the result of row i, at most once for each row of a block. */
static pg_attribute_always_inline void
node_put(RowFunction *f, int64 i, Datum value, bool isnull)
{
	result_put(&f->result, i, value, isnull);
}

/* Stores one result for the rows from `from` to `end` - 1. */
static pg_attribute_always_inline void
node_put_rows(RowFunction *f, int64 from, int64 end, Datum value, bool isnull)
{
	result_put_rows(&f->result, from, end, value, isnull);
}

static pg_attribute_always_inline bool
node_is_full(const RowFunction *f)
{
	return result_column_is_full(&f->result);
}

/* ---- dispatch.c: decides which file of evaluate/ evaluates a function ---- */

/* Prepares a function for evaluation.  The caller has set the fields from info to late_row, and the contexts. */
extern void node_function_start(RowFunction *f);

#endif /* SCAN_NODE_EVALUATE_FUNCTION_H */
