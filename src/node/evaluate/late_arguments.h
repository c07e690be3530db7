/*
 * late_arguments.h: arguments that are computed when their row is about to be emitted.
 *
 * WindowAgg evaluates an argument when a function asks for it, if one ever does: after the
 * FILTER has accepted the row, and not for rows that a LIMIT cuts off.  So an argument that may
 * raise an error (fallible.h) must not be computed together with its block.  Instead the
 * block holds the columns that it reads, and the argument is evaluated over these.  Where
 * nothing can fail the argument is a column of the block, which costs less.
 */
#ifndef SCAN_NODE_EVALUATE_LATE_ARGUMENTS_H
#define SCAN_NODE_EVALUATE_LATE_ARGUMENTS_H

#include "postgres.h"

#include "executor/executor.h"

#include "node/input/block.h"

/* The row of the child that expressions are evaluated over; all functions share one. */
typedef struct DeferredRow
{
	ExprContext	   *econtext;
	TupleTableSlot *slot;
	int				columns; /* that the expressions read */
	AttrNumber	   *attno;
	int			   *column; /* of the block's rows */
	int64			row;	/* that the slot has; -1: none */
} DeferredRow;

/* Makes the slot that of row i; what was computed for another row is gone. */
extern void deferred_row_to(DeferredRow *deferred, const Block *block, int64 i);

/* The value of `expr` at row i: valid until another row is looked at. */
static inline Datum
deferred_value(DeferredRow *deferred, ExprState *expr, const Block *block, int64 i, bool *isnull)
{
	if (deferred->row != i)
		deferred_row_to(deferred, block, i);
	return ExecEvalExprSwitchContext(expr, deferred->econtext, isnull);
}

#endif /* SCAN_NODE_EVALUATE_LATE_ARGUMENTS_H */
