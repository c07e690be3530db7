/*
 * number_ops.c: the operations of stock aggregates whose state is a number: counts, sums and averages of integers and
 * floats, extremes of numbers and times, bits and truth values.
 *
 * Each operation does what core's transition and final functions do, in the same order: integer sums wrap where core's
 * wrap, float sums add from left to right and raise core's error, and of equal extremes the newer one stays. op/list.h
 * names the aggregates by OID (aggregate.c).
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

#include "aggregate/internal.h"
#include "aggregate/two_stacks.h"
#include "aggregate/typed_loop.h"
#include "column/saved_state.h"
#include "compat.h"
#include "error.h"

/* ---- the state ---- */

void
number_empty(Aggregate *aggregate)
{
	memset(aggregate->f.state, 0, NUMBER_STATE_SIZE);
}

void
number_carry(RowFunction *f, const Block *block, SavedState *saved)
{
	carry_bytes(saved, f->state, NUMBER_STATE_SIZE);
}

/* ---- counts ---- */

static void
transition_count(NumberState *state, Datum value)
{
}

static Datum
final_count(NumberState *state)
{
	return Int64GetDatum(state->count);
}

TYPED_TRY(count)
TYPED_OP(count_any, count, integer, count, AGGREGATE_ZERO, ANY, INT64, prefix_difference_rows, "difference")

/* ---- sums ---- */

#define STEP(NAME, FIELD, FROM)                                    \
	static void transition_##NAME(NumberState *state, Datum value) \
	{                                                              \
		state->total.FIELD += FROM(value);                         \
	}

/* sums may wrap, as core's do; sums of int4 stay below 2^63 for 2^32 rows */
STEP(sum_int2, integer, DatumGetInt16)
STEP(sum_int4, integer, DatumGetInt32)
STEP(sum_int8, wide, DatumGetInt64)
TYPED_TRY(sum_int2)
TYPED_TRY(sum_int4)
TYPED_TRY(sum_int8)

static Datum
final_integer(NumberState *state)
{
	return Int64GetDatum(state->total.integer);
}

/* Returns an integer as a Decimal of scale 0. */
static inline Decimal
decimal_of(int128 x)
{
	return (Decimal){x, 0, 0};
}

/*
 * A sum of integers that is shown as a numeric.  PUT makes the numeric in the result column's arena, and returns its
 * offset there.
 */
#define NUMERIC_SUM(NAME, FIELD)                                                                             \
	static Datum final_##NAME(NumberState *state)                                                            \
	{                                                                                                        \
		Decimal total = decimal_of(state->total.FIELD);                                                      \
                                                                                                             \
		return decimal_show(&state->shown, &total);                                                          \
	}                                                                                                        \
	static inline Datum put_##NAME(ResultColumn *result, NumberState *state)                                 \
	{                                                                                                        \
		Decimal total = decimal_of(state->total.FIELD);                                                      \
                                                                                                             \
		return arena_keep(&result->arena,                                                                    \
						  decimal_store(arena_reserve(&result->arena, result->pool, DECIMAL_MOST), &total)); \
	}

NUMERIC_SUM(sum_int8, wide)
TYPED_OP(sum_int2, sum_int2, integer, integer, 0, INT16, INT64, prefix_difference_rows, "difference")
TYPED_OP(sum_int4, sum_int4, integer, integer, 0, INT32, INT64, prefix_difference_rows, "difference")
TYPED_PUT_OP(sum_int8, sum_int8, wide, sum_int8, put_sum_int8, 0, INT64, REFERENCE, prefix_difference_rows,
			 "difference")

/* exact_sum of small integers is a numeric, as core's sum of bigint is. */
NUMERIC_SUM(exact_sum, integer)
TYPED_PUT_OP(exact_sum_int2, sum_int2, integer, exact_sum, put_exact_sum, 0, INT16, REFERENCE, prefix_difference_rows,
			 "difference")
TYPED_PUT_OP(exact_sum_int4, sum_int4, integer, exact_sum, put_exact_sum, 0, INT32, REFERENCE, prefix_difference_rows,
			 "difference")

/*
 * The sum of two NaNs, which may differ in their signs, is the one that the compiler happens to choose.  So core's own
 * compiled functions add them.
 */
#define SUM_OF_FLOATS(TYPE, NAME, MEMBER)                                                                      \
	static void transition_sum_##TYPE(NumberState *state, Datum value)                                         \
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
	static inline bool try_sum_##TYPE(NumberState *state, Datum value)                                         \
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
	static Datum final_sum_##TYPE(NumberState *state)                                                          \
	{                                                                                                          \
		return NAME##GetDatum(state->total.MEMBER);                                                            \
	}

SUM_OF_FLOATS(float8, Float8, real)
SUM_OF_FLOATS(float4, Float4, narrow)
TYPED_OP(sum_float8, sum_float8, real, sum_float8, AGGREGATE_MAY_FAIL | AGGREGATE_READS_ALL, INT64, INT64,
		 refold_sum_float8, "lanes")
TYPED_OP(sum_float4, sum_float4, narrow, sum_float4, AGGREGATE_MAY_FAIL | AGGREGATE_READS_ALL, INT32, INT32,
		 refold_sum_float4, "lanes")

/* The result lies in the NumberState and is valid until the next row. */
static Datum
final_interval(NumberState *state)
{
	return IntervalPGetDatum(&state->total.span);
}

#if COMPAT_INTERVAL_HAS_INFINITY
/* PostgreSQL 17's sum(interval) has a transition value of its own type */
const AggregateOp aggregate_op_sum_interval = {0};
#else
/* As interval_pl, which raises its error in the transition. */
static void
transition_sum_interval(NumberState *state, Datum value)
{
	Interval	   *total = &state->total.span;
	const Interval *more = DatumGetIntervalP(value);

	if (pg_add_s32_overflow(total->month, more->month, &total->month) ||
		pg_add_s32_overflow(total->day, more->day, &total->day) ||
		pg_add_s64_overflow(total->time, more->time, &total->time))
		scan_raise(SCAN_INTERVAL_OUT_OF_RANGE);
}

NUMBER_OP(sum_interval, sum_interval, interval, AGGREGATE_MAY_FAIL, running_rows, NULL, NULL)
#endif

/* ---- averages ---- */

static Datum
average_datum(NumberState *state, int128 total)
{
	Decimal decimal = decimal_of(total);

	return decimal_average(&state->shown, &decimal, state->count);
}

/* As average_datum(), made in the result column's arena. */
static Datum
put_average(ResultColumn *result, NumberState *state, int128 total)
{
	Size size = decimal_store_integer_average(arena_reserve(&result->arena, result->pool, DECIMAL_MOST), total,
											  state->count);

	return size > 0 ? arena_keep(&result->arena, size) : result_lay_down(result, average_datum(state, total), false);
}

#define NUMERIC_AVERAGE(NAME, FIELD)                                  \
	static Datum final_##NAME(NumberState *state)                     \
	{                                                                 \
		return average_datum(state, state->total.FIELD);              \
	}                                                                 \
	static Datum put_##NAME(ResultColumn *result, NumberState *state) \
	{                                                                 \
		return put_average(result, state, state->total.FIELD);        \
	}

NUMERIC_AVERAGE(avg_int4, integer)
NUMERIC_AVERAGE(avg_int8, wide)
TYPED_PUT_OP(avg_int2, sum_int2, integer, avg_int4, put_avg_int4, AGGREGATE_MEAN, INT16, REFERENCE,
			 prefix_difference_rows, "difference")
TYPED_PUT_OP(avg_int4, sum_int4, integer, avg_int4, put_avg_int4, AGGREGATE_MEAN, INT32, REFERENCE,
			 prefix_difference_rows, "difference")
TYPED_PUT_OP(avg_int8, sum_int8, wide, avg_int8, put_avg_int8, AGGREGATE_MEAN, INT64, REFERENCE, prefix_difference_rows,
			 "difference")

/* Core's transition where the sum and the value are NaNs. */
static float8
sum_of_nans(const MomentsTotal *total, int64 count, Datum value, PGFunction accum)
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
transition_moments(NumberState *state, float8 x, Datum value, PGFunction accum)
{
	MomentsTotal *total = &state->total.moments;
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
try_moments(NumberState *state, float8 x)
{
	MomentsTotal *total = &state->total.moments;
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

#define AVERAGE_OF_FLOATS(TYPE, NAME)                                          \
	static inline bool try_avg_##TYPE(NumberState *state, Datum value)         \
	{                                                                          \
		return try_moments(state, DatumGet##NAME(value));                      \
	}                                                                          \
	static void transition_avg_##TYPE(NumberState *state, Datum value)         \
	{                                                                          \
		transition_moments(state, DatumGet##NAME(value), value, TYPE##_accum); \
	}

AVERAGE_OF_FLOATS(float8, Float8)
AVERAGE_OF_FLOATS(float4, Float4)

static Datum
final_avg_float8(NumberState *state)
{
	return Float8GetDatum(state->total.moments.sum / (float8) state->count);
}

TYPED_OP(avg_float8, avg_float8, moments, avg_float8, AGGREGATE_MAY_FAIL | AGGREGATE_READS_ALL, INT64, INT64,
		 refold_avg_float8, "lanes")
TYPED_OP(avg_float4, avg_float4, moments, avg_float8, AGGREGATE_MAY_FAIL | AGGREGATE_READS_ALL, INT32, INT64,
		 refold_avg_float4, "lanes")

/* ---- folds of values that are passed by value ---- */

static Datum
final_datum(NumberState *state)
{
	return state->total.datum;
}

/*
 * A fold whose total is a Datum: the first value, then NEXT of `total` and `value`.
 */
#define FOLD(NAME, FORMAT, NEXT)                                                                 \
	static inline Datum next_##NAME(Datum total, Datum value)                                    \
	{                                                                                            \
		return NEXT;                                                                             \
	}                                                                                            \
	static void transition_##NAME(NumberState *state, Datum value)                               \
	{                                                                                            \
		state->total.datum = state->count == 0 ? value : next_##NAME(state->total.datum, value); \
	}                                                                                            \
	static int64 sliding_##NAME(RowFunction *f, const Block *block, int64 done)                  \
	{                                                                                            \
		return two_stacks_rows(aggregate_of(f), block, done, COLUMN_##FORMAT, next_##NAME);      \
	}                                                                                            \
	TYPED_TRY(NAME)                                                                              \
	TYPED_OP(NAME, NAME, datum, datum, AGGREGATE_READS_ALL, FORMAT, FORMAT, sliding_##NAME, "two stacks")

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
transition_interval(NumberState *state, Datum value, int beyond)
{
	int32 order = 0;

	if (state->count > 0)
		order = DatumGetInt32(DirectFunctionCall2(interval_cmp, IntervalPGetDatum(&state->total.span), value));
	if (beyond * order <= 0)
		state->total.span = *DatumGetIntervalP(value);
}

static void
transition_max_interval(NumberState *state, Datum value)
{
	transition_interval(state, value, 1);
}

static void
transition_min_interval(NumberState *state, Datum value)
{
	transition_interval(state, value, -1);
}

NUMBER_OP(max_interval, max_interval, interval, 0, running_rows, NULL, NULL)
NUMBER_OP(min_interval, min_interval, interval, 0, running_rows, NULL, NULL)

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
