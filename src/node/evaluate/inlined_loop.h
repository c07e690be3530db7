/*
 * inlined_loop.h: the loop of stock aggregates that run without the function manager.
 *
 * Used by inlined.c, numeric.c (numerics) and refold.c (variances), which define the aggregates.  An aggregate is a
 * transition, which takes a value in, and a final function, which returns the result so far.  INLINED makes an
 * Evaluate function of the two, with both inlined into the one loop.  op/list.h has the table of all of them.
 */
#ifndef SCAN_NODE_EVALUATE_INLINED_LOOP_H
#define SCAN_NODE_EVALUATE_INLINED_LOOP_H

#include "postgres.h"

#include "utils/timestamp.h"

#include "column/decimal_sum.h"
#include "column/retained.h"
#include "column/stretch.h"
#include "node/evaluate/function.h"

/* The transition value of core's float8_accum without the count. */
typedef struct MomentsState
{
	float8 sum;
	float8 squares; /* sum of squared distances from the mean: only its overflow matters */
} MomentsState;

typedef struct InlinedState
{
	/* the partition's transition value: zero bytes at its head */
	int64 count; /* number of values that have gone in */
	union
	{
		int128		 wide;
		int64		 integer;
		float8		 real;
		float4		 narrow;
		Datum		 datum;
		MomentsState moments;
		Interval	 span;
	} total;

	/* the members below outlive the partition */
	NodeFunction		 *f;
	const struct Inlined *aggregate;
	RetainedDatum		  retained; /* the value so far, where it is not passed by value */
	DecimalSum			  numeric;	/* the sum of numerics; its first value clears it */
	void				 *stock;	/* offload.c's; NULL: none */
	void				 *moving;	/* prefix_difference.c's, refold.c's or segment_tree.h's; NULL: none yet */
	struct MovingJobs	 *jobs;		/* moving_job.c's; NULL: it runs no jobs */
} InlinedState;

typedef void (*InlinedTransition)(InlinedState *state, Datum value);
typedef Datum (*InlinedFinal)(InlinedState *state);

/* How an aggregate runs: a set of bits. */
typedef enum InlinedMode
{
	INLINED_BLOCK = 0, /* one call evaluates all units to the end of the block */
	INLINED_UNIT = 1,  /* one call evaluates one unit, since a transition may raise an error */
	INLINED_ZERO = 2,  /* without values the result is the final function's, not NULL */
	INLINED_MEAN = 4   /* the final function divides by how many values went in */
} InlinedMode;

/* A way to evaluate an aggregate. */
typedef struct Inlined
{
	Evaluate		  evaluate; /* over frames that do not slide; NULL: aggregate.c evaluates them */
	InlinedTransition transition;
	InlinedFinal	  final;
	Evaluate		  moving;	/* over sliding frames; NULL: aggregate.c evaluates them */
	const char		 *method;	/* how `moving` works, for EXPLAIN */
	bool			  counts;	/* without values the result is the final function's, not NULL */
	bool			  averages; /* the final function divides by how many values went in */
} Inlined;

static inline void
inlined_start_partition(InlinedState *state)
{
	memset(state, 0, offsetof(InlinedState, f));
}

static pg_attribute_always_inline void
inlined_row(NodeFunction *f, InlinedState *state, const Block *block, int64 i, InlinedTransition transition)
{
	Datum value = 0;
	bool  isnull = false;

	if (block->head[i])
		inlined_start_partition(state);
	if (!node_filter(f, block, i))
		return;
	if (f->arguments > 0)
		value = node_argument(f, block, 0, i, &isnull);
	if (!isnull)
	{
		transition(state, value);
		state->count++;
	}
}

/* Evaluates units to the end of the block, or one unit; returns the row after the last one evaluated. */
static pg_attribute_always_inline int64
inlined_evaluate(NodeFunction *f, const Block *block, int64 done, InlinedTransition transition, InlinedFinal final,
				 int mode)
{
	InlinedState *state = (InlinedState *) f->state;
	bool		  one = (mode & INLINED_UNIT) != 0 || f->deferred_row != NULL;
	bool		  known = block->accumulated[f->info.lookahead];
	int64		  stop = one ? done + 1 : node_stop(f, block, done);
	MemoryContext old = MemoryContextSwitchTo(f->scratch);

	do
	{
		int64 from = done;
		int64 end = block_result_end(block, f->info.lookahead, done);
		bool  isnull;
		Datum value;

		FOR_INTERRUPTIBLE (i, known ? end : done, end)
			inlined_row(f, state, block, i, transition);
		done = end;
		isnull = (mode & INLINED_ZERO) == 0 && state->count == 0;
		value = isnull ? (Datum) 0 : final(state);
		node_put_rows(f, from, end, value, isnull);
	} while (done < stop);
	MemoryContextSwitchTo(old);
	MemoryContextReset(f->scratch);
	return done;
}

/* The description of an aggregate that has an Evaluate of its name. */
#define INLINED_LINE(STORAGE, NAME, TRANSITION, FINAL, MODE, MOVING, METHOD)                              \
	STORAGE const Inlined inlined_##NAME = {                                                              \
		inlined_evaluate_##NAME,		  transition_##TRANSITION,		   final_##FINAL, MOVING, METHOD, \
		((int) MODE & INLINED_ZERO) != 0, ((int) MODE & INLINED_MEAN) != 0};

#define INLINED_MOVING(STORAGE, NAME, TRANSITION, FINAL, MODE, MOVING, METHOD)                       \
	static int64 inlined_evaluate_##NAME(NodeFunction *f, const Block *block, int64 done)            \
	{                                                                                                \
		return inlined_evaluate(f, block, done, transition_##TRANSITION, final_##FINAL, (int) MODE); \
	}                                                                                                \
	INLINED_LINE(STORAGE, NAME, TRANSITION, FINAL, MODE, MOVING, METHOD)

#define INLINED(STORAGE, NAME, TRANSITION, FINAL, MODE) \
	INLINED_MOVING(STORAGE, NAME, TRANSITION, FINAL, MODE, NULL, NULL)

/* refold.c */
extern const Inlined inlined_var_pop_float4;
extern const Inlined inlined_var_pop_float8;
extern const Inlined inlined_var_samp_float4;
extern const Inlined inlined_var_samp_float8;
extern const Inlined inlined_stddev_pop_float4;
extern const Inlined inlined_stddev_pop_float8;
extern const Inlined inlined_stddev_samp_float4;
extern const Inlined inlined_stddev_samp_float8;

/* numeric.c */
extern const Inlined inlined_sum_numeric;
extern const Inlined inlined_avg_numeric;
extern const Inlined inlined_min_numeric;
extern const Inlined inlined_max_numeric;

#endif /* SCAN_NODE_EVALUATE_INLINED_LOOP_H */
