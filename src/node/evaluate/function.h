/*
 * function.h: a function of the window while the node runs.
 *
 * exec/begin.c fills in what is fixed, dispatch.c chooses which file of evaluate/ evaluates it, and that
 * file fills the results of a block, a stretch of rows at a time.
 */
#ifndef SCAN_NODE_EVALUATE_FUNCTION_H
#define SCAN_NODE_EVALUATE_FUNCTION_H

#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/execnodes.h"

#include "column/arena.h"
#include "column/stretch.h"
#include "cpu/sorted.h"
#include "node/evaluate/late_arguments.h"
#include "node/functions.h"
#include "node/input/block.h"

typedef struct NodeFunction NodeFunction;

/*
 * Evaluates the function from row `done` on, at least one row and at most to the block's end;
 * returns the row after the last one evaluated.  Called when row `done` is about to be emitted,
 * so that an error is raised at its row.  Of a block that is only to be looked at nothing is
 * shown: the function takes the rows in, and shows what it then knows at each row of the blocks
 * in which the unit is marked as seen.
 */
typedef int64 (*Evaluate)(NodeFunction *f, const Block *block, int64 done);

/*
 * Appends what is known of the rows so far, for another process to go on from; or takes it from there, before the
 * rows of a block.
 */
typedef void (*Carry)(NodeFunction *f, const Block *block, StringInfo bytes);

/*
 * Says of a scan over all rows, which lie in `all`, what it is, if the function is such.  Columns are those of blocks'
 * `rows`, which have the constants.  `segmented`: there are partitions, which are segments.  A scan in tiles is the
 * first of two, the other goes back.  False: it is none.
 */
typedef bool (*OfferScan)(NodeFunction *f, const Rows *rows, const Rows *all, bool segmented, SortedScan *scan);

struct NodeFunction
{
	const WindowFunc  *wfunc;
	WindowFunctionKind kind;
	Lookahead		   lookahead;
	bool			   sliding;	 /* it is over sliding frames: Block.frame */
	bool			   inverts;	 /* rows leave them, */
	bool			   excludes; /* or there is an EXCLUDE clause */
	int64		  frame_rows; /* those of each frame, but where its partition cuts it; 0: not known, or they differ */
	int			  arguments;
	int			 *argument; /* columns of the rows, but for those that are deferred */
	int			  filter;	/* a column, or -1 */
	ExprState	**deferred; /* an argument each, NULL where it is a column; NULL: all are columns */
	ExprState	 *deferred_filter;
	DeferredRow	 *deferred_row; /* what they are computed over; NULL: nothing is deferred */
	Evaluate	  evaluate;
	Evaluate	  begin;		  /* evaluates a block's first rows, and says what the others; NULL: `evaluate` */
	int64		  preferred_rows; /* rows that a block had best have for it; 0: not known yet */
	MemoryContext query;		  /* lives as long as the node */
	MemoryContext partition;	  /* emptied at each head */
	MemoryContext scratch;		  /* the function's own, emptied at its every row */
	void		 *state;
	Carry		  save_state; /* NULL, both: another process cannot go on from here */
	Carry		  restore_state;
	const char	 *method; /* how sliding frames are answered, for EXPLAIN */

	/* answers that come with the sort of all rows (answered.h) */
	OfferScan	offer;	   /* NULL: never */
	SortedScan *offered;   /* to the sort that is under way, */
	SortedScan *answers;   /* and there; NULL: they are not */
	Evaluate	by_itself; /* `evaluate` without them */
	bool		counts;	   /* it looks for how many rows have gone in, which the answers do not say where some do not */

	/* the block's results */
	int64  done;
	int64  capacity;
	Column result; /* of the type that dispatch.c sets */
	Arena  arena;  /* results that are not passed by value: emptied before more are made */
	Pool  *pool;   /* memory for results, and for all that is as long as the block; where frames slide, it may spill */
};

/* Whether the function has to know whole units of such a kind. */
static inline bool
node_function_needs(const NodeFunction *f, Lookahead unit)
{
	return f->lookahead == unit || (f->kind == FUNCTION_CUME_DIST && unit == LOOKAHEAD_PEERS);
}

/* Starts on a new block: none of its rows is evaluated yet, and there is room for its results. */
extern void node_function_new_block(NodeFunction *f, const Block *block);

/* What a column of results has for a value: the value, or the place of a copy. */
static pg_attribute_always_inline Datum
node_lay_down(NodeFunction *f, Datum value, bool isnull)
{
	if (unlikely(isnull))
	{
		f->result.has_nulls = true;
		return 0;
	}
	if (f->result.format == COLUMN_REFERENCE)
		return arena_copy(&f->arena, f->pool, f->result.length, value);
	return value;
}

static pg_attribute_always_inline void
node_put_laid_down(NodeFunction *f, int64 i, Datum value, bool isnull)
{
	if (unlikely(isnull))
		scan_bit_put(f->result.nulls, i, true);
	column_store(&f->result, i, value);
}

/* The result at row i, once a block. */
static pg_attribute_always_inline void
node_put(NodeFunction *f, int64 i, Datum value, bool isnull)
{
	node_put_laid_down(f, i, node_lay_down(f, value, isnull), isnull);
}

/* The same result at the rows from `from` to before `end`. */
static pg_attribute_always_inline void
node_put_rows(NodeFunction *f, int64 from, int64 end, Datum value, bool isnull)
{
	value = node_lay_down(f, value, isnull);
	FOR_INTERRUPTIBLE(i, from, end)
	node_put_laid_down(f, i, value, isnull);
}

/*
 * The row before which one call of Evaluate should stop, or after it where a unit goes on: the block's
 * end, but at most BLOCK_MAX_ROWS rows where each result takes memory in the arena.
 */
static inline int64
node_stop(const NodeFunction *f, const Block *block, int64 done)
{
	return f->result.by_value ? block->n : Min(block->n, done + BLOCK_MAX_ROWS);
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

#endif /* SCAN_NODE_EVALUATE_FUNCTION_H */
