/*
 * fast.c: the commonest stock aggregates without the function manager: counts,
 * sums, averages and extremes of numbers and times.
 *
 * Each does what core's transition and final functions do, in the same order: integer
 * sums wrap where core's wrap, float sums add left to right and raise core's error,
 * of equal extremes the newer one stays.  The table at the end names them by OID;
 * what it does not name goes through aggregate.c.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "node/function.h"

/* The running value of a partition. */
typedef struct Fast
{
	int64 count; /* values that went in */
	union
	{
		int128 wide;
		int64  integer;
		float8 real;
		float4 narrow;
		Datum  datum;
	} total;
} Fast;

typedef void (*FastStep)(Fast *fast, Datum value);
typedef Datum (*FastShow)(const Fast *fast);

/* ---- the loop, inlined with the two functions of each aggregate ---- */

static pg_attribute_always_inline void
fast_row(NodeFunction *f, Fast *fast, const Block *block, int64 i, FastStep step)
{
	Datum value = 0;
	bool  isnull = false;

	if (block->head[i])
		memset(fast, 0, sizeof(*fast));
	if (!node_filter(f, block, i))
		return;
	if (f->arguments > 0)
		value = node_argument(f, block, 0, i, &isnull);
	if (!isnull)
	{
		step(fast, value);
		fast->count++;
	}
}

/* Units to the end of the block, or one of them where a step may raise an error. */
static pg_attribute_always_inline int64
fast_answer(NodeFunction *f, const Block *block, int64 done, FastStep step, FastShow show, bool null_if_none,
			bool may_fail)
{
	Fast		 *fast = (Fast *) f->state;
	bool		  one = may_fail || f->late_row != NULL;
	MemoryContext old = MemoryContextSwitchTo(f->results);

	do
	{
		int64 from = done;
		int64 end = f->need == NEED_ROW ? done + 1 : block_unit_end(block, f->need, done);
		bool  isnull;
		Datum value;

		CHECK_FOR_INTERRUPTS();
		for (; done < end; done++)
			fast_row(f, fast, block, done, step);
		isnull = null_if_none && fast->count == 0;
		value = isnull ? (Datum) 0 : show(fast);
		for (; from < end; from++)
			node_put(f, from, value, isnull);
	} while (done < block->n && !one);
	MemoryContextSwitchTo(old);
	return done;
}

#define FAST(NAME, NULL_IF_NONE, MAY_FAIL)                                                    \
	static int64 answer_##NAME(NodeFunction *f, const Block *block, int64 done)               \
	{                                                                                         \
		return fast_answer(f, block, done, step_##NAME, show_##NAME, NULL_IF_NONE, MAY_FAIL); \
	}

/* ---- counts ---- */

static void
step_count(Fast *fast, Datum value)
{
}

static Datum
show_count(const Fast *fast)
{
	return Int64GetDatum(fast->count);
}

FAST(count, false, false)

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
show_integer(const Fast *fast)
{
	return Int64GetDatum(fast->total.integer);
}

#define show_sum_int2 show_integer
#define show_sum_int4 show_integer

static Numeric
numeric_of_wide(int128 x)
{
	const int64 base = INT64CONST(1000000000000000000);
	bool		overflow = false;
	Numeric		high, low;

	if (x == (int64) x)
		return int64_to_numeric((int64) x);
	high = numeric_mul_opt_error(numeric_of_wide(x / base), int64_to_numeric(base), &overflow);
	low = int64_to_numeric((int64) (x % base));
	return numeric_add_opt_error(high, low, &overflow);
}

static Datum
show_sum_int8(const Fast *fast)
{
	return NumericGetDatum(numeric_of_wide(fast->total.wide));
}

FAST(sum_int2, true, false)
FAST(sum_int4, true, false)
FAST(sum_int8, true, false)

static void
step_sum_float8(Fast *fast, Datum value)
{
	fast->total.real = fast->count == 0 ? DatumGetFloat8(value) : float8_pl(fast->total.real, DatumGetFloat8(value));
}

static Datum
show_sum_float8(const Fast *fast)
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
show_sum_float4(const Fast *fast)
{
	return Float4GetDatum(fast->total.narrow);
}

FAST(sum_float8, true, true)
FAST(sum_float4, true, true)

/* ---- averages ---- */

#define step_avg_int2 step_sum_int2
#define step_avg_int4 step_sum_int4
#define step_avg_int8 step_sum_int8

static Datum
quotient(Numeric total, int64 count)
{
	return DirectFunctionCall2(numeric_div, NumericGetDatum(total), NumericGetDatum(int64_to_numeric(count)));
}

static Datum
show_average(const Fast *fast)
{
	return quotient(int64_to_numeric(fast->total.integer), fast->count);
}

#define show_avg_int2 show_average
#define show_avg_int4 show_average

static Datum
show_avg_int8(const Fast *fast)
{
	return quotient(numeric_of_wide(fast->total.wide), fast->count);
}

FAST(avg_int2, true, false)
FAST(avg_int4, true, false)
FAST(avg_int8, true, false)

/* ---- extremes of values that are in their Datums ---- */

/* the newer one unless the older one is beyond it */
#define EXTREME(NAME, FROM, BEYOND)                                              \
	static void step_##NAME(Fast *fast, Datum value)                             \
	{                                                                            \
		if (fast->count == 0 || !(BEYOND(FROM(fast->total.datum), FROM(value)))) \
			fast->total.datum = value;                                           \
	}                                                                            \
	static Datum show_##NAME(const Fast *fast)                                   \
	{                                                                            \
		return fast->total.datum;                                                \
	}                                                                            \
	FAST(NAME, true, false)

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

/* dates are int4, moments int8: core compares them so, infinities at the ends */
static const struct
{
	Oid		   oid;
	NodeAnswer answer;
} fast_aggregates[] = {
	{F_COUNT_, answer_count},
	{F_COUNT_ANY, answer_count},
	{F_SUM_INT2, answer_sum_int2},
	{F_SUM_INT4, answer_sum_int4},
	{F_SUM_INT8, answer_sum_int8},
	{F_SUM_FLOAT4, answer_sum_float4},
	{F_SUM_FLOAT8, answer_sum_float8},
	{F_AVG_INT2, answer_avg_int2},
	{F_AVG_INT4, answer_avg_int4},
	{F_AVG_INT8, answer_avg_int8},
	{F_MAX_INT2, answer_max_int2},
	{F_MAX_INT4, answer_max_int4},
	{F_MAX_INT8, answer_max_int8},
	{F_MAX_FLOAT4, answer_max_float4},
	{F_MAX_FLOAT8, answer_max_float8},
	{F_MAX_DATE, answer_max_int4},
	{F_MAX_TIME, answer_max_int8},
	{F_MAX_TIMESTAMP, answer_max_int8},
	{F_MAX_TIMESTAMPTZ, answer_max_int8},
	{F_MIN_INT2, answer_min_int2},
	{F_MIN_INT4, answer_min_int4},
	{F_MIN_INT8, answer_min_int8},
	{F_MIN_FLOAT4, answer_min_float4},
	{F_MIN_FLOAT8, answer_min_float8},
	{F_MIN_DATE, answer_min_int4},
	{F_MIN_TIME, answer_min_int8},
	{F_MIN_TIMESTAMP, answer_min_int8},
	{F_MIN_TIMESTAMPTZ, answer_min_int8},
};

bool
node_fast_start(NodeFunction *f)
{
	for (int i = 0; i < lengthof(fast_aggregates); i++)
		if (fast_aggregates[i].oid == f->wfunc->winfnoid)
		{
			f->state = MemoryContextAllocZero(f->query, sizeof(Fast));
			f->answer = fast_aggregates[i].answer;
			return true;
		}
	return false;
}
