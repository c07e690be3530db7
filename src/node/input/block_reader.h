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
#include "node/input/instrument.h"
#include "node/input/pull.h"
#include "node/input/window_keys.h"
#include "node/planned_window.h"
#include "sort/sort_order.h"

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

/*
 * Returns the scans that the functions offer to run with the sort of all rows, which are reader->all; their results
 * take at most `room` bytes.  NULL: none.
 */
typedef struct SortedScans *(*BlockOffer)(void *functions, Size room);

/* Has the functions take the results of the scans, or forget them unless `there`; returns the bytes of the results. */
typedef Size (*BlockTake)(void *functions, bool there);

typedef struct BlockReader
{
	Pull		  pull;
	WindowKeys	  keys;
	ExprContext	 *econtext;					/* for computed columns, offsets of the frame and comparisons */
	bool		  sorts;					/* the input is not in window order */
	bool		  may_error_or_side_effect; /* of computing a row of the child */
	NodeDemand	  demand;					/* of nodes above, if ExecutorRun's caller asks for all rows */
	TopRows		  top;						/* input that is not in order: the rows that are wanted */
	BlockPeek	  peek;
	MemoryContext memory; /* lives as long as the node */

	/* what the functions ask for */
	bool			needs[LOOKAHEAD_PARTITION + 1]; /* for each unit: some function has to know it whole */
	int64			before;							/* the most rows that a function looks back at */
	int64			after;							/* the most rows that a function looks ahead at */
	Frame			frame;
	Size			result_bytes; /* of all functions' results for one row */
	BlockAccumulate accumulate;
	BlockOffer		offer;
	BlockTake		take;
	void		   *functions; /* the first argument of `accumulate`, `offer` and `take` */

	/* running */
	Block  buffer[3];
	Block *block;  /* the current block, in `buffer` */
	List  *pushed; /* RowFiles whose rows come before the child's next row; the last file's rows come first */
	int64  left[LOOKAHEAD_PARTITION + 1]; /* for each unit: rows to be emitted of one that has been accumulated */
	bool   started;						  /* the first block has been asked for */
	bool   at_end;						  /* there are no more rows, neither pushed ones nor the child's */
	int64  target_rows;					  /* rows of the next block: few at first, for an early stop */
	int64  max_rows;					  /* up to which `target_rows` grows */

	/* input that is not in order; positions are positions in the order */
	Rows		*all;		   /* the rows of the input, or of a batch; NULL: none are in memory */
	SortOrder	 order;		   /* the order of the rows of `all` that are wanted */
	int64		 next;		   /* the position that the next block begins at */
	Size		 sorted_bytes; /* of the rows in memory, their sort and the results of scans, at most */
	struct Runs *runs;		   /* the rows sorted on disk, if they are beyond the budget; NULL: they are not */

	/* input that several processes read */
	struct Repartition	  *repartition;		  /* NULL: this process alone reads the input */
	struct RepartitionKey *repartition_key;	  /* one for each key of the partition; NULL if range partitioned */
	bool				   range_partitioned; /* batches are ranges of the window order */
	int					   range_before;	  /* the range that emits the row before this range's first; -1: none */
	int64				   shown;			  /* position of the first row that is left to the next range */

	InputStatistics statistics;
} BlockReader;

#endif /* SCAN_NODE_INPUT_BLOCK_READER_H */
