/*
 * function.h: a function of the window while the node runs.
 *
 * exec/begin.c sets what is fixed, dispatch.c chooses the file of evaluate/ that evaluates the function, and that file
 * stores the results of a block, some rows at a time.
 */
#ifndef SCAN_NODE_EVALUATE_FUNCTION_H
#define SCAN_NODE_EVALUATE_FUNCTION_H

#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/execnodes.h"

#include "column/block.h"
#include "column/result_column.h"
#include "cpu/sorted_scan.h"
#include "node/error_timing/late_arguments.h"
#include "node/function_info.h"

typedef struct NodeFunction NodeFunction;

/*
 * Evaluates the function from row `done` on: at least one row, at most to the block's end.  Returns the row after the
 * last one evaluated.  It is called when row `done` is about to be emitted, so that an error is raised at its row;
 * only a range is evaluated before any of its rows is emitted.
 */
typedef int64 (*Evaluate)(NodeFunction *f, const Block *block, int64 done);

/*
 * Accumulates the rows of a block, which are a part of a unit that is larger than memory, and stores no results.
 * `last`: the block ends with the unit's last row.  The unit's rows come again, in blocks that have
 * block->accumulated set for the unit, and are evaluated then.
 */
typedef void (*Accumulate)(NodeFunction *f, const Block *block, Lookahead unit, bool last);

/*
 * Saves or restores the function's state, so that another process can continue.  Saving appends to `bytes` the state
 * after the block's last row.  Restoring reads the state from `bytes`, before the block's first row is evaluated.
 */
typedef void (*Carry)(NodeFunction *f, const Block *block, StringInfo bytes);

/*
 * Returns true, and describes the scan in `scan`, if the function is one scan over all rows, which lie in `all`.
 * Column numbers are those of the blocks' `rows`, which also has the constants.  `segmented`: there are partitions,
 * and each is a segment.  A scan in tiles is described twice: scan[0] goes forward and scan[1] backward.
 */
typedef bool (*OfferScan)(NodeFunction *f, const Rows *rows, const Rows *all, bool segmented, SortedScan *scan);

struct NodeFunction
{
	WindowFunctionInfo info;	   /* as the plan has it */
	bool			   sliding;	   /* its frames slide: Block.frame has them */
	bool			   inverts;	   /* its frames slide, and rows leave them at the start */
	bool			   excludes;   /* its frames slide, and there is an EXCLUDE clause */
	bool			   saves;	   /* its state may be saved: another process continues from it */
	int64			   frame_rows; /* rows of every frame, unless its partition cuts it; 0: unknown, or they differ */
	int				   arguments;
	int				  *argument; /* the column of each argument that is not deferred */
	int				   filter;	 /* the column of the FILTER's value, or -1 */
	ExprState		 **deferred; /* NULL for an argument that is a column; NULL pointer: all are columns */
	ExprState		  *deferred_filter;
	DeferredRow		  *deferred_row; /* the row that deferred expressions read; NULL: nothing is deferred */
	Evaluate		   evaluate;
	Accumulate		   accumulate; /* NULL: the function looks no unit ahead */
	Evaluate		   begin;	   /* evaluates a block's first rows, then sets `evaluate`; NULL: unused */
	void (*end)(NodeFunction *f);  /* closes files, when the node ends or begins anew; NULL: there are none */
	int64		  preferred_rows;  /* rows that a block should have for it; 0: not known yet */
	MemoryContext query;		   /* memory that lives as long as the node */
	MemoryContext partition;	   /* memory that is reset at each head */
	MemoryContext scratch;		   /* memory that is reset at each row of the function */
	void		 *state;
	Carry		  save_state; /* both are NULL if another process cannot continue from a saved state */
	Carry		  restore_state;
	const char	 *method; /* how results over sliding frames are computed, for EXPLAIN */

	/* answers that are computed with the sort of all rows (sort_scans.h) */
	OfferScan	offer;	   /* NULL: the function is never such a scan */
	SortedScan *offered;   /* the scans offered to the sort under way; NULL: none */
	SortedScan *answers;   /* the scans whose answers are there; NULL: none */
	Evaluate	by_itself; /* `evaluate` as it was before the answers came */
	bool		counts;	   /* the function counts the rows that go in: some do not, and answers lack the count */

	/* the block's results, of which the rows before `done` are computed; their pool may spill to disk if frames slide
	 */
	int64		 done;
	ResultColumn result;
};

/* True if the function has to know whole units of this kind. */
static inline bool
node_function_needs(const NodeFunction *f, Lookahead unit)
{
	return f->info.lookahead == unit || (f->info.kind == FUNCTION_CUME_DIST && unit == LOOKAHEAD_PEERS);
}

/* Starts a new block: none of its rows is evaluated yet.  Makes room for its results. */
static inline void
node_function_new_block(NodeFunction *f, const Block *block)
{
	f->done = block->begin;
	result_column_begin(&f->result, block->n);
}

/* Stores the result of row i, at most once for each row of a block. */
static pg_attribute_always_inline void
node_put(NodeFunction *f, int64 i, Datum value, bool isnull)
{
	result_put(&f->result, i, value, isnull);
}

/* Stores one result for the rows from `from` to `end` - 1. */
static pg_attribute_always_inline void
node_put_rows(NodeFunction *f, int64 from, int64 end, Datum value, bool isnull)
{
	result_put_rows(&f->result, from, end, value, isnull);
}

/*
 * Returns the row at which one call of Evaluate should stop, or at the end of the unit that this row is in: the
 * block's end, but at most BLOCK_MAX_ROWS rows further where each result takes memory in the arena.  It should stop
 * earlier once node_is_full().
 */
static inline int64
node_stop(const NodeFunction *f, const Block *block, int64 done)
{
	return f->result.data.by_value ? block->n : Min(block->n, done + BLOCK_MAX_ROWS);
}

static pg_attribute_always_inline bool
node_is_full(const NodeFunction *f)
{
	return result_column_is_full(&f->result);
}

static inline bool
node_is_deferred(const NodeFunction *f, int argument)
{
	return f->deferred != NULL && f->deferred[argument] != NULL;
}

/* Returns an argument's value at row i.  The value of a deferred argument is valid until another row is read. */
static inline Datum
node_argument(const NodeFunction *f, const Block *block, int argument, int64 i, bool *isnull)
{
	if (node_is_deferred(f, argument))
		return deferred_value(f->deferred_row, f->deferred[argument], block->rows, i, isnull);
	return column_get(&block->rows->column[f->argument[argument]].data, i, isnull);
}

/* True if row i passes the FILTER, or if there is none. */
static inline bool
node_filter(const NodeFunction *f, const Block *block, int64 i)
{
	bool  isnull;
	Datum pass;

	if (f->deferred_filter != NULL)
		pass = deferred_value(f->deferred_row, f->deferred_filter, block->rows, i, &isnull);
	else if (f->filter >= 0)
		pass = column_get(&block->rows->column[f->filter].data, i, &isnull);
	else
		return true;
	return !isnull && DatumGetBool(pass);
}

#endif /* SCAN_NODE_EVALUATE_FUNCTION_H */
