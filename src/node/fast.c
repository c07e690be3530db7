/*
 * fast.c: the commonest stock aggregates without the function manager: counts, sums,
 * averages and extremes of numbers and times, bits and truth values.
 *
 * Each does what core's transition and final functions do, in the same order: integer
 * sums wrap where core's wrap, float sums add left to right and raise core's error,
 * of equal extremes the newer one stays.  The table at the end names them by OID;
 * what it does not name goes through aggregate.c.
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
#include "node/fast.h"

/* ---- counts ---- */

static void
step_count(Fast *fast, Datum value)
{
}

static Datum
show_count(Fast *fast)
{
	return Int64GetDatum(fast->count);
}

FAST(static, count, FAST_ZERO)

/* ---- sums ---- */

#define STEP(NAME, FIELD, FROM)                      \
	static void step_##NAME(Fast *fast, Datum value) \
	{                                                \
		fast->total.FIELD += FROM(value);            \
	}

/* core wraps: the largest sums of int4 are below 2^63 for 2^32 rows */
STEP(sum_int2, integer, DatumGetInt16)
STEP(sum_int4, integer, DatumGetInt32)
STEP(sum_int8, wide, DatumGetInt64)

static Datum
show_integer(Fast *fast)
{
	return Int64GetDatum(fast->total.integer);
}

#define show_sum_int2 show_integer
#define show_sum_int4 show_integer

/* an integer as a numeric */
static inline Decimal
decimal_of(int128 x)
{
	Decimal decimal = {x, 0, 0};

	return decimal;
}

static Datum
show_sum_int8(Fast *fast)
{
	Decimal total = decimal_of(fast->total.wide);

	return decimal_show(&fast->shown, &total);
}

FAST(static, sum_int2, FAST_MANY)
FAST(static, sum_int4, FAST_MANY)
FAST(static, sum_int8, FAST_ONE)

/*
 * Of two NaNs, which may differ in their signs, a sum is whichever the compiler likes:
 * core's own functions add those, compiled as they are.
 */
#define SUM_OF_FLOATS(TYPE, NAME, MEMBER)                                                                     \
	static void step_sum_##TYPE(Fast *fast, Datum value)                                                      \
	{                                                                                                         \
		TYPE total = fast->total.MEMBER;                                                                      \
		TYPE x = DatumGet##NAME(value);                                                                       \
                                                                                                              \
		if (fast->count == 0)                                                                                 \
			fast->total.MEMBER = x;                                                                           \
		else if (unlikely(isnan(total) && isnan(x)))                                                          \
			fast->total.MEMBER = DatumGet##NAME(DirectFunctionCall2(TYPE##pl, NAME##GetDatum(total), value)); \
		else                                                                                                  \
			fast->total.MEMBER = TYPE##_pl(total, x);                                                         \
	}                                                                                                         \
	static Datum show_sum_##TYPE(Fast *fast)                                                                  \
	{                                                                                                         \
		return NAME##GetDatum(fast->total.MEMBER);                                                            \
	}

SUM_OF_FLOATS(float8, Float8, real)
SUM_OF_FLOATS(float4, Float4, narrow)
FAST(static, sum_float8, FAST_ONE)
FAST(static, sum_float4, FAST_ONE)

/* in the Fast: until the next row */
static Datum
show_interval(Fast *fast)
{
	return IntervalPGetDatum(&fast->total.span);
}

#if !COMPAT_INTERVAL_HAS_INFINITY
/* interval_pl, which raises its error at the transition; 17's has a state of its own */
static void
step_sum_interval(Fast *fast, Datum value)
{
	Interval	   *total = &fast->total.span;
	const Interval *more = DatumGetIntervalP(value);

	if (pg_add_s32_overflow(total->month, more->month, &total->month) ||
		pg_add_s32_overflow(total->day, more->day, &total->day) ||
		pg_add_s64_overflow(total->time, more->time, &total->time))
		scan_raise(SCAN_INTERVAL_OUT_OF_RANGE);
}

#define show_sum_interval show_interval

FAST(static, sum_interval, FAST_ONE)

#endif

/* ---- averages ---- */

#define step_avg_int2 step_sum_int2
#define step_avg_int4 step_sum_int4
#define step_avg_int8 step_sum_int8

static Datum
average(Fast *fast, int128 total)
{
	Decimal decimal = decimal_of(total);

	return decimal_average(&fast->shown, &decimal, fast->count);
}

static Datum
show_avg_int4(Fast *fast)
{
	return average(fast, fast->total.integer);
}

#define show_avg_int2 show_avg_int4

static Datum
show_avg_int8(Fast *fast)
{
	return average(fast, fast->total.wide);
}

FAST(static, avg_int2, FAST_ONE)
FAST(static, avg_int4, FAST_ONE)
FAST(static, avg_int8, FAST_ONE)

/* core's transition of two NaNs */
static float8
sum_of_nans(const FastMoments *total, int64 count, Datum value, PGFunction accum)
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
 * float8_accum, whose state also serves variances: its sum of squares (by Youngs and
 * Cramer) is never shown here, but raises an error where it overflows.
 */
static inline void
step_moments(Fast *fast, float8 x, Datum value, PGFunction accum)
{
	FastMoments *total = &fast->total.moments;
	float8		 before = (float8) fast->count;
	float8		 n = before + 1.0;
	float8		 sum = total->sum;
	float8		 apart;

	total->sum = unlikely(isnan(sum) && isnan(x)) ? sum_of_nans(total, fast->count, value, accum) : sum + x;
	if (fast->count == 0)
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

static void
step_avg_float8(Fast *fast, Datum value)
{
	step_moments(fast, DatumGetFloat8(value), value, float8_accum);
}

static void
step_avg_float4(Fast *fast, Datum value)
{
	step_moments(fast, DatumGetFloat4(value), value, float4_accum);
}

static Datum
show_avg_float8(Fast *fast)
{
	return Float8GetDatum(fast->total.moments.sum / (float8) fast->count);
}

#define show_avg_float4 show_avg_float8

FAST(static, avg_float8, FAST_ONE)
FAST(static, avg_float4, FAST_ONE)

/* ---- extremes of values that are in their Datums ---- */

static Datum
show_datum(Fast *fast)
{
	return fast->total.datum;
}

/* the newer one unless the older one is beyond it */
#define EXTREME(NAME, FROM, BEYOND)                                              \
	static void step_##NAME(Fast *fast, Datum value)                             \
	{                                                                            \
		if (fast->count == 0 || !(BEYOND(FROM(fast->total.datum), FROM(value)))) \
			fast->total.datum = value;                                           \
	}                                                                            \
	static Datum show_##NAME(Fast *fast)                                         \
	{                                                                            \
		return show_datum(fast);                                                 \
	}                                                                            \
	FAST(static, NAME, FAST_MANY)

#define GREATER(a, b) ((a) > (b))
#define LESS(a, b) ((a) < (b))

EXTREME(max_int2, DatumGetInt16, GREATER)
EXTREME(max_int4, DatumGetInt32, GREATER)
EXTREME(max_int8, DatumGetInt64, GREATER)
EXTREME(max_float4, DatumGetFloat4, float4_gt)
EXTREME(max_float8, DatumGetFloat8, float8_gt)
EXTREME(min_int2, DatumGetInt16, LESS)
EXTREME(min_int4, DatumGetInt32, LESS)
EXTREME(min_int8, DatumGetInt64, LESS)
EXTREME(min_float4, DatumGetFloat4, float4_lt)
EXTREME(min_float8, DatumGetFloat8, float8_lt)

/* intervals differ where they compare as equal: 1 month and 30 days */
static inline void
step_interval(Fast *fast, Datum value, int beyond)
{
	int32 order = 0;

	if (fast->count > 0)
		order = DatumGetInt32(DirectFunctionCall2(interval_cmp, IntervalPGetDatum(&fast->total.span), value));
	if (beyond * order <= 0)
		fast->total.span = *DatumGetIntervalP(value);
}

static void
step_max_interval(Fast *fast, Datum value)
{
	step_interval(fast, value, 1);
}

static void
step_min_interval(Fast *fast, Datum value)
{
	step_interval(fast, value, -1);
}

#define show_max_interval show_interval
#define show_min_interval show_interval

FAST(static, max_interval, FAST_ONE)
FAST(static, min_interval, FAST_ONE)

/* ---- bits and truth values ---- */

#define FOLD(NAME, FROM, TO, OPERATOR)                                                                   \
	static void step_##NAME(Fast *fast, Datum value)                                                     \
	{                                                                                                    \
		fast->total.datum = fast->count == 0 ? value : TO(FROM(fast->total.datum) OPERATOR FROM(value)); \
	}                                                                                                    \
	static Datum show_##NAME(Fast *fast)                                                                 \
	{                                                                                                    \
		return show_datum(fast);                                                                         \
	}                                                                                                    \
	FAST(static, NAME, FAST_MANY)

#define FOLD_BITS(TYPE, FROM, TO)     \
	FOLD(bit_and_##TYPE, FROM, TO, &) \
	FOLD(bit_or_##TYPE, FROM, TO, |)  \
	FOLD(bit_xor_##TYPE, FROM, TO, ^)

FOLD_BITS(int2, DatumGetInt16, Int16GetDatum)
FOLD_BITS(int4, DatumGetInt32, Int32GetDatum)
FOLD_BITS(int8, DatumGetInt64, Int64GetDatum)
FOLD(bool_and, DatumGetBool, BoolGetDatum, &&)
FOLD(bool_or, DatumGetBool, BoolGetDatum, ||)

/* ---- the table ---- */

/* dates are int4, moments int8: core compares them so, infinities at the ends */
static const struct
{
	Oid		   oid;
	NodeAnswer answer;
} fast_aggregates[] = {
	{F_COUNT_, fast_count},
	{F_COUNT_ANY, fast_count},
	{F_SUM_INT2, fast_sum_int2},
	{F_SUM_INT4, fast_sum_int4},
	{F_SUM_INT8, fast_sum_int8},
	{F_SUM_FLOAT4, fast_sum_float4},
	{F_SUM_FLOAT8, fast_sum_float8},
	{F_SUM_NUMERIC, fast_sum_numeric},
#if !COMPAT_INTERVAL_HAS_INFINITY
	{F_SUM_INTERVAL, fast_sum_interval},
#endif
	{F_AVG_INT2, fast_avg_int2},
	{F_AVG_INT4, fast_avg_int4},
	{F_AVG_INT8, fast_avg_int8},
	{F_AVG_FLOAT4, fast_avg_float4},
	{F_AVG_FLOAT8, fast_avg_float8},
	{F_AVG_NUMERIC, fast_avg_numeric},
	{F_MAX_INT2, fast_max_int2},
	{F_MAX_INT4, fast_max_int4},
	{F_MAX_INT8, fast_max_int8},
	{F_MAX_FLOAT4, fast_max_float4},
	{F_MAX_FLOAT8, fast_max_float8},
	{F_MAX_DATE, fast_max_int4},
	{F_MAX_TIME, fast_max_int8},
	{F_MAX_TIMESTAMP, fast_max_int8},
	{F_MAX_TIMESTAMPTZ, fast_max_int8},
	{F_MAX_NUMERIC, fast_max_numeric},
	{F_MAX_INTERVAL, fast_max_interval},
	{F_MIN_INT2, fast_min_int2},
	{F_MIN_INT4, fast_min_int4},
	{F_MIN_INT8, fast_min_int8},
	{F_MIN_FLOAT4, fast_min_float4},
	{F_MIN_FLOAT8, fast_min_float8},
	{F_MIN_DATE, fast_min_int4},
	{F_MIN_TIME, fast_min_int8},
	{F_MIN_TIMESTAMP, fast_min_int8},
	{F_MIN_TIMESTAMPTZ, fast_min_int8},
	{F_MIN_NUMERIC, fast_min_numeric},
	{F_MIN_INTERVAL, fast_min_interval},
	{F_BIT_AND_INT2, fast_bit_and_int2},
	{F_BIT_AND_INT4, fast_bit_and_int4},
	{F_BIT_AND_INT8, fast_bit_and_int8},
	{F_BIT_OR_INT2, fast_bit_or_int2},
	{F_BIT_OR_INT4, fast_bit_or_int4},
	{F_BIT_OR_INT8, fast_bit_or_int8},
	{F_BIT_XOR_INT2, fast_bit_xor_int2},
	{F_BIT_XOR_INT4, fast_bit_xor_int4},
	{F_BIT_XOR_INT8, fast_bit_xor_int8},
	{F_BOOL_AND, fast_bool_and},
	{F_EVERY, fast_bool_and},
	{F_BOOL_OR, fast_bool_or},
};

bool
node_fast_start(NodeFunction *f)
{
	for (int i = 0; i < lengthof(fast_aggregates); i++)
	{
		if (fast_aggregates[i].oid == f->wfunc->winfnoid)
		{
			Fast *fast = (Fast *) MemoryContextAllocZero(f->query, sizeof(Fast));

			fast->f = f;
			f->state = fast;
			f->answer = fast_aggregates[i].answer;
			return true;
		}
	}
	return false;
}
