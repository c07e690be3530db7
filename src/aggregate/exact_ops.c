/*
 * exact_ops.c: the aggregates exact_* of floats, over sliding frames.
 *
 * The sums of op/moments.h, op/pairs.h and op/powers.h take values out as exactly as they take them in.  So a row goes
 * in once and out once (add_remove.c), whatever the frame is, and the result is rounded once per row.  For WindowAgg
 * the aggregates' own functions (functions/aggregate/exact.c, exact_pairs.c, exact_powers.c) do the same; here no
 * function is called.  A kind is a MovingKind (moving_kind.h), and sliding_op() of aggregate.c chooses this operation.
 */
#include "postgres.h"

#include <fenv.h>

#include "catalog/pg_type.h"

#include "aggregate/internal.h"
#include "column/memory.h"
#include "op/pairs.h"
#include "op/powers.h"

typedef struct ExactState
{
	MovingKind	  kind;
	bool		  narrow;		/* the values are float4 */
	bool		  with_square;	/* the sum of squares is needed, for a variance */
	bool		  of_pairs;		/* the arguments are y and x; else one value */
	bool		  by_position;	/* the argument is one value, whose position is x of a pair */
	bool		  of_powers;	/* the argument is one value, of which `powers` are needed */
	bool		  y_is_integer; /* the first argument is an int8; else a float8 */
	bool		  x_is_integer; /* of pairs: the second one */
	int			  squares;		/* of pairs: which sums of squares are needed */
	ContextMemory memory;
	Pairs		  pairs; /* of single values, the moments of x alone */
	Powers		  powers;
} ExactState;

static void
exact_start(Aggregate *aggregate)
{
	ExactState *state = (ExactState *) aggregate->f.state;
	MovingKind	kind = aggregate->call.moving;
	bool		of_pairs = kind >= MOVING_EXACT_WEIGHTED_AVG && kind <= MOVING_EXACT_REGR_R2;

	*state = (ExactState){.kind = kind,
						  .narrow = aggregate->f.result.data.length == sizeof(float4),
						  .with_square = kind >= MOVING_EXACT_VAR_POP,
						  .of_pairs = of_pairs,
						  .by_position = kind == MOVING_EXACT_POSITION_AVG,
						  .of_powers = kind >= MOVING_EXACT_SKEWNESS,
						  .y_is_integer = aggregate->call.type[0] == INT8OID,
						  .x_is_integer = of_pairs && aggregate->call.type[1] == INT8OID,
						  .squares = (kind >= MOVING_EXACT_REGR_SLOPE ? PAIRS_X_SQUARES : 0) |
									 (kind >= MOVING_EXACT_CORR ? PAIRS_Y_SQUARES : 0)};
	context_memory(&state->memory, aggregate->f.query);
}

/* Empties a sum, and keeps its memory. */
static void
long_sum_reset(LongSum *sum)
{
	sum->first = sum->n = 0;
}

static void
moments_empty(Moments *moments)
{
	Moments empty = {.sum = moments->sum, .squares = moments->squares};

	long_sum_reset(&empty.sum);
	long_sum_reset(&empty.squares);
	*moments = empty;
}

static void
exact_empty(Aggregate *aggregate)
{
	Pairs  *pairs = &((ExactState *) aggregate->f.state)->pairs;
	Powers *powers = &((ExactState *) aggregate->f.state)->powers;

	moments_empty(&pairs->x);
	moments_empty(&pairs->y);
	long_sum_reset(&pairs->products);
	moments_empty(&powers->x);
	long_sum_reset(&powers->cubes);
	long_sum_reset(&powers->fourths);
}

static inline void
take_values(Aggregate *aggregate, ExactState *state, const Block *block, int64 from, int64 end, bool leave)
{
	FOR_INTERRUPTIBLE (i, from, end)
	{
		Datum value;

		if (aggregate_value(aggregate, block, i, &value))
			moments_take(&state->pairs.x, &state->memory.memory,
						 state->narrow ? (double) DatumGetFloat4(value) : DatumGetFloat8(value), state->with_square,
						 leave);
	}
}

static inline void
take_pair(ExactState *state, Datum y, Datum x, bool leave)
{
	Pairs	   *pairs = &state->pairs;
	ScanMemory *memory = &state->memory.memory;

	if (state->y_is_integer && state->x_is_integer)
		pairs_take_integers(pairs, memory, DatumGetInt64(y), DatumGetInt64(x), state->squares, leave);
	else if (state->y_is_integer)
		pairs_take_integer_double(pairs, memory, DatumGetInt64(y), DatumGetFloat8(x), state->squares, leave);
	else if (state->x_is_integer)
		pairs_take_double_integer(pairs, memory, DatumGetFloat8(y), DatumGetInt64(x), state->squares, leave);
	else
		pairs_take(pairs, memory, DatumGetFloat8(y), DatumGetFloat8(x), state->squares, leave);
}

static inline void
take_pairs(Aggregate *aggregate, ExactState *state, const Block *block, int64 from, int64 end, bool leave)
{
	FOR_INTERRUPTIBLE (i, from, end)
	{
		Datum x, y;
		bool  isnull;

		if (!aggregate_value(aggregate, block, i, &y))
			continue;
		x = row_argument(&aggregate->f, block, 1, i, &isnull);
		if (!isnull)
			take_pair(state, y, x, leave);
	}
}

static inline void
take_positions(Aggregate *aggregate, ExactState *state, const Block *block, int64 from, int64 end, bool leave)
{
	FOR_INTERRUPTIBLE (i, from, end)
	{
		Datum y;

		if (!aggregate_value(aggregate, block, i, &y))
			continue;
		if (state->y_is_integer)
			pairs_take_integer_position(&state->pairs, &state->memory.memory, DatumGetInt64(y), leave);
		else
			pairs_take_position(&state->pairs, &state->memory.memory, DatumGetFloat8(y), leave);
	}
}

static inline void
take_powers(Aggregate *aggregate, ExactState *state, const Block *block, int64 from, int64 end, bool leave)
{
	FOR_INTERRUPTIBLE (i, from, end)
	{
		Datum value;

		if (!aggregate_value(aggregate, block, i, &value))
			continue;
		if (state->y_is_integer)
			powers_take_integer(&state->powers, &state->memory.memory, DatumGetInt64(value), leave);
		else
			powers_take(&state->powers, &state->memory.memory, DatumGetFloat8(value), leave);
	}
}

static inline void
add_or_remove_values(Aggregate *aggregate, const Block *block, int64 from, int64 end, bool leave)
{
	ExactState *state = (ExactState *) aggregate->f.state;

	if (state->of_pairs)
		take_pairs(aggregate, state, block, from, end, leave);
	else if (state->by_position)
		take_positions(aggregate, state, block, from, end, leave);
	else if (state->of_powers)
		take_powers(aggregate, state, block, from, end, leave);
	else
		take_values(aggregate, state, block, from, end, leave);
}

static void
exact_add(Aggregate *aggregate, const Block *block, int64 from, int64 end)
{
	add_or_remove_values(aggregate, block, from, end, false);
}

static bool
exact_remove(Aggregate *aggregate, const Block *block, int64 from, int64 end)
{
	add_or_remove_values(aggregate, block, from, end, true);
	return true;
}

/* Computes a result of type float8. */
static ScanStatus
wide_result(const ExactState *state, double *y)
{
	const Pairs	  *p = &state->pairs;
	const Moments *m = &p->x;

	switch (state->kind)
	{
		case MOVING_EXACT_SUM:
			return moments_sum_float8(m, y);
		case MOVING_EXACT_AVG:
			return moments_average(m, y);
		case MOVING_EXACT_POSITION_AVG:
		case MOVING_EXACT_WEIGHTED_AVG:
			return pairs_weighted_average(p, y);
		case MOVING_EXACT_COVAR_POP:
		case MOVING_EXACT_COVAR_SAMP:
			return pairs_covariance(p, state->kind == MOVING_EXACT_COVAR_SAMP, y);
		case MOVING_EXACT_REGR_SLOPE:
			return pairs_slope(p, y);
		case MOVING_EXACT_REGR_INTERCEPT:
			return pairs_intercept(p, y);
		case MOVING_EXACT_CORR:
		case MOVING_EXACT_REGR_R2:
			return pairs_correlation(p, state->kind == MOVING_EXACT_REGR_R2, y);
		case MOVING_EXACT_SKEWNESS:
		case MOVING_EXACT_SKEWNESS_POP:
			return powers_skewness(&state->powers, state->kind == MOVING_EXACT_SKEWNESS, y);
		case MOVING_EXACT_KURTOSIS:
		case MOVING_EXACT_KURTOSIS_POP:
			return powers_kurtosis(&state->powers, state->kind == MOVING_EXACT_KURTOSIS, y);
		default:
			return moments_variance(m, state->kind == MOVING_EXACT_VAR_SAMP || state->kind == MOVING_EXACT_STDDEV_SAMP,
									state->kind == MOVING_EXACT_STDDEV_POP || state->kind == MOVING_EXACT_STDDEV_SAMP,
									y);
	}
}

/* Computes the result of the aggregate's final function. */
static ScanStatus
exact_final(Aggregate *aggregate, Datum *value)
{
	const ExactState *state = (const ExactState *) aggregate->f.state;
	double			  wide = 0.0;
	float			  narrow = 0.0f;
	ScanStatus		  status;

	status = state->narrow ? moments_sum_float4(&state->pairs.x, &narrow) : wide_result(state, &wide);
	*value = state->narrow ? Float4GetDatum(narrow) : Float8GetDatum(wide);
	return status;
}

static int64
exact_rows(RowFunction *f, const Block *block, int64 done)
{
	/* the sums are integers, but float4 and double are converted into each other: no denormal may be flushed to zero */
	fesetenv(FE_DFL_ENV);
	return add_remove_rows(f, block, done);
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
