/*
 * block.h: a block of rows in window order, with the rows around it, its boundaries and its sliding frames.
 *
 * input/ makes blocks; evaluate/ sees nothing else of the input.
 */
#ifndef SCAN_COLUMN_BLOCK_H
#define SCAN_COLUMN_BLOCK_H

#include "postgres.h"

#include "column/rows.h"

/*
 * The most rows of a block, unless a function prefers more rows, a unit is longer, functions or frames reach further,
 * or the block is a range.  Wide rows are fewer: their columns, with results, take BLOCK_MAX_BYTES, or BLOCK_LEAST_ROWS
 * of them.  A node holds up to three blocks, and a query may have a hundred nodes.
 */
#define BLOCK_MAX_ROWS 1024
#define BLOCK_LEAST_ROWS 64
#define BLOCK_FIRST_ROWS 16			 /* of the first block of input that is in order: a node above may stop early */
#define BLOCK_MAX_BYTES (128 * 1024) /* also of values in the arena, where input is in order */

/*
 * Rows after which a chunk of input that is in order by some first keys ends: of the first chunk, and at most.  A chunk
 * ends before if it takes this part of scan.work_mem: the sort takes memory too, and so do the rows of its last group.
 */
#define CHUNK_FIRST_ROWS 64
#define CHUNK_MOST_ROWS 32768
#define CHUNK_MEMORY_PART 4

/* Which rows after the current one must be read before a function can be evaluated. */
typedef enum Lookahead
{
	LOOKAHEAD_NONE = 0,
	LOOKAHEAD_PEERS = 1 << 0,	  /* the rest of the row's peer group */
	LOOKAHEAD_PARTITION = 1 << 1, /* the rest of the row's partition */
} Lookahead;

/*
 * What a function needs of its input beside its own row and the rows at constant distances from it: one word, which has
 * the function's lookaheads and these bits.  node/function_info.c says what a function needs under the frame of its
 * window.  node/input/ gives what the functions of a window need together (FunctionNeeds).
 */
typedef enum RowNeeds
{
	/* under any frame */
	NEEDS_FRAME = 1 << 2,		   /* the frame has an effect on the function */
	NEEDS_ROW_AFTER = 1 << 3,	   /* WindowAgg reads the first row after the frame, to see that it is not in it */
	NEEDS_EARLIER_ROWS = 1 << 4,   /* all before, if frames do not slide: the state at a row does not fit in bytes */
	NEEDS_EARLIER_FRAMES = 1 << 5, /* all before, if frames slide: results depend on where evaluation began */
	NEEDS_ANY_ROW = 1 << 6,		   /* any row of the partition: the offset of lag() or lead() is no constant */
	NEEDS_ANY_FRAME_ROW = 1 << 7,  /* any row of the frame: the n of nth_value() is no constant */
	NEEDS_ANY = NEEDS_ANY_ROW | NEEDS_ANY_FRAME_ROW,

	/* under this frame, which slides */
	NEEDS_BOUNDS = 1 << 8,		/* the frame of each row: Block.frame */
	NEEDS_FRAME_START = 1 << 9, /* the rows at the frame's start again: to remove, leave out or return them */
	NEEDS_REMOVAL = 1 << 10,	/* to remove rows: frames do not begin with their partition */
	NEEDS_EXCLUSION = 1 << 11,	/* to leave out rows: there is an EXCLUDE clause */

	/* in this plan */
	NEEDS_SAVED_STATE = 1 << 12, /* another process computes the rows before: the state travels */
	NEEDS_ROW_BY_ROW = 1 << 13,	 /* the arguments of a row may be computed only when its frame is due */
} RowNeeds;

/*
 * The sliding frame of one row: rows `head` to `tail` - 1 of Block.rows.  EXCLUDE takes rows `hole` to `hole_end` - 1
 * out of the frame.  `head` is negative if the frame begins with a partition that begins before row 0.
 */
typedef struct RowFrame
{
	int64 head, tail;
	int64 hole, hole_end;
	bool  ties;	 /* the frame has EXCLUDE TIES */
	bool  stays; /* EXCLUDE TIES leaves the row itself in the frame, since the row is between `head` and `tail` */
} RowFrame;

/*
 * The block is rows `begin` to n - 1 of `rows`.  The other rows of `rows` come before and after the block, and
 * functions look at them (FunctionNeeds.before and after) or frames reach them.  A block is valid until the reader's
 * next one.
 *
 * A block ends where the functions' lookahead is met: it cuts no peer group, or no partition.  A unit that is too large
 * for memory comes twice: first in blocks that the functions with such a lookahead only accumulate, and then in blocks
 * that are emitted, which have rows of no other unit.
 */
typedef struct Block
{
	int64 begin, n;
	int64 first; /* position of row 0 in the input */
	Rows *rows;
	/* `head` and `peer` lie in rows->arrays */
	bool *head;		  /* true for each row that starts a partition; a byte is tested faster than a bit */
	bool *peer;		  /* true for each row that starts a peer group */
	int64 capacity;	  /* rows that `head` and `peer` have memory for */
	Size  arena_used; /* bytes of the arena that the rows before `begin` take */
	bool  is_range;	  /* the block is a range of the window order; the block before may be any other range */

	/* for each unit: all rows are of one such unit, which has been accumulated, so that its result is known */
	bool accumulated[LOOKAHEAD_PARTITION + 1];

	const RowFrame *frame; /* the frame of each row from `begin` on; NULL: frames do not slide */
} Block;

/*
 * True if row i begins a partition or a range: the result of its sliding frame cannot continue from that of the row
 * before.  The input's first row begins a partition, so without ranges `head` suffices.
 */
static inline bool
block_begins_anew(const Block *block, int64 i)
{
	return block->head[i] || (block->is_range && i == block->begin);
}

/* Removes all rows and gives the memory of the block back, unless it is little. */
extern void block_release(Block *block);

/*
 * Returns the first row from `from` on that starts a unit; `end` if no row before `end` does.  The unit is not
 * LOOKAHEAD_NONE, which every row would start.
 */
extern int64 block_next_unit(const Block *block, Lookahead unit, int64 from, int64 end);

/* Returns the last row before row `end` that starts a unit, which is no single row; `begin` if no later row does. */
extern int64 block_last_unit(const Block *block, Lookahead unit, int64 end);

/*
 * Returns the row after the last one of row i's unit.  Most peer groups have one row, and a unit of one row is not
 * worth a function call.
 */
static inline int64
block_unit_end(const Block *block, Lookahead unit, int64 i)
{
	const bool *mark = unit == LOOKAHEAD_PEERS ? block->peer : block->head;

	i++;
	return unit == LOOKAHEAD_NONE || i >= block->n || mark[i] ? i : block_next_unit(block, unit, i, block->n);
}

/* Returns the end of the rows that share a result with row i: of its unit, or of a block that has rows of one unit. */
static inline int64
block_result_end(const Block *block, Lookahead unit, int64 i)
{
	return block->accumulated[unit] ? block->n : block_unit_end(block, unit, i);
}

#endif /* SCAN_COLUMN_BLOCK_H */
