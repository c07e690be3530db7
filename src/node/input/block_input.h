/*
 * block_input.h: what a block is filled from: rows that stream (stream_block.c), or rows sorted in memory
 * (sorted_block.c).
 *
 * block_reader.c decides where a block ends, in one loop over the methods below, and frame.c reads more rows through
 * them.  "The next rows" are those after the last block's end, which no block has emitted.
 */
#ifndef SCAN_NODE_INPUT_BLOCK_INPUT_H
#define SCAN_NODE_INPUT_BLOCK_INPUT_H

#include "postgres.h"

#include "column/block.h"
#include "node/input/frame_state.h"
#include "node/input/function_needs.h"

/* Takes a unit that is larger than memory, part by part, so that the functions that have to know it whole do. */
typedef struct UnitAccumulator
{
	/* Has the functions accumulate a block of which no row is emitted; `last`: it ends with the unit's last row. */
	void (*accumulate)(void *functions, const Block *block, Lookahead unit, bool last);

	void *functions;
} UnitAccumulator;

typedef struct BlockInput BlockInput;

typedef struct BlockInputMethods
{
	/* Begins the next block, where the last one ended. */
	void (*begin)(BlockInput *input);

	/* Returns how many next rows there are, up to `limit`, which is at least 1; reads them if it has to. */
	int64 (*available)(BlockInput *input, int64 limit);

	/*
	 * Returns how many next rows can be a block that cuts no unit: best those up to the end of the unit that the n-th
	 * one is in.  0: not even one unit can be, since memory does not suffice or a frame's bounds may raise an error.
	 */
	int64 (*whole_units)(BlockInput *input, Lookahead unit, int64 n);

	/* Has the functions accumulate the next unit; returns how many rows it has.  They are still the next rows. */
	int64 (*accumulate)(BlockInput *input, Lookahead unit);

	/* Puts the n next rows, which are available, and the rows that functions look at around them, in input->block. */
	void (*fill)(BlockInput *input, int64 n);

	/* Appends at most n more rows to input->block, with their boundaries; false: there are none. */
	bool (*more)(BlockInput *input, int64 n);
} BlockInputMethods;

/* Each of both inputs begins with one. */
struct BlockInput
{
	const BlockInputMethods *methods;
	Block					*buffer; /* BLOCK_BUFFERS of them */
	Block					*block;	 /* the current block, in `buffer` */
	const FunctionNeeds		*needs;
	Frame					*frame;
	UnitAccumulator			 units;
	Size					 arena_bytes; /* no more rows are pulled for a block once they take so much of its arena */
	bool					 careful;	  /* this time, no row may be read before WindowAgg would have read it */
};

#define BLOCK_BUFFERS 3

/*
 * Returns how many rows a block must hold so that rows 0 to n - 1 of it can be computed.  That is more than n if
 * functions look ahead, or if the frame of row n - 1 reaches further (Frame.known).  `first`: the position of the
 * block's row 0 in the input.
 */
static inline int64
block_input_end(const BlockInput *input, int64 first, int64 n)
{
	return Max(n + input->needs->after, input->frame->sliding ? input->frame->known - first : 0);
}

/* Returns the bytes of a row in a block, with its boundaries, results and frame. */
static inline Size
block_input_row_bytes(const BlockInput *input)
{
	const Rows *rows = input->buffer[0].rows;

	return rows_row_bytes(rows) + rows->small_bytes + 2 * sizeof(bool) + input->needs->result_bytes +
		   (input->frame->sliding ? sizeof(RowFrame) : 0);
}

#endif /* SCAN_NODE_INPUT_BLOCK_INPUT_H */
