/*
 * computed.h: the columns that a WindowReduce computes of its child's: expressions in the target list of the subquery.
 */
#ifndef SCAN_NODE_REDUCE_COMPUTED_H
#define SCAN_NODE_REDUCE_COMPUTED_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "column/late_arguments.h"
#include "column/rows.h"
#include "node/reduce/arithmetic.h"

typedef struct ComputedColumn
{
	AttrNumber	attno;	/* of the subquery */
	int			column; /* of the rows; -1: nothing reads it, but it may raise an error */
	Expr	   *expr;
	ExprState  *state;
	Arithmetic *loop; /* NULL: the executor computes it */
} ComputedColumn;

typedef struct Computed
{
	int				n;
	ComputedColumn *column;	 /* in the order of the target list */
	bool			careful; /* the executor computes a column that may raise an error */
	LateRow			late;	 /* the inputs */
	Rows		   *results;

	/* the chunk */
	int64 base;		   /* row of the block that is row 0 of `results` */
	bool  by_executor; /* core might raise an error in a loop: the executor computes all columns, row by row */
} Computed;

/* Sets up the results, once all columns are known. */
extern void computed_begin(Computed *computed, MemoryContext memory);

/* Begins a chunk of rows, `from` to `end` - 1 of the block, and runs the loops: they raise no error. */
extern void computed_begin_chunk(Computed *computed, Rows *rows, int64 from, int64 end);

/* Has the executor compute the other columns of some rows of the chunk, one row after the other. */
extern void computed_rows(Computed *computed, Rows *rows, int64 from, int64 end);

#endif /* SCAN_NODE_REDUCE_COMPUTED_H */
