/*
 * binding.h: how a SQL value becomes an accumulator, and an accumulator a result.
 *
 * A binding D joins an operation to a type; it is one line of list.h.  It defines the C types D_in and D_out of the
 * input and output columns, D_acc (its monoid's accumulator), and
 *
 *   D_lift(param, x, row, a)
 *       a := the accumulator of the one value x; x is NULL for a NULL of a line flagged
 *       SCAN_NULL_IS_VALUE
 *   D_accumulate(param, a, x, row)
 *       a := a (+) lift(x), possibly by a shorter way
 *   D_join(left, right)
 *       the monoid's join
 *   D_run(a, x, n, y)
 *       y[i] := the running results of n values without a NULL or a head.  Returns for
 *       how many of them there is a shorter way than row by row; only those are computed.
 *   D_lower(param, before, after, row, y)
 *       *y := the result at a row; `after` is the total with the row.  `before` is the
 *       total without the row, zero bytes at a head; it is given only to bindings
 *       flagged SCAN_BEFORE, which compare the two.
 *   D_identity(y)
 *       *y := the result of an exclusive scan before the first value.  Returns SCAN_NULL
 *       if that result is NULL.
 *
 * and the items of wrap.h.  `param` holds the arguments that are constant in a partition; NULL if the function has
 * none.  `row` counts from 0 in the partition.  lower and identity return a ScanStatus: only they check ranges.
 */
#ifndef SCAN_OP_BINDING_H
#define SCAN_OP_BINDING_H

#include "op/change.h"
#include "op/counter.h"
#include "op/monoid.h"
#include "op/wrap.h"

#define BINDING_TYPES(D, M, IN, OUT)                              \
	typedef IN		D##_in;                                       \
	typedef OUT		D##_out;                                      \
	typedef M##_acc D##_acc;                                      \
	SCAN_FN void	D##_join(M##_acc *left, const M##_acc *right) \
	{                                                             \
		M##_join(left, right);                                    \
	}                                                             \
	SCAN_FN void D##_copy(M##_acc *dst, const M##_acc *src)       \
	{                                                             \
		M##_copy(dst, src);                                       \
	}                                                             \
	SEGMENT_ITEM(D)

#define BINDING_LIFT(D) SCAN_FN void D##_lift(const void *param, const D##_in *x, int64_t row, D##_acc *a)

/* Of one expression, as the functions that BINDING_ACCUMULATE_BY and BINDING_LOWER_BY define. */
#define BINDING_LIFT_BY(D, LIFT) \
	BINDING_LIFT(D)              \
	{                            \
		LIFT;                    \
	}

/* For a binding whose accumulator is the value itself. */
#define BINDING_LIFT_VALUE(D) BINDING_LIFT_BY(D, *a = *x)

#define BINDING_ACCUMULATE(D) SCAN_FN void D##_accumulate(const void *param, D##_acc *a, const D##_in *x, int64_t row)

#define BINDING_ACCUMULATE_BY(D, TAKE) \
	BINDING_ACCUMULATE(D)              \
	{                                  \
		TAKE;                          \
	}

#define BINDING_RUN(D, ROWS)                                                    \
	SCAN_FN int64_t D##_run(D##_acc *a, const D##_in *x, int64_t n, D##_out *y) \
	{                                                                           \
		return ROWS;                                                            \
	}

/* For a binding with no shorter way to accumulate, and none through a run of values: most have neither. */
#define BINDING_PLAIN(D)               \
	BINDING_ACCUMULATE(D)              \
	{                                  \
		D##_acc one;                   \
		D##_lift(param, x, row, &one); \
		D##_join(a, &one);             \
	}                                  \
	BINDING_RUN(D, 0)

/* Accumulates by TAKE, and has no shorter way through a run. */
#define BINDING_TAKE(D, TAKE)      \
	BINDING_ACCUMULATE_BY(D, TAKE) \
	BINDING_RUN(D, 0)

#define BINDING_LOWER(D)                                                                                      \
	SCAN_FN ScanStatus D##_lower(const void *param, const D##_acc *before, const D##_acc *after, int64_t row, \
								 D##_out *y)

#define BINDING_LOWER_BY(D, LOWER) \
	BINDING_LOWER(D)               \
	{                              \
		return LOWER;              \
	}

#define BINDING_LOWER_TO(D, STATUS, VALUE) \
	BINDING_LOWER(D)                       \
	{                                      \
		*y = (VALUE);                      \
		return STATUS;                     \
	}

/* *y := a total that may be too large for it. */
SCAN_FN ScanStatus
wide_lower(scan_int128 total, int64_t *y)
{
	*y = (int64_t) total;
	return *y == total ? SCAN_OK : SCAN_INT8_OUT_OF_RANGE;
}

#define BINDING_IDENTITY(D, STATUS, VALUE)      \
	SCAN_FN ScanStatus D##_identity(D##_out *y) \
	{                                           \
		*y = (VALUE);                           \
		return STATUS;                          \
	}

/* ---- min, max, logic, count, sums that cannot overflow: the accumulator is the result ---- */

#define NUMBER_BINDING(D, M, IN, OUT, IDENTITY_STATUS, IDENTITY) \
	BINDING_TYPES(D, M, IN, OUT)                                 \
	BINDING_LIFT_VALUE(D)                                        \
	BINDING_PLAIN(D)                                             \
	BINDING_LOWER_TO(D, SCAN_OK, *after)                         \
	BINDING_IDENTITY(D, IDENTITY_STATUS, IDENTITY)

NUMBER_BINDING(count_bool, add, bool, int64_t, SCAN_OK, 0)
NUMBER_BINDING(min_int2, min, int16_t, int16_t, SCAN_NULL, 0)
NUMBER_BINDING(min_int4, min, int32_t, int32_t, SCAN_NULL, 0)
NUMBER_BINDING(min_int8, min, int64_t, int64_t, SCAN_NULL, 0)
NUMBER_BINDING(min_float4, narrow_fmin, float, float, SCAN_NULL, 0)
NUMBER_BINDING(min_float8, fmin, double, double, SCAN_NULL, 0)
NUMBER_BINDING(max_int2, max, int16_t, int16_t, SCAN_NULL, 0)
NUMBER_BINDING(max_int4, max, int32_t, int32_t, SCAN_NULL, 0)
NUMBER_BINDING(max_int8, max, int64_t, int64_t, SCAN_NULL, 0)
NUMBER_BINDING(max_float4, narrow_fmax, float, float, SCAN_NULL, 0)
NUMBER_BINDING(max_float8, fmax, double, double, SCAN_NULL, 0)
NUMBER_BINDING(bool_and_bool, bits_and, bool, bool, SCAN_OK, true)
NUMBER_BINDING(bool_or_bool, bits_or, bool, bool, SCAN_OK, false)
NUMBER_BINDING(bit_and_int2, bits_and, int16_t, int16_t, SCAN_OK, -1)
NUMBER_BINDING(bit_and_int4, bits_and, int32_t, int32_t, SCAN_OK, -1)
NUMBER_BINDING(bit_and_int8, bits_and, int64_t, int64_t, SCAN_OK, -1)
NUMBER_BINDING(bit_or_int2, bits_or, int16_t, int16_t, SCAN_OK, 0)
NUMBER_BINDING(bit_or_int4, bits_or, int32_t, int32_t, SCAN_OK, 0)
NUMBER_BINDING(bit_or_int8, bits_or, int64_t, int64_t, SCAN_OK, 0)
NUMBER_BINDING(bit_xor_int2, bits_xor, int16_t, int16_t, SCAN_OK, 0)
NUMBER_BINDING(bit_xor_int4, bits_xor, int32_t, int32_t, SCAN_OK, 0)
NUMBER_BINDING(bit_xor_int8, bits_xor, int64_t, int64_t, SCAN_OK, 0)

/* ---- integer sums ---- */

BINDING_TYPES(wide_sum_int8, wide_add, int64_t, ScanInt128)

BINDING_LIFT_BY(wide_sum_int8, a->value = *x)

BINDING_PLAIN(wide_sum_int8)

BINDING_LOWER_TO(wide_sum_int8, SCAN_OK, *after)

SCAN_FN ScanInt128
wide_zero(void)
{
	ScanInt128 zero = {0};

	return zero;
}

BINDING_IDENTITY(wide_sum_int8, SCAN_OK, wide_zero())

/*
 * Let P' and P be the wrapped totals before and after the row, and x the row's value.  The true total leaves int64 at
 * this row if and only if x and P' have the same sign and P has the other one.  x is P - P' modulo 2^64, so the two
 * totals suffice.
 */
SCAN_FN ScanStatus
integer_sum_lower(int64_t before, int64_t after, int64_t *y)
{
	int64_t x = (int64_t) ((uint64_t) after - (uint64_t) before);

	*y = after;
	return ((before ^ after) & (x ^ after)) < 0 ? SCAN_INT8_OUT_OF_RANGE : SCAN_OK;
}

#define INTEGER_SUM_BINDING(D, IN)                             \
	BINDING_TYPES(D, add, IN, int64_t)                         \
	BINDING_LIFT_VALUE(D)                                      \
	BINDING_PLAIN(D)                                           \
	BINDING_LOWER_BY(D, integer_sum_lower(*before, *after, y)) \
	BINDING_IDENTITY(D, SCAN_OK, 0)

INTEGER_SUM_BINDING(sum_int2, int16_t)
INTEGER_SUM_BINDING(sum_int4, int32_t)
INTEGER_SUM_BINDING(sum_int8, int64_t)

/* ---- float sums ---- */

#define EXACT_SUM_BINDING(D, T, ROUND, RUN)           \
	BINDING_TYPES(D, exact, T, T)                     \
	BINDING_LIFT_BY(D, exact_lift(*x, a))             \
	BINDING_ACCUMULATE_BY(D, exact_accumulate(a, *x)) \
	BINDING_RUN(D, RUN)                               \
	BINDING_LOWER_BY(D, ROUND(after, y))              \
	BINDING_IDENTITY(D, SCAN_OK, 0)

EXACT_SUM_BINDING(sum_float4, float, exact_round_float4, 0)
EXACT_SUM_BINDING(sum_float8, double, exact_round, exact_run(a, x, n, y))

/* ---- interval sums ---- */

/* PostgreSQL's Interval, field by field; src/column/datum.h asserts it. */
typedef struct ScanSpan
{
	int64_t time; /* microseconds */
	int32_t day, month;
} ScanSpan;

/* What scan_sum(interval) needs to know about the server. */
typedef struct SpanParam
{
	/* True from PostgreSQL 17 on: an interval whose fields all have their largest or smallest value is infinite. */
	bool has_infinity;
} SpanParam;

SCAN_FN int
span_infinity(const void *param, const ScanSpan *x)
{
	if (param == NULL || !((const SpanParam *) param)->has_infinity)
		return 0;
	if (x->month == INT32_MAX && x->day == INT32_MAX && x->time == INT64_MAX)
		return 1;
	return x->month == INT32_MIN && x->day == INT32_MIN && x->time == INT64_MIN ? -1 : 0;
}

SCAN_FN ScanSpan
span_zero(void)
{
	ScanSpan zero = {0, 0, 0};

	return zero;
}

BINDING_TYPES(sum_interval, span, ScanSpan, ScanSpan)

BINDING_LIFT(sum_interval)
{
	int infinity = span_infinity(param, x);

	memset(a, 0, sizeof(*a));
	if (infinity == 0)
	{
		a->month = x->month;
		a->day = x->day;
		a->time = x->time;
	}
	a->plus_infinity = infinity > 0;
	a->minus_infinity = infinity < 0;
}

BINDING_PLAIN(sum_interval)

BINDING_LOWER(sum_interval)
{
	if (after->plus_infinity && after->minus_infinity)
		return SCAN_INTERVAL_OUT_OF_RANGE;
	if (after->plus_infinity || after->minus_infinity)
	{
		y->month = y->day = after->plus_infinity ? INT32_MAX : INT32_MIN;
		y->time = after->plus_infinity ? INT64_MAX : INT64_MIN;
		return SCAN_OK;
	}
	y->month = (int32_t) after->month;
	y->day = (int32_t) after->day;
	y->time = (int64_t) after->time;
	return y->month == after->month && y->day == after->day && y->time == after->time && span_infinity(param, y) == 0
			   ? SCAN_OK
			   : SCAN_INTERVAL_OUT_OF_RANGE;
}

BINDING_IDENTITY(sum_interval, SCAN_OK, span_zero())

/* ---- compaction: the position of a kept row among the kept rows, from 1 ---- */

BINDING_TYPES(compact_index_bool, add, bool, int64_t)

BINDING_LIFT_VALUE(compact_index_bool)

BINDING_PLAIN(compact_index_bool)

BINDING_LOWER_TO(compact_index_bool, *after == *before ? SCAN_NULL : SCAN_OK, *after)

BINDING_IDENTITY(compact_index_bool, SCAN_NULL, 0)

/* ---- counters ---- */

#define COUNTER_BINDING(D, IN)                      \
	BINDING_TYPES(D, counter, IN, int64_t)          \
	BINDING_LIFT(D)                                 \
	{                                               \
		a->first = a->last = *x;                    \
		a->gain = 0;                                \
	}                                               \
	BINDING_TAKE(D, counter_take(a, *x))            \
	BINDING_LOWER_BY(D, wide_lower(after->gain, y)) \
	BINDING_IDENTITY(D, SCAN_NULL, 0)

COUNTER_BINDING(counter_int2, int16_t)
COUNTER_BINDING(counter_int4, int32_t)
COUNTER_BINDING(counter_int8, int64_t)

BINDING_TYPES(counter_float8, exact_counter, double, double)

BINDING_LIFT_BY(counter_float8, exact_counter_lift(*x, a))

BINDING_TAKE(counter_float8, exact_counter_take(a, *x))

BINDING_LOWER_BY(counter_float8, exact_counter_round(after, y))

BINDING_IDENTITY(counter_float8, SCAN_NULL, 0)

/* ---- runs of values that are not distinct, compared as numbers ---- */

#define CHANGE_BINDING(D, M, IN, NUMBER)                                    \
	BINDING_TYPES(D, M, IN, int64_t)                                        \
	BINDING_LIFT_BY(D, M##_lift(x == NULL, x == NULL ? 0 : (NUMBER) *x, a)) \
	BINDING_TAKE(D, M##_take(a, x == NULL, x == NULL ? 0 : (NUMBER) *x))    \
	BINDING_LOWER_TO(D, SCAN_OK, after->runs)                               \
	BINDING_IDENTITY(D, SCAN_NULL, 0)

/* any byte may come: "char" goes by this line, too */
CHANGE_BINDING(change_bool, change, uint8_t, int64_t)
CHANGE_BINDING(change_int2, change, int16_t, int64_t)
CHANGE_BINDING(change_int4, change, int32_t, int64_t)
CHANGE_BINDING(change_int8, change, int64_t, int64_t)
CHANGE_BINDING(change_float4, float_change, float, double)
CHANGE_BINDING(change_float8, float_change, double, double)

/* ---- clamped sums ---- */

typedef struct ClampParam
{
	scan_int128 lower; /* -CLAMP_INFINITY: no lower bound */
	scan_int128 upper; /* CLAMP_INFINITY: no upper bound */
	int64_t		init;
} SCAN_ALIGNED_8 ClampParam;

#define CLAMP_BINDING(D, IN)                                                                   \
	BINDING_TYPES(D, clamp, IN, int64_t)                                                       \
	BINDING_LIFT(D)                                                                            \
	{                                                                                          \
		const ClampParam *p = (const ClampParam *) param;                                      \
		a->shift = *x;                                                                         \
		a->lo = p->lower;                                                                      \
		a->hi = p->upper;                                                                      \
	}                                                                                          \
	BINDING_PLAIN(D)                                                                           \
	BINDING_LOWER_BY(D, wide_lower(clamp_apply(after, ((const ClampParam *) param)->init), y)) \
	BINDING_IDENTITY(D, SCAN_NULL, 0)

CLAMP_BINDING(clamped_sum_int2, int16_t)
CLAMP_BINDING(clamped_sum_int4, int32_t)
CLAMP_BINDING(clamped_sum_int8, int64_t)

/* ---- scan_carry ---- */

typedef struct CarryParam
{
	bool carry_in;
} CarryParam;

SCAN_FN bool
carry_comes_in(const void *param)
{
	return param != NULL && ((const CarryParam *) param)->carry_in;
}

BINDING_TYPES(carry_bool, carry, uint8_t, bool)

/* A value is the CARRY_GENERATE and CARRY_PROPAGATE bits of the row's two flags. */
BINDING_LIFT_VALUE(carry_bool)

BINDING_PLAIN(carry_bool)

BINDING_LOWER_TO(carry_bool, SCAN_OK,
				 (*after & CARRY_GENERATE) || ((*after & CARRY_PROPAGATE) && carry_comes_in(param)))

BINDING_IDENTITY(carry_bool, SCAN_NULL, 0)

#endif /* SCAN_OP_BINDING_H */
