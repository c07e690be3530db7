/*
 * late_arguments.h: arguments that are computed when their row is about to be emitted.
 *
 * WindowAgg evaluates an argument only when a function asks for its value: after the FILTER has accepted the row, and
 * never for rows that a LIMIT cuts off.  So an argument that may raise an error (node/error_timing/error_timing.h) must
 * not be computed together with its block.  Instead the block holds the columns that the argument reads, and the
 * argument is evaluated over these columns.  Where nothing can fail, the argument is itself a column of the block,
 * which costs less.  An aggregate over frames that rows leave reads a row more than once: node/evaluate/entering_rows.h
 * keeps the value.
 */
#ifndef SCAN_COLUMN_LATE_ARGUMENTS_H
#define SCAN_COLUMN_LATE_ARGUMENTS_H

#include "postgres.h"

#include "executor/executor.h"

#include "column/rows.h"

/* The row of the child over which late expressions are evaluated; all functions share one. */
typedef struct LateRow
{
	ExprContext	   *econtext;
	TupleTableSlot *slot;
	int				columns; /* number of columns that the expressions read */
	AttrNumber	   *attno;
	int			   *column; /* the column of the block's rows, for each of them */
	int64			row;	/* the row in the slot; -1: none */
} LateRow;

/* Begins with a row of which no attribute is read. */
extern void late_row_begin(LateRow *late, EState *estate, TupleDesc desc);

/* Has an attribute be read from a column of the block's rows.  It may have been before. */
extern void late_row_read(LateRow *late, AttrNumber attno, int column);

/*
 * Returns the value of `expr` at row i of a block's rows, which is valid until another row is read.  Rejected: inline.
 * The loops of all functions read their arguments by row_argument() (row_function.h), and would have it in the middle.
 */
extern Datum late_value(LateRow *late, ExprState *expr, const Rows *rows, int64 i, bool *isnull);

#endif /* SCAN_COLUMN_LATE_ARGUMENTS_H */
