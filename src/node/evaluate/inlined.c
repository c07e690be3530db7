/*
 * inlined.c: the commonest stock aggregates without the function manager: counts, sums, averages and extremes of
 * numbers and times, bits and truth values.
 *
 * Called by dispatch.c.  Each aggregate does what core's transition and final functions do, in the same order: integer
 * sums wrap where core's wrap, float sums add from left to right and raise core's error, and of equal extremes the
 * newer one stays.  op/list.h names the aggregates by OID; any other aggregate goes through aggregate.c.  moving.h
 * says how sliding frames are evaluated.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/int.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"

#include "compat.h"
#include "error.h"
#include "node/evaluate/evaluators.h"
#include "node/evaluate/inlined_loop.h"
#include "node/evaluate/saved_state.h"
#include "node/evaluate/segment_tree.h"
#include "node/evaluate/typed.h"
#include "op/lines.h"

/* ---- counts ---- */

static void
transition_count(InlinedState *state, Datum value)
{
}

static Datum
final_count(InlinedState *state)
{
	return Int64GetDatum(state->count);
}

INLINED_TRY(count)
INLINED_TYPED(static, count_any, count, count, integer, count, INLINED_ZERO, REFERENCE, INT64, evaluate_difference,
			  "difference")

/* ---- sums ---- */

#define STEP(NAME, FIELD, FROM)                                     \
	static void transition_##NAME(InlinedState *state, Datum value) \
	{                                                               \
		state->total.FIELD += FROM(value);                          \
	}

/* sums may wrap, as core's do; sums of int4 stay below 2^63 for 2^32 rows */
STEP(sum_int2, integer, DatumGetInt16)
STEP(sum_int4, integer, DatumGetInt32)
STEP(sum_int8, wide, DatumGetInt64)
INLINED_TRY(sum_int2)
INLINED_TRY(sum_int4)
INLINED_TRY(sum_int8)

static Datum
final_integer(InlinedState *state)
{
	return Int64GetDatum(state->total.integer);
}

/* Returns an integer as a Decimal of scale 0. */
static inline Decimal
decimal_of(int128 x)
{
	Decimal decimal = {x, 0, 0};

	return decimal;
}

static Datum
final_sum_int8(InlinedState *state)
{
	Decimal total = decimal_of(state->total.wide);

	return decimal_show(&state->numeric.shown, &total);
}

INLINED_TYPED(static, sum_int2, sum_int2, sum_int2, integer, integer, INLINED_BLOCK, INT16, INT64, evaluate_difference,
			  "difference")
INLINED_TYPED(static, sum_int4, sum_int4, sum_int4, integer, integer, INLINED_BLOCK, INT32, INT64, evaluate_difference,
			  "difference")
INLINED_TYPED(static, sum_int8, sum_int8, sum_int8, wide, sum_int8, INLINED_BLOCK, INT64, REFERENCE,
			  evaluate_difference, "difference")

/*
 * The sum of two NaNs, which may differ in their signs, is the one that the compiler happens to choose.  So core's own
 * compiled functions add them.
 */
#define SUM_OF_FLOATS(TYPE, NAME, MEMBER)                                                                      \
	static void transition_sum_##TYPE(InlinedState *state, Datum value)                                        \
	{                                                                                                          \
		TYPE total = state->total.MEMBER;                                                                      \
		TYPE x = DatumGet##NAME(value);                                                                        \
                                                                                                               \
		if (state->count == 0)                                                                                 \
			state->total.MEMBER = x;                                                                           \
		else if (unlikely(isnan(total) && isnan(x)))                                                           \
			state->total.MEMBER = DatumGet##NAME(DirectFunctionCall2(TYPE##pl, NAME##GetDatum(total), value)); \
		else                                                                                                   \
			state->total.MEMBER = TYPE##_pl(total, x);                                                         \
	}                                                                                                          \
	static inline bool try_sum_##TYPE(InlinedState *state, Datum value)                                        \
	{                                                                                                          \
		TYPE total = state->total.MEMBER;                                                                      \
		TYPE x = DatumGet##NAME(value);                                                                        \
		TYPE sum = state->count == 0 ? x : total + x;                                                          \
                                                                                                               \
		if (unlikely(!isfinite(sum)) && state->count > 0 &&                                                    \
			((isnan(total) && isnan(x)) || (isinf(sum) && !isinf(total) && !isinf(x))))                        \
			return false;                                                                                      \
		state->total.MEMBER = sum;                                                                             \
		return true;                                                                                           \
	}                                                                                                          \
	static Datum final_sum_##TYPE(InlinedState *state)                                                         \
	{                                                                                                          \
		return NAME##GetDatum(state->total.MEMBER);                                                            \
	}

SUM_OF_FLOATS(float8, Float8, real)
SUM_OF_FLOATS(float4, Float4, narrow)
INLINED_TYPED(static, sum_float8, sum_float8, sum_float8, real, sum_float8, INLINED_UNIT, INT64, INT64,
			  evaluate_sum_float8, "lanes")
INLINED_TYPED(static, sum_float4, sum_float4, sum_float4, narrow, sum_float4, INLINED_UNIT, INT32, INT32,
			  evaluate_sum_float4, "lanes")

/* The result lies in the InlinedState and is valid until the next row. */
static Datum
final_interval(InlinedState *state)
{
	return IntervalPGetDatum(&state->total.span);
}

#if COMPAT_INTERVAL_HAS_INFINITY
/* PostgreSQL 17's sum(interval) has a transition value of its own type */
static const Inlined inlined_sum_interval = {NULL};
#else
/* As interval_pl, which raises its error in the transition. */
static void
transition_sum_interval(InlinedState *state, Datum value)
{
	Interval	   *total = &state->total.span;
	const Interval *more = DatumGetIntervalP(value);

	if (pg_add_s32_overflow(total->month, more->month, &total->month) ||
		pg_add_s32_overflow(total->day, more->day, &total->day) ||
		pg_add_s64_overflow(total->time, more->time, &total->time))
		scan_raise(SCAN_INTERVAL_OUT_OF_RANGE);
}

INLINED(static, sum_interval, sum_interval, interval, INLINED_UNIT)
#endif

/* ---- averages ---- */

static Datum
average(InlinedState *state, int128 total)
{
	Decimal decimal = decimal_of(total);

	return decimal_average(&state->numeric.shown, &decimal, state->count);
}

static Datum
final_avg_int4(InlinedState *state)
{
	return average(state, state->total.integer);
}

static Datum
final_avg_int8(InlinedState *state)
{
	return average(state, state->total.wide);
}

INLINED_TYPED(static, avg_int2, sum_int2, sum_int2, integer, avg_int4, INLINED_MEAN, INT16, REFERENCE,
			  evaluate_difference, "difference")
INLINED_TYPED(static, avg_int4, sum_int4, sum_int4, integer, avg_int4, INLINED_MEAN, INT32, REFERENCE,
			  evaluate_difference, "difference")
INLINED_TYPED(static, avg_int8, sum_int8, sum_int8, wide, avg_int8, INLINED_MEAN, INT64, REFERENCE, evaluate_difference,
			  "difference")

/* Core's transition where the sum and the value are NaNs. */
static float8
sum_of_nans(const MomentsState *total, int64 count, Datum value, PGFunction accum)
{
	Datum	   state[3] = {Float8GetDatum((float8) count), Float8GetDatum(total->sum), Float8GetDatum(total->squares)};
	ArrayType *before = construct_array(state, 3, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
	ArrayType *after = DatumGetArrayTypeP(DirectFunctionCall2(accum, PointerGetDatum(before), value));
	float8	   sum = ((const float8 *) ARR_DATA_PTR(after))[1];

	pfree(before);
	pfree(after);
	return sum;
}

/*
 * As float8_accum, whose transition value also serves variances.  The sum of squares (by Youngs and Cramer) is never
 * returned here, but raises an error where it overflows.
 */
static inline void
transition_moments(InlinedState *state, float8 x, Datum value, PGFunction accum)
{
	MomentsState *total = &state->total.moments;
	float8		  before = (float8) state->count;
	float8		  n = before + 1.0;
	float8		  sum = total->sum;
	float8		  apart;

	total->sum = unlikely(isnan(sum) && isnan(x)) ? sum_of_nans(total, state->count, value, accum) : sum + x;
	if (state->count == 0)
	{
		if (isnan(x) || isinf(x))
			total->squares = get_float8_nan();
		return;
	}
	apart = x * n - total->sum;
	total->squares += apart * apart / (n * before);
	if (isinf(total->sum) || isinf(total->squares))
	{
		if (!isinf(sum) && !isinf(x))
			float_overflow_error();
		total->squares = get_float8_nan();
	}
}

/* The same where nothing is infinite or NaN. */
static inline bool
try_moments(InlinedState *state, float8 x)
{
	MomentsState *total = &state->total.moments;
	float8		  before = (float8) state->count;
	float8		  n = before + 1.0;
	float8		  sum = total->sum + x;
	float8		  squares = total->squares;
	float8		  apart = x * n - sum;

	if (state->count > 0)
		squares += apart * apart / (n * before);
	if (unlikely(!isfinite(sum) || !isfinite(squares)))
		return false;
	total->sum = sum;
	total->squares = squares;
	return true;
}

static inline bool
try_avg_float8(InlinedState *state, Datum value)
{
	return try_moments(state, DatumGetFloat8(value));
}

static inline bool
try_avg_float4(InlinedState *state, Datum value)
{
	return try_moments(state, DatumGetFloat4(value));
}

static void
transition_avg_float8(InlinedState *state, Datum value)
{
	transition_moments(state, DatumGetFloat8(value), value, float8_accum);
}

static void
transition_avg_float4(InlinedState *state, Datum value)
{
	transition_moments(state, DatumGetFloat4(value), value, float4_accum);
}

static Datum
final_avg_float8(InlinedState *state)
{
	return Float8GetDatum(state->total.moments.sum / (float8) state->count);
}

INLINED_TYPED(static, avg_float8, avg_float8, avg_float8, moments, avg_float8, INLINED_UNIT, INT64, INT64,
			  evaluate_avg_float8, "lanes")
INLINED_TYPED(static, avg_float4, avg_float4, avg_float4, moments, avg_float8, INLINED_UNIT, INT32, INT64,
			  evaluate_avg_float4, "lanes")

/* ---- folds of values that are passed by value ---- */

static Datum
final_datum(InlinedState *state)
{
	return state->total.datum;
}

/* A fold whose total is a Datum: the first value, then NEXT of `total` and `value`. */
#define FOLD(NAME, FORMAT, NEXT)                                                                 \
	static inline Datum next_##NAME(Datum total, Datum value)                                    \
	{                                                                                            \
		return NEXT;                                                                             \
	}                                                                                            \
	static void transition_##NAME(InlinedState *state, Datum value)                              \
	{                                                                                            \
		state->total.datum = state->count == 0 ? value : next_##NAME(state->total.datum, value); \
	}                                                                                            \
	static int64 moving_##NAME(NodeFunction *f, const Block *block, int64 done)                  \
	{                                                                                            \
		return tree_evaluate(f, block, done, COLUMN_##FORMAT, next_##NAME);                      \
	}                                                                                            \
	INLINED_TRY(NAME)                                                                            \
	INLINED_TYPED(static, NAME, NAME, NAME, datum, datum, INLINED_BLOCK, FORMAT, FORMAT, moving_##NAME, "tree")

/* An extreme: the newer value, unless the older one is beyond it. */
#define EXTREME(NAME, FORMAT, FROM, BEYOND) FOLD(NAME, FORMAT, BEYOND(FROM(total), FROM(value)) ? total : value)

#define GREATER(a, b) ((a) > (b))
#define LESS(a, b) ((a) < (b))

EXTREME(max_int2, INT16, DatumGetInt16, GREATER)
EXTREME(max_int4, INT32, DatumGetInt32, GREATER)
EXTREME(max_int8, INT64, DatumGetInt64, GREATER)
EXTREME(max_float4, INT32, DatumGetFloat4, float4_gt)
EXTREME(max_float8, INT64, DatumGetFloat8, float8_gt)
EXTREME(min_int2, INT16, DatumGetInt16, LESS)
EXTREME(min_int4, INT32, DatumGetInt32, LESS)
EXTREME(min_int8, INT64, DatumGetInt64, LESS)
EXTREME(min_float4, INT32, DatumGetFloat4, float4_lt)
EXTREME(min_float8, INT64, DatumGetFloat8, float8_lt)

/* intervals that compare as equal may differ: 1 month and 30 days */
static inline void
transition_interval(InlinedState *state, Datum value, int beyond)
{
	int32 order = 0;

	if (state->count > 0)
		order = DatumGetInt32(DirectFunctionCall2(interval_cmp, IntervalPGetDatum(&state->total.span), value));
	if (beyond * order <= 0)
		state->total.span = *DatumGetIntervalP(value);
}

static void
transition_max_interval(InlinedState *state, Datum value)
{
	transition_interval(state, value, 1);
}

static void
transition_min_interval(InlinedState *state, Datum value)
{
	transition_interval(state, value, -1);
}

INLINED(static, max_interval, max_interval, interval, INLINED_BLOCK)
INLINED(static, min_interval, min_interval, interval, INLINED_BLOCK)

/* ---- bits and truth values ---- */

#define FOLD_BITS(TYPE, FORMAT, FROM, TO)                       \
	FOLD(bit_and_##TYPE, FORMAT, TO(FROM(total) & FROM(value))) \
	FOLD(bit_or_##TYPE, FORMAT, TO(FROM(total) | FROM(value)))  \
	FOLD(bit_xor_##TYPE, FORMAT, TO(FROM(total) ^ FROM(value)))

FOLD_BITS(int2, INT16, DatumGetInt16, Int16GetDatum)
FOLD_BITS(int4, INT32, DatumGetInt32, Int32GetDatum)
FOLD_BITS(int8, INT64, DatumGetInt64, Int64GetDatum)
FOLD(bool_and_bool, BYTE, BoolGetDatum(DatumGetBool(total) && DatumGetBool(value)))
FOLD(bool_or_bool, BYTE, BoolGetDatum(DatumGetBool(total) || DatumGetBool(value)))

/* ---- a unit larger than memory ---- */

static void
accumulate(NodeFunction *f, const Block *block, Lookahead unit, bool last)
{
	InlinedState *state = (InlinedState *) f->state;
	MemoryContext old = MemoryContextSwitchTo(f->scratch);

	FOR_INTERRUPTIBLE (i, block->begin, block->n)
		inlined_row(f, state, block, i, state->aggregate->transition);
	MemoryContextSwitchTo(old);
	MemoryContextReset(f->scratch);
}

/* ---- saved state ---- */

static void
save_state(NodeFunction *f, const Block *block, StringInfo bytes)
{
	InlinedState *state = (InlinedState *) f->state;

	save_bytes(bytes, state, offsetof(InlinedState, f));
	save_decimal_sum(bytes, &state->numeric);
	save_retained(bytes, &state->retained, f->result.by_value, f->result.length);
}

static void
restore_state(NodeFunction *f, const Block *block, StringInfo bytes)
{
	InlinedState *state = (InlinedState *) f->state;
	RetainedType  type = retained_type(f->info.wfunc->wintype);

	restore_bytes(bytes, state, offsetof(InlinedState, f));
	restore_decimal_sum(bytes, &state->numeric);
	restore_retained(bytes, &state->retained, &type, f->query);
}

/* ---- the table ---- */

static const struct
{
	Oid			   oid;
	const Inlined *aggregate;
} inlined_aggregates[] = {
#define SCAN_STOCK(oid, function, type, values, line) {oid, &inlined_##function##_##type},
#include "op/list.h"
};

bool
node_inlined_start(NodeFunction *f)
{
	for (int i = 0; i < lengthof(inlined_aggregates); i++)
	{
		const Inlined *aggregate = inlined_aggregates[i].aggregate;

		Evaluate evaluate = f->sliding ? aggregate->moving : aggregate->evaluate;

		if (inlined_aggregates[i].oid == f->info.wfunc->winfnoid && evaluate != NULL)
		{
			InlinedState *state = (InlinedState *) MemoryContextAllocZero(f->query, sizeof(InlinedState));

			state->f = f;
			state->numeric.memory = f->query;
			state->aggregate = aggregate;
			f->state = state;
			f->evaluate = evaluate;
			f->accumulate = accumulate;
			f->method = aggregate->method;
			f->save_state = save_state;
			f->restore_state = restore_state;
			if (f->sliding)
				moving_jobs_start(f, aggregate->moving != evaluate_difference);
			return true;
		}
	}
	return false;
}
