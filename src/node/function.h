/*
 * function.h: a function of the window while the node runs.
 */
#ifndef SCAN_NODE_FUNCTION_H
#define SCAN_NODE_FUNCTION_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/execnodes.h"

#include "node/block.h"
#include "node/late.h"

typedef struct NodeFunction NodeFunction;

/*
 * Answers rows from `done` on, at least one and at most to the block's end; returns
 * the row behind the last one answered.  Rows are answered when they are about to be
 * emitted, so that an error comes at its row.
 */
typedef int64 (*NodeAnswer)(NodeFunction *f, const Block *block, int64 done);

struct NodeFunction
{
	const WindowFunc *wfunc;
	NodeFunctionKind  kind;
	NodeNeed		  need;
	int				  arguments;
	int				 *argument; /* columns of the rows, but for those that are computed late */
	int				  filter;	/* a column, or -1 */
	ExprState		**late;		/* an argument each, NULL where it is a column; NULL: all are columns */
	ExprState		 *late_filter;
	LateRow			 *late_row; /* what they are computed over; NULL: nothing is late */
	int16			  length;
	bool			  by_value;
	NodeAnswer		  answer;
	int64			  wish;		 /* rows that a block had best have for it; 0: not known yet */
	MemoryContext	  query;	 /* lives as long as the node */
	MemoryContext	  partition; /* emptied at each head */
	MemoryContext	  results;	 /* what answers point to: emptied before more are made */
	MemoryContext	  scratch;	 /* the function's own, emptied at its every row */
	void			 *state;

	/* the block's answers */
	int64  done;
	int64  capacity;
	Datum *value;
	bool  *isnull;
};

/* Makes a function ready, once its fields from wfunc to filter and its contexts are there. */
extern void node_function_start(NodeFunction *f);

/* rank.c, aggregate.c, call.c: the same, for some kinds each */
extern void node_rank_start(NodeFunction *f);
extern void node_value_start(NodeFunction *f);
extern void node_aggregate_start(NodeFunction *f);
extern void node_call_start(NodeFunction *f);

/* fast.c: false: it is not one of those */
extern bool node_fast_start(NodeFunction *f);

/* Makes the first rows of the block unanswered, and place for its answers. */
extern void node_function_new_block(NodeFunction *f, const Block *block);

static inline void
node_put(NodeFunction *f, int64 i, Datum value, bool isnull)
{
	f->value[i] = value;
	f->isnull[i] = isnull;
}

static inline bool
node_is_late(const NodeFunction *f, int argument)
{
	return f->late != NULL && f->late[argument] != NULL;
}

/* An argument at row i; one that is computed late is valid until another row is looked at. */
static inline Datum
node_argument(const NodeFunction *f, const Block *block, int argument, int64 i, bool *isnull)
{
	const RowColumn *column;

	if (node_is_late(f, argument))
		return late_value(f->late_row, f->late[argument], block, i, isnull);
	column = &block->rows->column[f->argument[argument]];
	*isnull = column->isnull[i];
	return column->value[i];
}

/* Whether the FILTER lets row i pass. */
static inline bool
node_filter(const NodeFunction *f, const Block *block, int64 i)
{
	const RowColumn *column;

	if (f->late_filter != NULL)
	{
		bool  isnull;
		Datum pass = late_value(f->late_row, f->late_filter, block, i, &isnull);

		return !isnull && DatumGetBool(pass);
	}
	if (f->filter < 0)
		return true;
	column = &block->rows->column[f->filter];
	return !column->isnull[i] && DatumGetBool(column->value[i]);
}

#endif /* SCAN_NODE_FUNCTION_H */
