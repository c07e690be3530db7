/*
 * block_reader.h: reads the input of PrefixScan and returns it in blocks of rows in window order.
 *
 * exec/ calls it; evaluate/ sees only the Block.  Four parts, of which each knows only those before it, do the work:
 *
 *   Pull          gets rows of the child (pull.h)
 *   Sorted        has them in window order, in memory or on disk (sorted_input.c)
 *   SharedInput   has several processes share them (shared_input.c, order_ranges.c)
 *   BlockInput    fills blocks with rows that stream or that were sorted (blocks.h), and frame.c computes frames
 *
 * A BlockReader owns the parts and decides where a block ends.
 */
#ifndef SCAN_NODE_INPUT_BLOCK_READER_H
#define SCAN_NODE_INPUT_BLOCK_READER_H

#include "postgres.h"

#include "column/block.h"
#include "node/error_timing/error_timing.h"
#include "node/input/blocks.h"
#include "node/input/instrument.h"

/* How far the child may be read ahead: not beyond what WindowAgg reads, if that may be observed. */
typedef struct ReadAhead
{
	bool	   may_error_or_side_effect; /* of computing a row of the child */
	NodeDemand demand;					 /* of nodes above, if ExecutorRun's caller asks for all rows */
	BlockPeek  peek;
} ReadAhead;

typedef struct BlockReader
{
	/* filled in before reader_begin(), but for result_bytes and the running state of the frame */
	WindowKeys	  keys;
	FunctionNeeds needs;
	Frame		  frame;
	ReadAhead	  read_ahead;
	bool		  sorts;		/* the input is not in window order */
	int			  presorted;	/* if so, it is in order by so many first keys */
	bool		  sorts_ranges; /* processes sort ranges of it, and each is one block */
	ExprContext	 *econtext;		/* for computed columns, offsets of the frame and comparisons */
	Pull		  pull;			/* by pull_begin() */

	/* the other parts */
	Sorted		  sorted;
	SharedInput	  shared;
	StreamBlocks  stream;
	SortedBlocks  from_memory;
	Block		  buffer[BLOCK_BUFFERS]; /* of both inputs, of which one is used at a time */
	MemoryContext memory;				 /* lives as long as the node */

	/* running */
	Block *block;						  /* the current block */
	int64  left[LOOKAHEAD_PARTITION + 1]; /* for each unit: rows to be emitted of one that has been accumulated */
	bool   started;						  /* the first block has been asked for */
	int64  target_rows;					  /* rows of the next block: few at first, for an early stop */
	int64  max_rows;					  /* up to which `target_rows` grows; 0: not known yet */

	InputStatistics statistics;
} BlockReader;

/* Begins with rows of such columns, which it keeps.  `top` says which rows are wanted. */
extern void reader_begin(BlockReader *reader, RowColumn *column, TopRows top, SortedOffer offer, UnitAccumulator units);

/* Makes the next block reader->block; false: there is none. */
extern bool reader_next(BlockReader *reader);

/*
 * Asks for blocks of `rows` rows; blocks have fewer where memory is short.  `at_once`: from the next block on, since
 * all rows are wanted; else blocks grow to that size.
 */
extern void reader_prefer_rows(BlockReader *reader, int64 rows, bool at_once);

/* Forgets all rows and begins again, with a child that has been rescanned. */
extern void reader_rewind(BlockReader *reader);

/* Closes the files and frees all rows. */
extern void reader_end(BlockReader *reader);

#endif /* SCAN_NODE_INPUT_BLOCK_READER_H */
