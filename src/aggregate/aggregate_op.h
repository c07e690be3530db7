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
 *   values can only be joined    two_stacks.h
 *   extremes of any type         monotonic_queue.c, also for values of the row with an extreme key
 *   floats, from left to right   refold.c: many frames at once
 *   ranks of values              order_statistics.c
 *   anything else                add_remove.c: rows are added, and removed where the operation can
 *
 * Of the first three, results may come with the sort of the rows (scans.c).
 */
#ifndef SCAN_AGGREGATE_AGGREGATE_OP_H
#define SCAN_AGGREGATE_AGGREGATE_OP_H

#include "postgres.h"

#include "aggregate/moving_kind.h"
#include "column/row_function.h"
#include "column/stretch.h"
#include "op/fn.h"
#include "op/lines.h"

typedef struct Aggregate		   Aggregate;
typedef struct AggregateComponents AggregateComponents; /* internal.h */
struct NumberState;										/* number_op.h */

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
	bool		partial;	   /* core combines its transition value with others, and finishes it (partial.c) */
	int			arguments;
	const Oid  *type;	  /* of each argument */
	double		fraction; /* of a percentile: the second argument; 0.5: there is none; negative: no valid constant */
	const text *method;	  /* of time_average: the third argument; NULL: there is none, or it is no constant */
} AggregateCall;

/* What an operation can do, or is: a set of bits. */
typedef enum AggregateTraits
{
	AGGREGATE_MAY_FAIL = 1,	   /* there may be errors: without final_is_safe, results are computed when they are due */
	AGGREGATE_ZERO = 2,		   /* the result of no values is a value, not NULL */
	AGGREGATE_MEAN = 4,		   /* final divides by the number of values */
	AGGREGATE_REMOVES_ANY = 8, /* remove takes any row out that add has taken in, and never fails */
	AGGREGATE_READS_ALL = 16,  /* sliding reads the rows of all frames at a block's first row: no row may come later */
	AGGREGATE_FLOAT_MODE = 32, /* rows are evaluated in the default mode of floats, whatever mode a library has set */
} AggregateTraits;

typedef struct AggregateOp
{
	const char *method;		/* RowFunction.method, unless `start` sets another one */
	int			traits;		/* AggregateTraits */
	Size		state_size; /* bytes of the state, which are zero at first */

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
	 * Returns what the result column stores for the result of some values: the value itself or, where it is not passed
	 * by value, its offset in the column's arena, in which the function has made it.  NULL: the state is no
	 * NumberState, or `final` makes the result.
	 */
	Datum (*put)(ResultColumn *result, struct NumberState *state);

	/*
	 * True if `final` raises no error itself in the present state, though the operation may fail; add_remove.c and
	 * running.c then compute results ahead.  NULL: it may.  `add` and `remove` of such an operation never raise an
	 * error.
	 */
	bool (*final_is_safe)(const Aggregate *aggregate);

	/*
	 * Called only if NEEDS_SAVED_STATE is set at the start.  NULL: the operation is not chosen then.  A state over
	 * sliding frames is never saved.
	 */
	CarryState carry;

	/* the strategies */
	EvaluateRows running; /* evaluates frames that do not slide; NULL: call.c does */
	EvaluateRows sliding; /* evaluates frames that slide; NULL: monotonic_queue.c or call.c does */
} AggregateOp;

struct Aggregate
{
	RowFunction f; /* must be first; `evaluate` runs `strategy`, and `state` is the operation's */

	/* set by the caller of aggregate_start() */
	AggregateCall call;

	/* set by aggregate_start() */
	const AggregateOp		  *op;
	EvaluateRows			   strategy;	  /* runs in scratch memory, which is reset afterwards */
	const AggregateComponents *components;	  /* NULL: the query names no aggregate, and no function of one is called */
	void					  *sliding_state; /* of the strategy for sliding frames; NULL: none yet */

	/* set by running.c: 1 + the row whose unit has gone in, though its result was not due; 0: there is none */
	int64 added;

	struct ScanCarry *scan_carry[2]; /* where the scans with the sort begin (scans.c); NULL: there are none */
};

/* Returns the aggregate of which f is the first member. */
static inline Aggregate *
aggregate_of(RowFunction *f)
{
	return (Aggregate *) f;
}

/* ---- the rows that go in ---- */

/*
 * Fetches the first argument at row i, if there are arguments.  Returns false if it is NULL or the FILTER rejects the
 * row.
 */
static pg_attribute_always_inline bool
aggregate_value(const Aggregate *aggregate, const Block *block, int64 i, Datum *value)
{
	bool isnull = false;

	*value = 0;
	if (!row_filter(&aggregate->f, block, i))
		return false;
	if (aggregate->f.arguments > 0)
		*value = row_argument(&aggregate->f, block, 0, i, &isnull);
	return !isnull;
}

/* ---- aggregate.c: evaluates an aggregate over the rows of blocks, for the nodes and array_moving_* ---- */

/*
 * Finds the operation and the strategy, and sets the members of aggregate->f that evaluate rows.  The caller has set
 * what comes before them, and has begun the result.
 */
extern void aggregate_start(Aggregate *aggregate);

/* ---- partial.c: transition values that core's own aggregation combines with those of other processes ---- */

/* Computes the transition value of the rows so far, in the current context: SCAN_OK, or SCAN_NULL. */
typedef ScanStatus (*PartialResult)(Aggregate *aggregate, Datum *value);

/*
 * Returns the function that computes what core's partial aggregation would return, for a stock aggregate, or one of
 * ours of that kind, whose transition value is not its result; NULL: there is none.  The frames of the aggregate do not
 * slide.
 */
extern PartialResult aggregate_partial_result(Oid aggregate, MovingKind kind);

#endif /* SCAN_AGGREGATE_AGGREGATE_OP_H */
