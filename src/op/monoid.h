/*
 * monoid.h: the accumulators of the scans, and how two of them join.
 *
 * A monoid M is a type M_acc and an associative M_join(left, right) that sets
 * left := left (+) right, `left` being the earlier rows.  The joins of `clamp`
 * and `carry` do not commute.  A join cannot fail: every
 * accumulator is wide enough, wraps, or absorbs; whether an answer fits its SQL
 * type is asked by the binding (binding.h).  No monoid needs an identity: a segment without
 * values is the wrapper's affair (wrap.h), so min and max have none to get wrong.
 * M_copy copies.
 */
#ifndef SCAN_OP_MONOID_H
#define SCAN_OP_MONOID_H

#include "op/exact.h"

#define PLAIN_COPY(M)                                       \
	SCAN_FN void M##_copy(M##_acc *dst, const M##_acc *src) \
	{                                                       \
		*dst = *src;                                        \
	}

/* ---- numbers: one macro, an expression in l and r each ---- */

#define NUMBER_MONOID(M, T, JOINED)                            \
	typedef T	 M##_acc;                                      \
	SCAN_FN void M##_join(M##_acc *left, const M##_acc *right) \
	{                                                          \
		const T l = *left, r = *right;                         \
		*left = (T) (JOINED);                                  \
	}                                                          \
	PLAIN_COPY(M)

/*
 * PostgreSQL's order of floats: NaN above everything and equal to itself, -0
 * equal to 0.  In an order with ties the later of equals is kept, as core's
 * min() and max() do: "rightmost best" is associative.
 */
SCAN_FN bool
float_less(double a, double b)
{
	return isnan(b) ? !isnan(a) : a < b;
}

/*
 * Integer totals wrap at 2^64, which is associative.  By induction the wrapped
 * prefix is the true one up to the first row where the sign test of the binding
 * (integer_sum_lower) speaks, so the first overflow is found in any association.
 * 128-bit totals (wide_add, below) need no argument, and cost twice as much in cache: they are for
 * sums that are shown beyond int8.
 */
NUMBER_MONOID(add, int64_t, (uint64_t) l + (uint64_t) r)
NUMBER_MONOID(min, int64_t, l < r ? l : r)
NUMBER_MONOID(max, int64_t, l > r ? l : r)
NUMBER_MONOID(bits_and, int64_t, l &r)
NUMBER_MONOID(bits_or, int64_t, l | r)
NUMBER_MONOID(bits_xor, int64_t, l ^ r)
NUMBER_MONOID(fmin, double, float_less(l, r) ? l : r)
NUMBER_MONOID(fmax, double, float_less(r, l) ? l : r)
/* float4 stays itself: a signaling NaN would not come back from a double as it was */
NUMBER_MONOID(narrow_fmin, float, float_less(l, r) ? l : r)
NUMBER_MONOID(narrow_fmax, float, float_less(r, l) ? l : r)

typedef ScanInt128 wide_add_acc;

SCAN_FN void
wide_add_join(wide_add_acc *left, const wide_add_acc *right)
{
	left->value += right->value;
}

PLAIN_COPY(wide_add)

/* ---- exact: the exact sum of floats, in exact.h ---- */

typedef ExactSum exact_acc;

/* ---- span: intervals, whose months, days and microseconds add apart ---- */

typedef struct span_acc
{
	int64_t		month;
	int64_t		day;
	scan_int128 time;
	bool		plus_infinity; /* an infinite interval came in (PostgreSQL 17 on) */
	bool		minus_infinity;
} SCAN_ALIGNED_8 span_acc;

SCAN_FN void
span_join(span_acc *left, const span_acc *right)
{
	left->month += right->month;
	left->day += right->day;
	left->time += right->time;
	left->plus_infinity = left->plus_infinity || right->plus_infinity;
	left->minus_infinity = left->minus_infinity || right->minus_infinity;
}

PLAIN_COPY(span)

/* ---- clamp: the maps y -> min(hi, max(lo, y + shift)), which compose ---- */

#define CLAMP_INFINITY ((scan_int128) 1 << 126) /* no bound; sums of int8 stay far below */

typedef struct clamp_acc
{
	scan_int128 shift;
	scan_int128 lo;
	scan_int128 hi;
} SCAN_ALIGNED_8 clamp_acc;

/* The map at y; a bound that is no bound stays none when it is shifted. */
SCAN_FN scan_int128
clamp_apply(const clamp_acc *f, scan_int128 y)
{
	if (y != CLAMP_INFINITY && y != -CLAMP_INFINITY)
		y += f->shift;
	y = y < f->lo ? f->lo : y;
	return y > f->hi ? f->hi : y;
}

SCAN_FN void
clamp_join(clamp_acc *left, const clamp_acc *right)
{
	left->shift += right->shift;
	left->lo = clamp_apply(right, left->lo);
	left->hi = clamp_apply(right, left->hi);
}

PLAIN_COPY(clamp)

/* ---- carry: generate and propagate, as in a carry-lookahead adder ---- */

#define CARRY_GENERATE 1
#define CARRY_PROPAGATE 2

typedef uint8_t carry_acc;

SCAN_FN void
carry_join(carry_acc *left, const carry_acc *right)
{
	uint8_t generate = (*right & CARRY_GENERATE) || ((*right & CARRY_PROPAGATE) && (*left & CARRY_GENERATE));

	*left = (uint8_t) (generate | (*left & *right & CARRY_PROPAGATE));
}

PLAIN_COPY(carry)

#endif /* SCAN_OP_MONOID_H */
