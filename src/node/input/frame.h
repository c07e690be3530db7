/*
 * frame.h: the frames of a block's rows, where frames slide: what a function looks at, row by row.
 *
 * exec/begin.c fills in what is fixed, the reader has the frames of a block computed, and
 * evaluate/ reads them.  A frame that begins with its partition and ends with the row, its peers or the
 * partition does not move: nothing here is used then.
 */
#ifndef SCAN_NODE_INPUT_FRAME_H
#define SCAN_NODE_INPUT_FRAME_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "node/input/block.h"

/* One end of the frame. */
typedef struct FrameEnd
{
	ExprState	*expr; /* of the offset; NULL: it has none */
	bool		 preceding;
	ColumnFormat format; /* of its values */
	Datum		 offset;
	FmgrInfo	 in_range;
	bool		 subtract; /* as in_range is called */
	bool		 less;
	bool		 proven; /* in_range has been called with the offset, and took it */

	/* running, of the row whose frame was computed last */
	int64 row;	 /* of the input: where the frame begins, or the row after its last one */
	int64 group; /* the peer group of that row, from the partition's first on */
} FrameEnd;

struct BlockReader;

typedef struct Frame
{
	bool		 sliding; /* or there is nothing to do */
	int			 options;
	FrameEnd	 start;
	FrameEnd	 end;
	int			 column; /* RANGE: of the rows' columns, what they are ordered by */
	Oid			 type;	 /* its type, */
	ColumnFormat format; /* and how that is laid down */
	Oid			 collation;
	bool		 nulls_first;
	FrameRange	 range;
	bool		 keeps_start; /* some function looks at all rows of a frame that begins with its partition */

	/* running: rows are counted through the input */
	bool	  started;	 /* the offsets are known */
	bool	  in_ranges; /* in_range is asked for some bound */
	int64	  partition; /* where the row's partition begins, */
	int64	  known;	 /* up to where it goes at least, */
	bool	  ends;		 /* or exactly */
	int64	  group;	 /* the peer group of the row, from the partition's first on, */
	int64	  peers;	 /* where it begins */
	int64	  peers_end; /* and ends, where that matters */
	int64	  kept;		 /* the first row that later frames, or functions, may look at */
	int64	  reach;	 /* how many rows around the block were looked at last */
	int64	  capacity;
	RowFrame *row;	/* the block's, */
	Pool	 *pool; /* in this memory */
} Frame;

/* Computes the offsets, for which core's errors come up: before the first row is read. */
extern void frame_start(Frame *frame, ExprContext *econtext);

/*
 * How many rows each frame has, if they are as many for each row, but where its partition cuts it: ROWS between two
 * offsets or the current row; else 0.  The offsets are known.
 */
extern int64 frame_rows(const Frame *frame);

/*
 * Computes the frames of a block's rows from its first one on, for which more rows may be
 * read.  Returns before which row of n it came to an end: where the block may end anywhere, a row
 * whose bounds may raise an error waits until the rows before it have been shown.
 */
extern int64 frame_block(struct BlockReader *reader, Block *block, int64 n, bool may_end);

/* Whether the bounds of rows of a block, up to row n - 1, may raise an error: then it should be one that may end. */
extern bool frame_may_fail(const Frame *frame, const Block *block, int64 n);

#endif /* SCAN_NODE_INPUT_FRAME_H */
