/*
 * aggregate_op.h: an aggregate over the rows of blocks: an operation, and what evaluates it.
 *
 * The plan node (node/evaluate/aggregate_function.c) has an Aggregate for each aggregate of a window, and
 * array_moving_* (functions/array/array_moving.c) one over the elements of an array.  Both describe what is called in
 * an AggregateCall and what the frames are like.  aggregate_start() finds the operation (AggregateOp): a stock
 * aggregate by its OID, from op/list.h; ours by their kind; min and max of any type by their order; everything else is
 * an operation whose state is a Datum, changed by the aggregate's own functions (call.c).
 *
 * An AggregateOp is what the strategies know of an aggregate.  A strategy computes results over one kind of frames:
 *
 *   frames that only grow        running.c, by the operation's typed loop (typed_loop.h) where it has one
 *   integers are added up        prefix_difference.c: a frame is a difference of two sums
 *   values can only be joined    two_scans.h for frames of one length, segment_tree.h for all others
 *   extremes of any type         monotonic_queue.c
 *   floats, from left to right   refold.c: many frames at once
 *   ranks of values              order_statistics.c
 *   anything else                add_remove.c: rows are added, and removed where the operation can
 *
 * Jobs evaluate the first three where they are faster (scans.c, run/sliding_scans.h).
 */
#ifndef SCAN_AGGREGATE_AGGREGATE_OP_H
#define SCAN_AGGREGATE_AGGREGATE_OP_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "aggregate/moving_kind.h"
#include "column/block.h"
#include "column/result_column.h"
#include "column/stretch.h"
#include "op/fn.h"
#include "op/lines.h"

typedef struct Aggregate		   Aggregate;
typedef struct AggregateComponents AggregateComponents; /* components.h */
typedef struct RunningScan		   RunningScan;			/* scans.c */

/* What is called. */
typedef struct AggregateCall
{
	Oid			called; /* the aggregate that the query names; InvalidOid: it names none */
	Oid			oid; /* it, or the stock one that it is; InvalidOid: `moving` or `sort_operator` says what is called */
	MovingKind	moving;		   /* the statistic, if the aggregate is one of ours that has an operation */
	ScanOpId	line;		   /* the binding by which a job may scan; SCAN_OP_none: a job cannot */
	Oid			sort_operator; /* the result is the first value in this order; else InvalidOid */
	Oid			collation;	   /* of the arguments */
	Oid			result;		   /* the type of the result */
	int			arguments;
	const Oid  *type;	  /* of each argument */
	double		fraction; /* of a percentile: the second argument; 0.5: there is none; negative: no valid constant */
	const text *method;	  /* of time_average: the third argument; NULL: there is none, or it is no constant */
} AggregateCall;

/* Evaluates rows from `done` on, at least one and at most to the block's end; returns the row after the last one. */
typedef int64 (*AggregateRows)(Aggregate *aggregate, const Block *block, int64 done);

/* What an operation can do, or is: a set of bits. */
typedef enum AggregateTraits
{
	AGGREGATE_MAY_FAIL = 1,	   /* add or final may raise an error: results are computed one by one, when they are due */
	AGGREGATE_ZERO = 2,		   /* the result of no values is a value, not NULL */
	AGGREGATE_MEAN = 4,		   /* final divides by the number of values */
	AGGREGATE_REMOVES_ANY = 8, /* remove takes any row out that add has taken in, and never fails */
} AggregateTraits;

typedef struct AggregateOp
{
	const char *method;		/* Aggregate.method, unless `start` sets another one */
	int			traits;		/* AggregateTraits */
	Size		state_size; /* bytes of aggregate->state, which are zero at first */

	/* Prepares what outlives a partition.  NULL: there is nothing to prepare. */
	void (*start)(Aggregate *aggregate);

	/* Makes the state that of no rows. */
	void (*empty)(Aggregate *aggregate);

	/* Takes rows `from` to `end` - 1 in, from left to right.  It runs in scratch memory. */
	void (*add)(Aggregate *aggregate, const Block *block, int64 from, int64 end);

	/*
	 * Takes rows out, from left to right.  Returns false if it cannot, and then the state has to begin anew.  NULL: no
	 * row can be taken out.
	 */
	bool (*remove)(Aggregate *aggregate, const Block *block, int64 from, int64 end);

	/* Computes the result: SCAN_OK, SCAN_NULL, or the status of an error that is to be raised at its row. */
	ScanStatus (*final)(Aggregate *aggregate, Datum *value);

	/*
	 * save writes the state to bytes; restore reads it from there, in another process.  Called only if `saves` was set
	 * at the start.  NULL: `running` is NULL too, since a state over sliding frames is never saved.
	 */
	void (*save)(Aggregate *aggregate, StringInfo bytes);
	void (*restore)(Aggregate *aggregate, StringInfo bytes);

	AggregateRows running; /* evaluates frames that do not slide; NULL: call.c does */
	AggregateRows sliding; /* evaluates frames that slide; NULL: monotonic_queue.c or call.c does */
} AggregateOp;

struct Aggregate
{
	/* set by the caller of aggregate_start() */
	AggregateCall call;
	Lookahead	  lookahead; /* frames that do not slide: the unit that shares a result */
	bool		  sliding;	 /* the frames slide: Block.frame has them */
	bool		  inverts;	 /* the frames slide, and rows leave them at the start */
	bool		  excludes;	 /* the frames slide, and there is an EXCLUDE clause */
	bool		  saves;	 /* the state may be saved: another process continues from it */
	const int	 *argument;	 /* the block's column of each argument */
	int			  filter;	 /* the block's column of the FILTER's value, or -1 */
	MemoryContext query;	 /* memory that lives as long as the aggregate */
	MemoryContext partition; /* memory of the state; reset when the state begins anew */
	MemoryContext scratch;	 /* memory that is reset after each row, or some rows */
	ResultColumn *result;
	int64		  frame_rows; /* rows of every frame, unless its partition cuts it; 0: unknown, or they differ */

	/*
	 * Arguments that are computed when they are asked for, since they may raise an error: returns argument `argument`
	 * at row i, or the FILTER's value for argument -1.  NULL: all are columns.
	 */
	Datum (*late)(void *from, const Block *block, int argument, int64 i, bool *isnull);
	void *late_from;   /* its first argument */
	bool  late_filter; /* the FILTER is such an argument */

	/* the scans that ran with the sort of all rows, with their answers; NULL: none */
	const struct SortedScan *answers;
	bool					 counts; /* these results lack the number of rows that went in, which has to be counted */

	/* set by aggregate_start() */
	const AggregateOp		  *op;
	const AggregateComponents *components; /* NULL: the query names no aggregate, and no function of one is called */
	const char				  *method;	   /* how results over sliding frames are computed, for EXPLAIN */
	void					  *state;
	AggregateRows			   rows; /* how the current block's rows are evaluated */
	AggregateRows (*begin)(Aggregate *aggregate, const Block *block, int64 done); /* chooses `rows` for a block */
	/*
	 * Describes the scan over all rows whose results are the aggregate's, or determine them; two scans for tiles.
	 * Returns false if there is none.  NULL: there never is.  Sets `counts`.
	 */
	bool (*offer)(Aggregate *aggregate, struct SortedScan *scan);

	void *sliding_state;  /* of the strategy for sliding frames; NULL: none yet */
	int64 preferred_rows; /* rows that a block should have, for jobs; 0: not known yet */

	/* of frames that only grow, and of frames that slide; NULL: no scan gives the results */
	RunningScan			*running_scan;
	struct SlidingScans *sliding_scans;
};

/* ---- the rows that go in ---- */

static inline const Column *
aggregate_column(const Aggregate *aggregate, const Block *block, int argument)
{
	return &block->rows->column[aggregate->argument[argument]].data;
}

/* True if row i passes the FILTER, or if there is none. */
static inline bool
aggregate_filter(const Aggregate *aggregate, const Block *block, int64 i)
{
	bool  isnull;
	Datum pass;

	if (aggregate->filter >= 0)
		pass = column_get(&block->rows->column[aggregate->filter].data, i, &isnull);
	else if (unlikely(aggregate->late_filter))
		pass = aggregate->late(aggregate->late_from, block, -1, i, &isnull);
	else
		return true;
	return !isnull && DatumGetBool(pass);
}

/* Returns an argument's value at row i.  A late argument's value is valid until another row is read. */
static inline Datum
aggregate_argument(const Aggregate *aggregate, const Block *block, int argument, int64 i, bool *isnull)
{
	if (unlikely(aggregate->late != NULL))
		return aggregate->late(aggregate->late_from, block, argument, i, isnull);
	return column_get(aggregate_column(aggregate, block, argument), i, isnull);
}

/*
 * Fetches the first argument at row i, if there are arguments.  Returns false if it is NULL or the FILTER rejects the
 * row.
 */
static inline bool
aggregate_value(const Aggregate *aggregate, const Block *block, int64 i, Datum *value)
{
	bool isnull = false;

	*value = 0;
	if (!aggregate_filter(aggregate, block, i))
		return false;
	if (aggregate->call.arguments > 0)
		*value = aggregate_argument(aggregate, block, 0, i, &isnull);
	return !isnull;
}

/*
 * Returns the row at which one call of AggregateRows should stop, or at the end of the unit that this row is in: the
 * block's end, but at most BLOCK_MAX_ROWS rows further where each result takes memory in the arena.  It should stop
 * earlier once result_column_is_full().
 */
static inline int64
aggregate_stop(const Aggregate *aggregate, const Block *block, int64 done)
{
	return aggregate->result->data.by_value ? block->n : Min(block->n, done + BLOCK_MAX_ROWS);
}

#endif /* SCAN_AGGREGATE_AGGREGATE_OP_H */
