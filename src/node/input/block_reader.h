/*
 * block_reader.h: the state in which PrefixScan reads its input, which all files of input/ work on.
 *
 * exec/begin.c fills in what is fixed.  reader.h has the functions that exec/ calls.
 */
#ifndef SCAN_NODE_INPUT_BLOCK_READER_H
#define SCAN_NODE_INPUT_BLOCK_READER_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "nodes/execnodes.h"

#include "column/block.h"
#include "node/error_timing/early_stop.h"
#include "node/input/frame_state.h"
#include "node/input/function_needs.h"
#include "node/input/instrument.h"
#include "node/input/shared_input.h"

/* Which rows after the current one WindowAgg reads before it emits the current one, even if no function needs them. */
typedef enum BlockPeek
{
	PEEK_NONE = 0,
	PEEK_ROW,	/* the next row: WindowAgg checks if it is in the frame of an aggregate */
	PEEK_PEERS, /* up to the first that is no peer: WindowAgg always finds the end of a frame of peers */
} BlockPeek;

/*
 * Has the functions accumulate a block of which no row is emitted, as a part of a unit that is larger than memory.
 * `last`: the block ends with the unit's last row.
 */
typedef void (*BlockAccumulate)(void *functions, const Block *block, Lookahead unit, bool last);

typedef struct BlockReader
{
	Pull		  pull;
	WindowKeys	  keys;
	Sorted		  sorted;
	SharedInput	  shared;
	ExprContext	 *econtext;					/* for computed columns, offsets of the frame and comparisons */
	bool		  sorts;					/* the input is not in window order */
	bool		  may_error_or_side_effect; /* of computing a row of the child */
	NodeDemand	  demand;					/* of nodes above, if ExecutorRun's caller asks for all rows */
	BlockPeek	  peek;
	MemoryContext memory; /* lives as long as the node */

	FunctionNeeds	needs;
	Frame			frame;
	BlockAccumulate accumulate;
	void		   *functions; /* the first argument of `accumulate` */

	/* running */
	Block  buffer[3];
	Block *block;  /* the current block, in `buffer` */
	List  *pushed; /* RowFiles whose rows come before the child's next row; the last file's rows come first */
	int64  left[LOOKAHEAD_PARTITION + 1]; /* for each unit: rows to be emitted of one that has been accumulated */
	bool   started;						  /* the first block has been asked for */
	bool   at_end;						  /* there are no more rows, neither pushed ones nor the child's */
	int64  target_rows;					  /* rows of the next block: few at first, for an early stop */
	int64  max_rows;					  /* up to which `target_rows` grows */

	int64 next; /* position in the order of sorted rows in memory that the next block begins at */

	InputStatistics statistics;
} BlockReader;

#endif /* SCAN_NODE_INPUT_BLOCK_READER_H */
