/*
 * block.h: a block of rows in window order: what evaluate/ sees of the input.
 */
#ifndef SCAN_NODE_INPUT_BLOCK_H
#define SCAN_NODE_INPUT_BLOCK_H

#include "postgres.h"

#include "column/rows.h"
#include "node/planned_window.h"

/* What a block has at most where input is in order, unless a function prefers more rows or a unit is longer. */
#define BLOCK_MAX_ROWS 1024
#define BLOCK_MAX_BYTES (1024 * 1024) /* of values that are not in their Datums */

/*
 * The frame of a row where frames slide: rows `head` to `tail` - 1 of the block's, but for those from
 * `hole` to `hole_end` - 1, of which the row itself may stay.  `head` is negative where the frame
 * begins with its partition, and that in an earlier block.
 */
typedef struct RowFrame
{
	int64 head;
	int64 tail;
	int64 hole;
	int64 hole_end;
	bool  ties;	 /* EXCLUDE TIES: */
	bool  stays; /* the row itself stays, if it is in the frame */
} RowFrame;

/* Whether row i, which is not before the frame's head nor after its tail, is in the frame of a row. */
static inline bool
row_is_in_frame(const RowFrame *frame, int64 row, int64 i)
{
	return i < frame->hole || i >= frame->hole_end || (i == row && frame->stays);
}

/*
 * Rows `begin` to n - 1 of `rows`: a window on the input, with the rows of the blocks before it
 * and after it that functions look at beside it (BlockReader.before and after).  It lives until
 * the reader's next one.
 *
 * A block ends where the functions' lookahead is met: no peer group, or no partition, is cut.
 * One that is too large for memory comes twice: first in blocks that are only for those to
 * look at who have to know the whole unit, and then in blocks to be shown, which have rows of
 * nothing else.
 */
typedef struct Block
{
	int64	  begin;
	int64	  n;
	int64	  first; /* how many rows of the input come before row 0 */
	Rows	 *rows;
	bool	 *head;		  /* a byte a row, which is tested faster than a bit: starts a partition, */
	bool	 *peer;		  /* or a peer group */
	int64	  capacity;	  /* of these */
	Size	  arena_used; /* by the rows before `begin` */
	Lookahead looking;	  /* LOOKAHEAD_NONE: to be shown; else rows of such a unit, to be looked at, */
	bool	  last;		  /* up to its last one */
	bool	  is_range; /* the rows from `begin` on are a range of the order: the block before may be any other range */
	bool	  seen[LOOKAHEAD_PARTITION + 1]; /* the rows are of one such unit, that has been looked at */

	const RowFrame *frame; /* of the rows from `begin` on; NULL: frames do not slide */
} Block;

/*
 * Whether nothing is known of rows before row i: sliding frames have no older answers to go on from.  The input's
 * first row is a head, so without ranges no other row is asked about.
 */
static inline bool
block_begins_anew(const Block *block, int64 i)
{
	return block->head[i] || (block->is_range && i == block->begin);
}

/* The first row from `from` on that starts a unit (a row, a peer group, a partition); `end` if none before does. */
extern int64 block_next_unit(const Block *block, Lookahead unit, int64 from, int64 end);

/* The last row before row `end` that starts a unit; `begin` if none after it does. */
extern int64 block_last_unit(const Block *block, Lookahead unit, int64 end);

/*
 * The end of the unit that row i is in: the row after it.  Units of one row, which most peer
 * groups are, are not worth a call.
 */
static inline int64
block_unit_end(const Block *block, Lookahead unit, int64 i)
{
	const bool *mark = unit == LOOKAHEAD_PEERS ? block->peer : block->head;

	i++;
	return unit == LOOKAHEAD_NONE || i >= block->n || mark[i] ? i : block_next_unit(block, unit, i, block->n);
}

/* Whether the block's rows are to be shown, and of one unit that has been looked at: its result is there. */
static inline bool
block_is_known(const Block *block, Lookahead unit)
{
	return block->looking == LOOKAHEAD_NONE && block->seen[unit];
}

/* The end of the rows that share a result with row i: of its unit, or of the block where that has no other. */
static inline int64
block_result_end(const Block *block, Lookahead unit, int64 i)
{
	return block->looking != LOOKAHEAD_NONE || block->seen[unit] ? block->n : block_unit_end(block, unit, i);
}

#endif /* SCAN_NODE_INPUT_BLOCK_H */
