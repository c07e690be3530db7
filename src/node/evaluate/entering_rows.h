/*
 * entering_rows.h: arguments that may raise an error, of aggregates over frames that rows leave: each is computed once,
 * when its row enters a frame.
 *
 * WindowAgg evaluates the FILTER and the arguments of a row when the row enters the frame.  An aggregate without an
 * inverse transition function has WindowAgg begin again at each frame, with the same values: frames of 1,000 rows would
 * compute each argument a thousand times.  Here an argument becomes a column of the block, like one that cannot fail,
 * and the aggregate is evaluated by the strategy that it would have over such a column (aggregate/aggregate.c).  The
 * strategy sees the block only as far as all rows of the frames are computed.
 *
 * A row whose argument fails may never be asked for, and its error comes after those of the rows before it
 * (node/error_timing/README.md).  So the frame of the row that is asked for is computed as it is, and those of the
 * block's other rows are tried in a subtransaction.  If one of them fails, the block is evaluated up to that row, and
 * the error is raised once the row is asked for.  Where rows cannot be tried, they are computed one by one.  A strategy
 * that would begin anew at each of them gives way to the aggregate's inverse transition function, if it has one.
 *
 * Values may be wide, and a window may have many functions.  So frames are computed only until the values take their
 * part of the budget, and values are dropped when no later frame has their row.  The values of one frame are kept in
 * any case, as are the rows of a block that a frame reaches: the pool may spill.
 *
 * Rejected: to compute the arguments of one row at a time, and have each strategy take one row more.  Floats are added
 * up many frames at a time (aggregate/refold.c), and everything else would have had to keep what it knows of a frame
 * apart from the block.  Rejected: to compute all of a block where all rows are wanted, without a subtransaction.  Of
 * two errors, the user would see the one of the later row.  Rejected: to leave values that are not passed by value to
 * the aggregate's own functions, which add up each frame anew: the maximum of 20,000 texts over frames of 1,000 rows
 * took 10 s, and takes 13 ms.
 */
#ifndef SCAN_NODE_EVALUATE_ENTERING_ROWS_H
#define SCAN_NODE_EVALUATE_ENTERING_ROWS_H

#include "postgres.h"

#include "aggregate/frame_parts.h"
#include "node/evaluate/function.h"

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
	int64 from;
	int64 known;
	Size  full; /* bytes in the arena of `now` from which on no further frame is computed */
} EnteringRows;

/* Starts an aggregate by `start`, which sees late arguments as columns. */
extern void entering_start(RowFunction *f, void (*start)(Aggregate *aggregate));

/* Begins when all functions have been started, over the columns of the blocks' rows.  `limit`: see EnteringRows. */
extern void entering_begin(EnteringRows *entering, const RowColumn *column, int columns, Size limit);

/* Goes on to a block of which no row is computed.  `all`: all rows are asked for. */
extern void entering_new_block(EnteringRows *entering, const Block *block, bool all);

#endif /* SCAN_NODE_EVALUATE_ENTERING_ROWS_H */
