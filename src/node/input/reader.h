/*
 * reader.h: reads the input of PrefixScan and gives it in blocks of rows in window order.
 *
 * exec/begin.c fills in what is fixed.  Three layers keep the rest: pull.c gets rows, sorted.c
 * sorts them if need be, reader.c makes blocks of them.  evaluate/ sees only the Block.
 */
#ifndef SCAN_NODE_INPUT_READER_H
#define SCAN_NODE_INPUT_READER_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "nodes/execnodes.h"

#include "node/input/block.h"
#include "node/input/early_stop.h"
#include "node/input/frame.h"
#include "node/input/instrument.h"
#include "node/input/pages.h"
#include "node/planned_window.h"
#include "sort/sort_column.h"

/*
 * Another PrefixScan as a source: it gives its blocks as they lie.  exec/ knows what that is,
 * and says by a BlockSourceOf whether a node is one; NULL: it is not.
 */
typedef struct BlockSource
{
	/* How many rows have all their results, at most until the next call; 0: there are no more. */
	int64 (*ready)(PlanState *node);

	/* A column, in which the next of these rows is row `first`. */
	const Column *(*column)(PlanState *node, AttrNumber attno, int64 *first);

	/* Moves on by so many rows. */
	void (*take)(PlanState *node, int64 rows);
} BlockSource;

typedef const BlockSource *(*BlockSourceOf)(PlanState *node);

/* A key of the window: PARTITION BY's first. */
typedef struct BlockKey
{
	int		 column; /* of the rows */
	FmgrInfo equal;
	bool	 by_datum; /* equal Datums are equal values, and the reverse */
	KeyOrder order;
} BlockKey;

/* Where a column of the rows comes from. */
typedef struct BlockColumn
{
	AttrNumber attno;  /* of the child's row; 0: */
	AttrNumber source; /* the same column in the source's row */
	ExprState *expr;   /* computed from it; NULL: a constant */
	Oid		   type;
} BlockColumn;

/* Which rows after the current one WindowAgg reads before it gives that one, whether a function needs them or not. */
typedef enum BlockPeek
{
	PEEK_NONE = 0,
	PEEK_ROW,	/* at the next row: whether it is in the frame of an aggregate */
	PEEK_PEERS, /* up to the first that is no peer: where a frame ends with the peers, its end is always kept */
} BlockPeek;

/* Who has the functions look at a block of which no row is shown. */
typedef void (*BlockLook)(void *looker, const Block *block);

/*
 * Has scans run with the sort of all rows, which are reader->all: what the functions offer, of answers that take at
 * most `room` bytes; NULL: nothing.
 */
typedef struct SortedScans *(*BlockOffer)(void *looker, Size room);

/* Has the functions take their answers, if they are there; returns how many bytes these take. */
typedef Size (*BlockTake)(void *looker, bool there);

typedef struct BlockReader
{
	PlanState		  *child;
	PlanState		  *source;		 /* the node that is asked: the child, or one below it that gives the same rows */
	Pages			  *pages;		 /* of the source; NULL: it is no plain scan */
	const BlockSource *block_source; /* of the source; NULL: it is no PrefixScan, or it computes */
	BlockSourceOf	   find_block_source;
	ExprContext		  *econtext; /* for computed columns */
	int				   columns;
	BlockColumn		  *column;
	AttrNumber		   last_attno; /* the last column of the source that is needed */
	int				   keys;
	int				   partition_keys;
	BlockKey		  *key;
	SortSupport		   compare;	 /* the keys' comparisons, once they are needed */
	bool			   computes; /* some column is an expression */
	bool			   sorts;
	bool			   may_error_or_side_effect; /* computing another row of the child may fail or show, */
	NodeDemand		   demand;					 /* and so many will be asked for, if the plan is run to its end */
	TopRows			   top;						 /* input that is not in order: the rows that are wanted */
	BlockPeek		   peek;					 /* core looks on so far, needed or not */
	MemoryContext	   memory;

	/* what the functions ask for */
	bool	   needs[LOOKAHEAD_PARTITION + 1]; /* some function has to know the whole of such units */
	int64	   before;						   /* rows that functions look back, */
	int64	   after;						   /* and ahead */
	Frame	   frame;						   /* and the window's frame, if it slides */
	Size	   result_bytes;				   /* of a row's results */
	BlockLook  look;						   /* is given what is only to be looked at, */
	void	  *looker;						   /* with this, as are: */
	BlockOffer offer;
	BlockTake  take;

	/* running */
	Block  buffer[3];
	Block *block;  /* one of them */
	List  *pushed; /* RowFiles with rows that come before those of the child, the next one's last */
	int64  left[LOOKAHEAD_PARTITION + 1]; /* rows still to be shown of a unit that has been looked at */
	bool   started;
	bool   at_end;		/* there are no more rows to pull, */
	bool   child_ended; /* and the child must not be asked again */
	int64  target_rows; /* of the next block: few at first, for those who stop early, */
	int64  max_rows;	/* and at most so many */

	/* input that is not in order: in memory, or, beyond the budget, in runs on disk */
	Rows		*all;
	int64		 ordered;  /* so many of them are wanted: */
	uint32		*order;	   /* which comes when; NULL: */
	uint64		*words;	   /* these say so, */
	uint64		 row_mask; /* in these bits, */
	Unpack		*unpack;   /* and of each column, whether it is had back from the others, */
	uint8		*heads;	   /* and the marks, a bit a place */
	uint8		*peers;
	int64		 next;		   /* the next of those */
	Size		 sorted_bytes; /* of the rows in memory and their sort, at most */
	struct Runs *runs;

	/* where several processes read it */
	struct Repartition	  *repartition;		/* NULL: there is but this one */
	struct RepartitionKey *repartition_key; /* of the partition */
	bool  range_partitioned; /* they are repartitioned ranges of the order, which go on from each other; */
	int	  range_before;		 /* the one whose rows end before the range at hand; -1: it is the first */
	int64 shown;			 /* place of the range: the first row that is left to the next one */

	/* for EXPLAIN */
	BlockInstrumentation *instrument; /* NULL: without ANALYZE */
	int					  sort_bits;  /* of packed keys; 0: they were compared */
	int64				  blocks;
	int64				  left_out; /* rows that were not wanted */
	Size				  peak_bytes;
	int64				  spilled;		/* bytes on disk: of the sort, of units, */
	Size				  peak_spilled; /* and of frames, of any node, at most */
} BlockReader;

/* Has the next block as reader->block; false when there is none. */
extern bool reader_next(BlockReader *reader);

/* Asks for blocks of so many rows from the next one on; fewer come where memory is short. */
extern void reader_prefer_rows(BlockReader *reader, int64 rows);

/* Begins again, at the child's first row. */
extern void reader_rewind(BlockReader *reader);

/* Closes the files, and lets go of the rows. */
extern void reader_end(BlockReader *reader);

#endif /* SCAN_NODE_INPUT_READER_H */
