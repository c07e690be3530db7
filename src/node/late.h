/*
 * late.h: arguments that are computed when their row is answered.
 *
 * WindowAgg evaluates an argument when a function asks for it, if one ever does: after
 * the FILTER has let the row pass, not behind a LIMIT.  An argument that may raise an
 * error (fallible.h) must not be computed with its block, then; the columns that it reads are in
 * the block, and this evaluates it over them.  Where nothing can fail the block
 * computes it (block.h), which costs less.
 */
#ifndef SCAN_NODE_LATE_H
#define SCAN_NODE_LATE_H

#include "postgres.h"

#include "executor/executor.h"

#include "node/block.h"

/* The row of the child that expressions are evaluated over; all functions share one. */
typedef struct LateRow
{
	ExprContext	   *econtext;
	TupleTableSlot *slot;
	int				columns; /* that the expressions read */
	AttrNumber	   *attno;
	int			   *column; /* of the block's rows */
	int64			row;	/* that the slot has; -1: none */
} LateRow;

/* Makes the slot that of row i; what was computed for another row is gone. */
extern void late_row_to(LateRow *late, const Block *block, int64 i);

/* The value of `expr` at row i: valid until another row is looked at. */
static inline Datum
late_value(LateRow *late, ExprState *expr, const Block *block, int64 i, bool *isnull)
{
	if (late->row != i)
		late_row_to(late, block, i);
	return ExecEvalExprSwitchContext(expr, late->econtext, isnull);
}

#endif /* SCAN_NODE_LATE_H */
