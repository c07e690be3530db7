/*
 * monoid.h: the accumulators of the scans, and how two of them join.
 *
 * binding.h binds them to SQL types.  A monoid M is a type M_acc, an associative M_join(left, right), which sets left
 * := left (+) right, `left` being the earlier rows, and M_copy.  The joins of `clamp` and `carry` do not commute.  A
 * join cannot fail: every accumulator is wide enough, wraps, or absorbs.  The binding checks whether a result fits its
 * SQL type.  No monoid needs an identity, because wrap.h handles segments without values; so min and max have no
 * identity that could be wrong.
 */
#ifndef SCAN_OP_MONOID_H
#define SCAN_OP_MONOID_H

#include "op/exact.h"

#define PLAIN_COPY(M)                                       \
	SCAN_FN void M##_copy(M##_acc *dst, const M##_acc *src) \
	{                                                       \
		*dst = *src;                                        \
	}

/* ---- numbers: one macro; each join is an expression in l and r ---- */

#define NUMBER_MONOID(M, T, JOINED)                            \
	typedef T	 M##_acc;                                      \
	SCAN_FN void M##_join(M##_acc *left, const M##_acc *right) \
	{                                                          \
		const T l = *left, r = *right;                         \
		*left = (T) (JOINED);                                  \
	}                                                          \
	PLAIN_COPY(M)

/*
 * True if a < b in PostgreSQL's order of floats: NaN is above everything and equal to itself, -0 is equal to 0.  Of
 * equal values, the joins below keep the later one, as core's min() and max() do: "rightmost best" is associative.
 */
SCAN_FN bool
float_less(double a, double b)
{
	return isnan(b) ? !isnan(a) : a < b;
}

/*
 * Integer totals wrap at 2^64, which is associative.  By induction the wrapped prefix is the true one up to the first
 * row where the binding's sign test (integer_sum_lower) reports an overflow, so the first overflow is found in any
 * association.  128-bit totals (wide_add, below) need no such argument, but take twice as long in cache: they are for
 * sums that are returned beyond int8.
 */
NUMBER_MONOID(add, int64_t, (uint64_t) l + (uint64_t) r)
NUMBER_MONOID(min, int64_t, l < r ? l : r)
NUMBER_MONOID(max, int64_t, l > r ? l : r)
NUMBER_MONOID(bits_and, int64_t, l &r)
NUMBER_MONOID(bits_or, int64_t, l | r)
NUMBER_MONOID(bits_xor, int64_t, l ^ r)
NUMBER_MONOID(fmin, double, float_less(l, r) ? l : r)
NUMBER_MONOID(fmax, double, float_less(r, l) ? l : r)
/* float4 is not widened: a signaling NaN would come back from a double as a different value */
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
	int64_t		month, day;
	scan_int128 time;
	/*
	 * 1: an infinite interval came in (PostgreSQL 17 on).  Bytes and no bools, since a total may come from another
	 * program with any bytes in it.
	 */
	uint8_t plus_infinity, minus_infinity;
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

/* ---- clamp: the maps y -> min(hi, max(lo, y + shift)), closed under composition ---- */

#define CLAMP_INFINITY ((scan_int128) 1 << 126) /* no bound; sums of int8 stay far below it */

typedef struct clamp_acc
{
	scan_int128 shift;
	scan_int128 lo;
	scan_int128 hi;
} SCAN_ALIGNED_8 clamp_acc;

/* Returns the map's value at y.  An absent bound (CLAMP_INFINITY) stays absent: it is not shifted. */
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
