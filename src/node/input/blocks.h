/*
 * blocks.h: what fills blocks of rows, what their frames are, and which ranges of the window order processes share: the
 * parts of a BlockReader (block_reader.h).
 */
#ifndef SCAN_NODE_INPUT_BLOCKS_H
#define SCAN_NODE_INPUT_BLOCKS_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/execnodes.h"

#include "column/block.h"
#include "column/rows.h"
#include "column/type.h"
#include "exchange/exchange.h"
#include "node/input/sorting.h"
#include "sort/order.h"

/* ---- what functions need: what the functions of a window ask of the input, all of them together ---- */

/* exec/begin.c fills it in.  Blocks have to hold that much around their rows, and ranges hand that much over. */

typedef struct FunctionNeeds
{
	int	  flags;		/* RowNeeds of any function; NEEDS_BOUNDS also if only errors of the frame's offsets are left */
	int64 before;		/* the most rows that a function looks back at */
	int64 after;		/* the most rows that a function looks ahead at */
	Size  result_bytes; /* of all functions' results for one row */
} FunctionNeeds;

/* ---- frames: what frame.c has to know of a window's frame: its definition, and how far it has come ---- */

/* A BlockReader (block_reader.h) owns one; ranges and blocks read it. */

/* The start or the end of the frame. */
typedef struct FrameEnd
{
	ExprState	*expr;		/* computes the offset; NULL: UNBOUNDED or CURRENT ROW */
	bool		 preceding; /* the offset is PRECEDING */
	ColumnFormat format;	/* of the offset's type */
	Datum		 offset;	/* a copy in the query's memory */
	FmgrInfo	 in_range;	/* RANGE: the function of the order's type */
	bool		 subtract;	/* the fourth argument of in_range */
	bool		 less;		/* the fifth argument of in_range */
	bool		 proven;	/* in_range is known to accept the offset: an error could only come from a value */

	/* running, for the row whose frame was computed last */
	int64 row;	 /* position in the input: the frame's first row, or the row after its last one */
	int64 group; /* GROUPS: the position of `row`'s peer group in the partition */
} FrameEnd;

typedef struct Frame
{
	int				options; /* FRAMEOPTION_*; only these are set unless NEEDS_BOUNDS */
	FrameEnd		start, end;
	int				column; /* RANGE with an offset: the column that rows are ordered by */
	const TypeInfo *type;	/* RANGE with an offset: the type that its in_range function is about */
	ColumnFormat	format; /* of `column` */
	Oid				collation;
	bool			nulls_first;

	/* running; positions are positions in the input, `row` is the row whose frame was computed last */
	bool  started;	 /* the offsets are known */
	bool  in_ranges; /* RANGE with an offset: in_range may be called */
	int64 partition; /* position of the first row of row's partition */
	int64 known;	 /* the partition is known to have all rows before this position */
	bool  ends;		 /* the partition ends before position `known` */
	int64 group;	 /* the position of row's peer group in the partition */
	int64 peers;	 /* position of the first row of row's peer group */
	int64 peers_end; /* position after row's last known peer; find_peers_end() moves it to the group's end */
	int64 kept;		 /* position of the first row that later frames, or functions, may look at */
	int64 reach;	 /* rows that the last block needed before its end or after it: the larger of both numbers */
	struct BlockInput *input;	 /* more rows of the block come from here */
	int64			   capacity; /* rows that the array `row` has memory for */
	RowFrame		  *row;		 /* the frame of each row of the block */
	Pool			  *pool;	 /* the memory of the array */
} Frame;

/* ---- what fills blocks ---- */

/*
 * What a block is filled from: rows that stream (stream_block.c), or rows sorted in memory (sorted_block.c).
 *
 * block_reader.c decides where a block ends, in one loop over the methods below, and frame.c reads more rows through
 * them.  "The next rows" are those after the last block's end, which no block has emitted.
 */

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
	return Max(n + input->needs->after, input->needs->flags & NEEDS_BOUNDS ? input->frame->known - first : 0);
}

/* Returns the bytes of a row in a block, with its boundaries, results and frame. */
static inline Size
block_input_row_bytes(const BlockInput *input)
{
	const Rows *rows = input->buffer[0].rows;

	return rows_row_bytes(rows) + rows->small_bytes + 2 * sizeof(bool) + input->needs->result_bytes +
		   (input->needs->flags & NEEDS_BOUNDS ? sizeof(RowFrame) : 0);
}

/* ---- stream_block.c ---- */

/* Fills blocks with rows that stream in window order: the child's, or those of a sort on disk. */

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

/* ---- sorted_block.c: fills blocks with rows that were sorted in memory ---- */

typedef struct SortedBlocks
{
	BlockInput	  input;
	const Sorted *sorted;

	/* running: positions in the order of the sorted rows */
	int64 next; /* the block's first row */
	int64 end;	/* after the last row that is emitted; the rows behind are left to another range */
} SortedBlocks;

/* Begins; `input` has all but the methods and the block. */
extern void sorted_blocks_begin(SortedBlocks *blocks, BlockInput input, const Sorted *sorted);

/* Begins with rows that have just been sorted, and emits those at positions `first` to end - 1. */
extern void sorted_blocks_use(SortedBlocks *blocks, int64 first, int64 end);

/* Forgets the sorted rows.  Called before or after they are freed. */
extern void sorted_blocks_rewind(SortedBlocks *blocks);

/* ---- overlap.c: finds the rows of a range, and before it, that the next range of the window order needs ---- */

/* Positions in the order. */
typedef struct Overlap
{
	int64 end;	  /* the first row that is left to the next range, since it looks ahead at rows there */
	int64 needed; /* the first row that rows from `end` on look back at; negative: it may come before position 0 */
} Overlap;

/*
 * Finds the overlap of the rows from position `first` of the order on, with the next range.  They look at the rows that
 * functions need, and those of their frames.
 */
extern Overlap overlap_find(const Rows *rows, const SortOrder *order, Frame *frame, const FunctionNeeds *needs,
							int64 first);

/* ---- rows_in_order.c ---- */

/*
 * Rows that a process reads in window order, for ranges: they are cut, not repartitioned.
 *
 * order_ranges.c offers the rows that its process reads as long as they are in order, and cuts them into ranges by
 * bisection.  Whoever takes a range merges the parts of all processes.
 */

/* The rows of this process that are in order. */
typedef struct InOrder
{
	Ordered			 *ordered;
	const WindowKeys *keys;
	Rows			 *first; /* the first row of each piece */
	Rows			 *last;	 /* row 0: the last row; none before the first piece */
} InOrder;

extern void in_order_begin(InOrder *in_order, Ordered *ordered, Sorted *sorted);

/* Keeps some rows, if they are in order and not before those that were kept; false: none was kept. */
extern bool in_order_keep(InOrder *in_order, const Rows *rows);

/* Cuts the rows into ranges: each but the first begins with one of the rows of `splitters`, which are in order. */
extern void in_order_cut(InOrder *in_order, Sorted *sorted, const Rows *splitters);

extern void in_order_end(InOrder *in_order);

/* A process's rows in the range that was taken. */
typedef struct RangePart
{
	int64 next; /* the next row to be taken; rows are numbered as in Ordered */
	int64 end;
	int64 first; /* the number of the first row of `rows` */
	Rows *rows;	 /* the rows that were put together with row `next`; NULL: none are there */
} RangePart;

/* The rows in order of a range, of all processes. */
typedef struct RangeMerge
{
	int		   parts;
	RangePart *part; /* NULL: nothing was set up */
} RangeMerge;

/* Begins with the rows of a range, of which each of `processes` processes may have some; returns how many they are. */
extern int64 range_merge_begin(RangeMerge *merge, const Ordered *ordered, int processes, int range,
							   const Sorted *sorted);

/* Appends some of the next rows in order; false: there are none. */
extern bool range_merge_append(RangeMerge *merge, Ordered *ordered, const WindowKeys *keys, Rows *rows);

/* Frees the rows. */
extern void range_merge_end(RangeMerge *merge);

/* ---- order_ranges.c ---- */

/* Divides a window's rows into ranges of the window order, which several processes compute. */

typedef struct Ranges
{
	Repartition	  *repartition;
	Sorted		  *sorted; /* the rows of the range that was taken */
	Frame		  *frame;
	FunctionNeeds *needs;

	/* running, for the range that was taken; positions are positions in its order */
	int	  before; /* the range that emits the row before this range's first; -1: none */
	int64 first;  /* position of the first row that this range emits */
	int64 end;	  /* position of the first row that is left to the next range */

	RangeMerge merge; /* its rows that came in order */
} Ranges;

/* Sees to it that blocks have the rows that a range needs of the range before. */
extern void ranges_begin(Ranges *ranges);

/* Repartitions all rows that this process reads to ranges.  Returns when all processes have repartitioned theirs. */
extern void ranges_repartition(Ranges *ranges);

/* Called when a range has been taken: returns where its rows come from. */
extern RowSource ranges_rows(Ranges *ranges);

/* Called before what the processes share is released, or forgotten. */
extern void ranges_leave(Ranges *ranges);

/*
 * Called when a range has been taken and sorted: takes over the rows that it needs of the range before, for which it
 * may wait, and hands its last rows over to the next range.
 */
extern void ranges_join(Ranges *ranges);

/*
 * Points `states` at the functions' states before the first row of the range, for which it may wait; false: the range
 * is the first one.  The bytes are valid until the next handoff is taken; states->len is not set.
 */
extern bool ranges_take_states(const Ranges *ranges, StringInfo states);

/* Hands the functions' states after the last row of the range over to the next range. */
extern void ranges_hand_states_over(Ranges *ranges, const StringInfoData *states);

/* ---- shared_input.c ---- */

/*
 * Input that several processes read: each repartitions its rows, and then takes batches of all rows.
 *
 * Each process runs the same plan.  Rows are repartitioned (exchange/exchange.h) by their partition, so that a batch
 * has whole partitions, or to ranges of the window order (order_ranges.c).  A batch is an input of its own: it is
 * sorted, and makes blocks.  exec/parallel.c says what the processes share.
 */

typedef struct SharedInput
{
	Repartition			 *repartition; /* NULL: this process alone reads the input */
	const RepartitionKey *key;		   /* one for each key of the partition; NULL if range partitioned */
	bool				  range_partitioned;
	Ranges				  ranges;
	Sorted				 *sorted;
} SharedInput;

/* Begins, without other processes.  What ranges share depends on `frame` and `needs`. */
extern void shared_input_begin(SharedInput *shared, Sorted *sorted, Frame *frame, FunctionNeeds *needs);

/* Begins to share the input; `key`: as above. */
extern void shared_input_join(SharedInput *shared, Repartition *repartition, const RepartitionKey *key);

/* Called before what the processes share is released. */
extern void shared_input_leave(SharedInput *shared);

/* Repartitions all rows that this process reads.  Returns when all processes have repartitioned theirs. */
extern void shared_input_repartition(SharedInput *shared);

/* Takes and sorts the next batch, as shared->sorted; false: there is none.  The last batch has been forgotten. */
extern bool shared_input_next(SharedInput *shared);

/* Begins again. */
extern void shared_input_rewind(SharedInput *shared);

/* ---- frame.c: computes sliding frames: which rows a function looks at for each row of a block ---- */

/*
 * exec/begin.c fills in what is fixed, the reader has the frames of a block computed, and evaluate/ reads them.  A
 * frame that begins with its partition and ends with the row, its last peer or the partition does not slide, and needs
 * nothing from here.
 */

/* Computes the offsets, before the first row is read.  Raises core's errors for an offset that is NULL or negative. */
extern void frame_start(Frame *frame, ExprContext *econtext);

/*
 * Returns how many rows every frame has, partition's ends aside, if that is one number: for ROWS between two offsets or
 * the current row.  Else returns 0.  The offsets must be known.
 */
extern int64 frame_rows(const Frame *frame);

/*
 * Computes the frames of input->block's rows up to row n - 1, and reads more rows where frames reach them.  Returns n,
 * or, with `may_end`, an earlier row where the block must end: the bounds of this row may raise an error, which must
 * not come up before the rows before it have been emitted.
 */
extern int64 frame_block(BlockInput *input, int64 n, bool may_end);

/* True if the bounds of the block's rows up to row n - 1 may raise an error: the block should be one that may end. */
extern bool frame_may_fail(const Frame *frame, const Block *block, int64 n);

#endif /* SCAN_NODE_INPUT_BLOCKS_H */
