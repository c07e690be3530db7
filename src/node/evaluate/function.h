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
#include "aggregate/frame_parts.h"
#include "cpu/fused_scan.h"
#include "node/window_function.h"

typedef struct NodeFunction
{
	Aggregate		   aggregate; /* begins with the RowFunction; the other members are of FUNCTION_AGGREGATE alone */
	WindowFunctionInfo info;	  /* as the plan has it */

	/* arguments that are computed when their row enters a frame (entering_rows.c) */
	struct EnteringRows *entering; /* of the node */
	RowFunction			 late;	   /* what computes them; the RowFunction of `aggregate` reads them as columns */
	/* of `aggregate`; it sees rows `view_begin` to `view_end` - 1 of the block.  NULL: there are no such arguments */
	EvaluateRows strategy;
	int64		 view_begin, view_end;
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

/* ---- entering_rows.c: computes arguments that may raise an error once, when their row enters a frame ---- */

/* The arguments of all functions of a node.  They share one window, and so the frames. */
typedef struct EnteringRows
{
	/* set before the functions start */
	NodeFunction *function;
	int			  functions;
	bool		  may_side_effect; /* some such argument calls a user's function */
	bool		  limited;		   /* several processes run the query, and may not ask for all rows */

	Bitmapset *late;  /* the columns that are such arguments; NULL: there are none */
	Size	   limit; /* bytes that the values may take beside those that the next frame may have */

	/* running */
	const Block *block;
	bool		 all;	/* all rows are asked for */
	int64		 first; /* Block.first; `block` may be another block by now */
	/*
	 * The block's rows with late arguments: other columns are those of the block, and a last one is true for the rows
	 * that are computed.
	 */
	Rows		*now;
	FrameContent content; /* the frame of row `known` - 1 */
	/* all rows of the frames of the block's rows from `from` to `known` - 1 are computed */
	int64 from, known;
	Size  full; /* bytes in the arena of `now` from which on no further frame is computed */
} EnteringRows;

/* Starts an aggregate by `start`, which sees late arguments as columns. */
extern void entering_start(RowFunction *f, void (*start)(Aggregate *aggregate));

/* Begins when all functions have been started, over the columns of the blocks' rows.  `limit`: see EnteringRows. */
extern void entering_begin(EnteringRows *entering, const RowColumn *column, int columns, Size limit);

/* Goes on to a block of which no row is computed.  `all`: all rows are asked for. */
extern void entering_new_block(EnteringRows *entering, const Block *block, bool all);

/* ---- fused_results.c: results that are computed together with the sort of the rows ---- */

/* The scans of a window's functions.  fused_results_create() allocates two scans for each function. */
typedef struct FusedResults
{
	FusedScans scans;
	Size	   bytes; /* bytes of memory that the results take */
} FusedResults;

extern FusedResults *fused_results_create(int columns, int functions);

/*
 * Before the sort: collects the scans that the functions offer over the rows of `all`, and reserves memory for their
 * results in the pool of `all`: at most `room` bytes.  `all` holds every row of the input; `rows` has the same columns,
 * and the constants.  `segmented`: there are partitions.  Returns NULL if no function offers a scan.
 */
extern FusedScans *fused_results_offer(FusedResults *fused, NodeFunction *function, int functions, const Rows *rows,
									   const Rows *all, bool segmented, Size room);

/*
 * After the sort: switches each function whose scans have run to the end to their results, and frees the memory of the
 * other scans.  Returns the number of functions switched.
 */
extern int fused_results_take(FusedResults *fused, NodeFunction *function, int functions, const Rows *all);

/* Switches all functions back to their own evaluation, when the results are gone. */
extern void fused_results_forget(NodeFunction *function, int functions);

#endif /* SCAN_NODE_EVALUATE_FUNCTION_H */
