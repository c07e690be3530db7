/*
 * function.h: a function of the window while the node runs.
 *
 * exec/begin.c fills in what is fixed, start.c chooses which file of eval/ evaluates it, and that
 * file fills the results of a block, a stretch of rows at a time.
 */
#ifndef SCAN_NODE_EVAL_FUNCTION_H
#define SCAN_NODE_EVAL_FUNCTION_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/execnodes.h"

#include "node/eval/deferred.h"
#include "node/functions.h"
#include "node/rows/block.h"

typedef struct NodeFunction NodeFunction;

/*
 * Evaluates the function from row `done` on, at least one row and at most to the block's end;
 * returns the row after the last one evaluated.  Called when row `done` is about to be emitted,
 * so that an error is raised at its row.  Of a block that is only to be looked at nothing is
 * shown: the function takes the rows in, and shows what it then knows at each row of the blocks
 * in which the unit is marked as seen.
 */
typedef int64 (*Evaluate)(NodeFunction *f, const Block *block, int64 done);

struct NodeFunction
{
	const WindowFunc  *wfunc;
	WindowFunctionKind kind;
	Lookahead		   lookahead;
	int				   arguments;
	int				  *argument; /* columns of the rows, but for those that are deferred */
	int				   filter;	 /* a column, or -1 */
	ExprState		 **deferred; /* an argument each, NULL where it is a column; NULL: all are columns */
	ExprState		  *deferred_filter;
	DeferredRow		  *deferred_row; /* what they are computed over; NULL: nothing is deferred */
	Evaluate		   evaluate;
	Evaluate		   begin;		   /* evaluates a block's first rows, and says what the others; NULL: `evaluate` */
	int64			   preferred_rows; /* rows that a block had best have for it; 0: not known yet */
	MemoryContext	   query;		   /* lives as long as the node */
	MemoryContext	   partition;	   /* emptied at each head */
	MemoryContext	   results;		   /* what results point to: emptied before more are made */
	MemoryContext	   scratch;		   /* the function's own, emptied at its every row */
	void			  *state;

	/* the block's results */
	int64  done;
	int64  capacity;
	Column result; /* of the type that start.c sets */
};

/* Whether the function has to know whole units of such a kind. */
static inline bool
node_function_needs(const NodeFunction *f, Lookahead unit)
{
	return f->lookahead == unit || (f->kind == FUNCTION_CUME_DIST && unit == LOOKAHEAD_PEERS);
}

/* Starts on a new block: none of its rows is evaluated yet, and there is room for its results. */
extern void node_function_new_block(NodeFunction *f, const Block *block);

/* The result at row i, once a block. */
static inline void
node_put(NodeFunction *f, int64 i, Datum value, bool isnull)
{
	if (unlikely(isnull))
	{
		f->result.has_nulls = true;
		scan_bit_put(f->result.nulls, i, true);
	}
	column_store(&f->result, i, isnull ? (Datum) 0 : value);
}

static inline bool
node_is_deferred(const NodeFunction *f, int argument)
{
	return f->deferred != NULL && f->deferred[argument] != NULL;
}

/* An argument at row i; one that is deferred is valid until another row is looked at. */
static inline Datum
node_argument(const NodeFunction *f, const Block *block, int argument, int64 i, bool *isnull)
{
	if (node_is_deferred(f, argument))
		return deferred_value(f->deferred_row, f->deferred[argument], block, i, isnull);
	return column_get(&block->rows->column[f->argument[argument]].data, i, isnull);
}

/* Whether the FILTER lets row i pass. */
static inline bool
node_filter(const NodeFunction *f, const Block *block, int64 i)
{
	bool  isnull;
	Datum pass;

	if (f->deferred_filter != NULL)
		pass = deferred_value(f->deferred_row, f->deferred_filter, block, i, &isnull);
	else if (f->filter >= 0)
		pass = column_get(&block->rows->column[f->filter].data, i, &isnull);
	else
		return true;
	return !isnull && DatumGetBool(pass);
}

#endif /* SCAN_NODE_EVAL_FUNCTION_H */
