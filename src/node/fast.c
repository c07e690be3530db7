/*
 * fast.c: the commonest stock aggregates without the function manager: counts, sums,
 * averages and extremes of numbers and times.
 *
 * Each does what core's transition and final functions do, in the same order: integer
 * sums wrap where core's wrap, float sums add left to right and raise core's error,
 * of equal extremes the newer one stays.  The table at the end names them by OID;
 * what it does not name goes through aggregate.c.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"

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

static void
step_sum_float8(Fast *fast, Datum value)
{
	fast->total.real = fast->count == 0 ? DatumGetFloat8(value) : float8_pl(fast->total.real, DatumGetFloat8(value));
}

static Datum
show_sum_float8(Fast *fast)
{
	return Float8GetDatum(fast->total.real);
}

static void
step_sum_float4(Fast *fast, Datum value)
{
	fast->total.narrow = fast->count == 0 ? DatumGetFloat4(value)
										  : float4_pl(fast->total.narrow, DatumGetFloat4(value));
}

static Datum
show_sum_float4(Fast *fast)
{
	return Float4GetDatum(fast->total.narrow);
}

FAST(static, sum_float8, FAST_ONE)
FAST(static, sum_float4, FAST_ONE)

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
	{F_AVG_INT2, fast_avg_int2},
	{F_AVG_INT4, fast_avg_int4},
	{F_AVG_INT8, fast_avg_int8},
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
