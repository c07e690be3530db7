/*
 * block.h: blocks of rows in window order, with what the functions of the window
 * need to know of them.
 */
#ifndef SCAN_NODE_BLOCK_H
#define SCAN_NODE_BLOCK_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "nodes/execnodes.h"

#include "column/rows.h"
#include "node/demand.h"
#include "node/node.h"
#include "node/pages.h"
#include "node/watch.h"

/* A key of the window: PARTITION BY's first. */
typedef struct BlockKey
{
	int		 column; /* of the rows */
	FmgrInfo equal;
	bool	 by_datum; /* equal Datums are equal values, and the reverse */
	Oid		 equal_operator;
	Oid		 sort_operator;
	Oid		 collation;
	bool	 nulls_first;
} BlockKey;

/* Where a column of the rows comes from. */
typedef struct BlockColumn
{
	AttrNumber attno;  /* of the child's row; 0: */
	AttrNumber source; /* the same column of the row of who is asked */
	ExprState *expr;   /* computed from it; NULL: a constant */
	Oid		   type;
} BlockColumn;

/* rows of the first block of input that is in order, where more may be pulled than are asked for */
#define BLOCK_FIRST 16
#define BLOCK_MOST 1024
#define BLOCK_BYTES (1024 * 1024) /* of values that are not in their Datums */

/* Which rows after the current one WindowAgg reads before it gives the current one, whether a function needs them or
 * not. */
typedef enum BlockPeek
{
	PEEK_NONE = 0,
	PEEK_ROW,	/* at the next row: whether it is in the frame of an aggregate */
	PEEK_PEERS, /* up to the first that is no peer: where a frame ends with the peers, its end is always kept */
} BlockPeek;

/*
 * A block: rows 0 to n - 1 of `rows`, which may go on behind it.  It ends where the need of the functions is
 * met: no peer group, or no partition, is cut.
 */
typedef struct Block
{
	int64 n;
	Rows *rows;
	bool *head; /* a bool a row: starts a partition, */
	bool *peer; /* or a peer group */
	bool  last; /* no block comes after it */
} Block;

typedef struct BlockReader
{
	PlanState			   *child;
	PlanState			   *source;	  /* who is asked: the child, or what is below it */
	Pages				   *pages;	  /* of the source; NULL: it is no plain scan */
	struct PrefixScanState *below;	  /* the source as one of us; NULL: it is none, or it computes */
	ExprContext			   *econtext; /* for computed columns */
	int						columns;
	BlockColumn			   *column;
	AttrNumber				last_attno; /* the last column of the source that is needed */
	int						keys;
	int						partition_keys;
	BlockKey			   *key;
	bool					computes; /* some column is an expression */
	bool					sorts;
	bool					fallible; /* computing another row of the child may fail or show, */
	NodeDemand				demand;	  /* and so many will be asked for, if the plan is run to its end */
	BlockPeek				peek;	  /* core looks on so far, needed or not */
	NodeNeed				need;
	MemoryContext			memory;

	/* running */
	Rows *rows[2]; /* the block's, and the one's before */
	bool  started;
	bool  at_end;	   /* there are no more rows to pull, */
	bool  child_ended; /* and the child must not be asked again */
	int64 want;		   /* rows of the next block: few at first, for those who stop early, */
	int64 most;		   /* and at most so many */
	int64 capacity;	   /* of head and peer */
	Block block;

	/* input that is not in order: in memory, or, beyond the budget, in runs on disk */
	Rows		*all;
	uint32		*order; /* which of them comes when, */
	bool		*heads; /* and the marks, by place */
	bool		*peers;
	int64		 next; /* the next of those */
	struct Runs *runs;

	/* for EXPLAIN */
	Watch *watch;	  /* NULL: without ANALYZE */
	int	   sort_bits; /* of packed keys; 0: they were compared */
	int64  blocks;
	Size   most_bytes;
	int64  spilled_kb; /* on disk */
} BlockReader;

/* pull.c: finds the shortest way to the child's rows, of which the columns are known. */
extern void pull_begin(BlockReader *reader);

/*
 * Appends the child's next rows, at most `most` of them, or fewer where they are
 * large; 0: there are no more.
 */
extern int64 pull_rows(BlockReader *reader, Rows *rows, int64 most);

/* sorted.c: pulls and sorts the whole input; afterwards either `all` or `runs` has it. */
extern void sorted_input(BlockReader *reader);

/* The next rows of the runs, as pull_rows. */
extern int64 sorted_pull(BlockReader *reader, Rows *rows, int64 most);

/* Lets go of the input. */
extern void sorted_rewind(BlockReader *reader);

/* Asks for blocks of so many rows from the next one on; fewer come where memory is short. */
extern void block_wish(BlockReader *reader, int64 rows);

/* The next block; false when there is none. */
extern bool block_next(BlockReader *reader);

/* Begins again, at the child's first row. */
extern void block_rewind(BlockReader *reader);

/* The first row from `from` on, up to `end`, before which a block may end: a unit does. */
extern int64 block_next_unit(const Block *block, NodeNeed unit, int64 from, int64 end);

/*
 * The end of the unit (row, peer group, partition) that row i of a block is in: the row behind it.
 * Units of one row, which most peer groups are, are not worth a call.
 */
static inline int64
block_unit_end(const Block *block, NodeNeed unit, int64 i)
{
	const bool *mark = unit == NEED_PEERS ? block->peer : block->head;

	i++;
	return unit == NEED_ROW || i >= block->n || mark[i] ? i : block_next_unit(block, unit, i, block->n);
}

#endif /* SCAN_NODE_BLOCK_H */
