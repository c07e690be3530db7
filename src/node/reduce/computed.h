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
	Size  loop_bytes;  /* of the results' arena that values of loops take; those of single rows lie behind */
} Computed;

/* Sets up the results, once all columns are known. */
extern void computed_begin(Computed *computed, MemoryContext memory);

/* Begins a chunk of rows, `from` to `end` - 1 of the block, and runs the loops: they raise no error. */
extern void computed_begin_chunk(Computed *computed, Rows *rows, int64 from, int64 end);

/*
 * Has the executor compute the other columns of the chunk, one row after the other: from row `from` on, to the row
 * before `end`, or to an earlier row whose values fill the memory.  Returns the first row that was not computed.  Frees
 * the values of the rows before `from` if `is_first`.
 */
extern int64 computed_rows(Computed *computed, Rows *rows, int64 from, int64 end, bool is_first);

/* True if loops have computed all columns of the chunk. */
extern bool computed_by_loops(const Computed *computed);

/* True if the values take so much memory that the rows have to be used before another one is computed. */
extern bool computed_is_full(const Computed *computed);

#endif /* SCAN_NODE_REDUCE_COMPUTED_H */
