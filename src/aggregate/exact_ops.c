/*
 * exact_ops.c: exact_sum, exact_avg, exact_var_* and exact_stddev_* of floats, over sliding frames.
 *
 * The sums of op/moments.h take values out as exactly as they take them in.  So a row goes in once and out once
 * (add_remove.c), whatever the frame is, and the result is rounded once per row.  For WindowAgg the aggregates' own
 * functions (functions/aggregate/exact.c) do the same; here no function is called.  A kind is a MovingKind
 * (moving_kind.h), and sliding_op() of aggregate.c chooses this operation.
 */
#include "postgres.h"

#include <fenv.h>

#include "aggregate/add_remove.h"
#include "aggregate/ops.h"
#include "column/memory.h"
#include "op/moments.h"

typedef struct ExactState
{
	MovingKind	  kind;
	bool		  narrow;	   /* the values are float4 */
	bool		  with_square; /* the sum of squares is needed, for a variance */
	ContextMemory memory;
	Moments		  moments;
} ExactState;

static void
exact_start(Aggregate *aggregate)
{
	ExactState *state = (ExactState *) aggregate->state;

	state->kind = aggregate->call.moving;
	state->narrow = aggregate->result->data.length == sizeof(float4);
	state->with_square = state->kind >= MOVING_EXACT_VAR_POP;
	context_memory(&state->memory, aggregate->query);
}

/* Empties the sums, and keeps their memory. */
static void
exact_empty(Aggregate *aggregate)
{
	Moments *moments = &((ExactState *) aggregate->state)->moments;
	Moments	 empty = {0};

	empty.sum.limb = moments->sum.limb;
	empty.sum.room = moments->sum.room;
	empty.squares.limb = moments->squares.limb;
	empty.squares.room = moments->squares.room;
	*moments = empty;
}

static inline void
take_rows(Aggregate *aggregate, const Block *block, int64 from, int64 end, bool leave)
{
	ExactState *state = (ExactState *) aggregate->state;

	FOR_INTERRUPTIBLE (i, from, end)
	{
		Datum value;

		if (aggregate_value(aggregate, block, i, &value))
			moments_take(&state->moments, &state->memory.memory,
						 state->narrow ? (double) DatumGetFloat4(value) : DatumGetFloat8(value), state->with_square,
						 leave);
	}
}

static void
exact_add(Aggregate *aggregate, const Block *block, int64 from, int64 end)
{
	take_rows(aggregate, block, from, end, false);
}

static bool
exact_remove(Aggregate *aggregate, const Block *block, int64 from, int64 end)
{
	take_rows(aggregate, block, from, end, true);
	return true;
}

/* Computes the result of the aggregate's final function. */
static ScanStatus
exact_final(Aggregate *aggregate, Datum *value)
{
	const ExactState *state = (const ExactState *) aggregate->state;
	const Moments	 *m = &state->moments;
	double			  wide = 0.0;
	float			  narrow = 0.0f;
	ScanStatus		  status;

	switch (state->kind)
	{
		case MOVING_EXACT_SUM:
			status = state->narrow ? moments_sum_float4(m, &narrow) : moments_sum_float8(m, &wide);
			break;
		case MOVING_EXACT_AVG:
			status = moments_average(m, &wide);
			break;
		default:
			status = moments_variance(
				m, state->kind == MOVING_EXACT_VAR_SAMP || state->kind == MOVING_EXACT_STDDEV_SAMP,
				state->kind == MOVING_EXACT_STDDEV_POP || state->kind == MOVING_EXACT_STDDEV_SAMP, &wide);
			break;
	}
	*value = state->narrow ? Float4GetDatum(narrow) : Float8GetDatum(wide);
	return status;
}

static int64
exact_rows(Aggregate *aggregate, const Block *block, int64 done)
{
	/* the sums are integers, but float4 and double are converted into each other: no denormal may be flushed to zero */
	fesetenv(FE_DFL_ENV);
	return add_remove_rows(aggregate, block, done);
}

const AggregateOp aggregate_op_exact = {.method = "exact sums",
										.traits = AGGREGATE_REMOVES_ANY,
										.state_size = sizeof(ExactState),
										.start = exact_start,
										.empty = exact_empty,
										.add = exact_add,
										.remove = exact_remove,
										.final = exact_final,
										.sliding = exact_rows};
