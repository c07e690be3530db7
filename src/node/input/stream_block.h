/*
 * stream_block.h: fills blocks with rows that stream in window order: the child's, or those of a sort on disk.
 */
#ifndef SCAN_NODE_INPUT_STREAM_BLOCK_H
#define SCAN_NODE_INPUT_STREAM_BLOCK_H

#include "postgres.h"

#include "node/input/block_input.h"
#include "node/input/sorted_input.h"

/* Which rows after the current one WindowAgg reads before it emits the current one, even if no function needs them. */
typedef enum BlockPeek
{
	PEEK_NONE = 0,
	PEEK_ROW,	/* the next row: WindowAgg checks if it is in the frame of an aggregate */
	PEEK_PEERS, /* up to the first that is no peer: WindowAgg always finds the end of a frame of peers */
} BlockPeek;

typedef struct StreamBlocks
{
	BlockInput	  input;
	Sorted		 *sorted; /* has the runs of a sort on disk; it knows the child and the keys, too */
	ExprContext	 *econtext;
	BlockPeek	  peek;
	MemoryContext memory; /* lives as long as the node */

	/* running */
	List *pushed; /* RowFiles whose rows come before the child's next row; the last file's rows come first */
	bool  at_end; /* there are no more rows, neither pushed ones nor the child's */
} StreamBlocks;

/* Begins; `input` has all but the methods and the block.  Keys are compared in the memory of `econtext`. */
extern void stream_blocks_begin(StreamBlocks *blocks, BlockInput input, Sorted *sorted, ExprContext *econtext,
								BlockPeek peek);

/* Forgets all rows, and closes the files that they are read from. */
extern void stream_blocks_rewind(StreamBlocks *blocks);

#endif /* SCAN_NODE_INPUT_STREAM_BLOCK_H */
