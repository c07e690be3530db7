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
 * the error is raised once the row is asked for.
 *
 * Rejected: to compute the arguments of one row at a time, and have each strategy take one row more.  Floats are added
 * up many frames at a time (aggregate/refold.c), and everything else would have had to keep what it knows of a frame
 * apart from the block.  Rejected: to compute all of a block where all rows are wanted, without a subtransaction.  Of
 * two errors, the user would see the one of the later row.
 */
#ifndef SCAN_NODE_EVALUATE_ENTERING_ROWS_H
#define SCAN_NODE_EVALUATE_ENTERING_ROWS_H

#include "postgres.h"

#include "aggregate/frame_parts.h"
#include "node/evaluate/function.h"

/* The arguments of all functions of a node.  They share one window, and so the frames. */
typedef struct EnteringRows
{
	NodeFunction *function;
	int			  functions;
	Bitmapset	 *late;			   /* the columns that are such arguments; NULL: there are none */
	bool		  may_side_effect; /* the node's expressions call a user's function */

	/* running */
	const Block *block;
	bool		 all;	/* all rows are asked for */
	int64		 first; /* Block.first; `block` may be another block by now */
	/*
	 * The block's rows with late arguments: other columns are those of the block, and a last one is true for the rows
	 * that are computed.
	 */
	Rows		*now;
	Rows		*before;  /* the same of the block before, from which frames reach into this one */
	FrameContent content; /* the frame of row `known` - 1 */
	int64		 known;	  /* all rows of the frames of the block's rows before this one are computed */
} EnteringRows;

/* Starts an aggregate by `start`, which sees late arguments as columns. */
extern void entering_start(RowFunction *f, void (*start)(Aggregate *aggregate));

/* Begins when all functions have been started, over the columns of the blocks' rows.  `exprs`: all that is computed. */
extern void entering_begin(EnteringRows *entering, const RowColumn *column, int columns, const List *exprs);

/* Goes on to a block of which no row is computed.  `all`: all rows are asked for. */
extern void entering_new_block(EnteringRows *entering, const Block *block, bool all);

#endif /* SCAN_NODE_EVALUATE_ENTERING_ROWS_H */
