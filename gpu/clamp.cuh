/*
 * clamp.cuh: clamped sums of doubles, as long as pairs can hold them.
 *
 * The CPU takes the rows in order: it keeps an exact sum, which starts again from a bound when it has passed the bound
 * (op/in_sequence.h).  On real numbers each row is a map y -> min(hi, max(lo, y + shift)), and such maps compose, as
 * those of the integers do (op/monoid.h).  Here shift, lo and hi are pairs (pair.cuh).  Sums of pairs are exact or
 * lost, and comparisons of pairs are exact, so a total that is not lost is the CPU's number, in whatever order the maps
 * were joined.
 *
 * A total is also lost, by a NaN in `shift`, if a value is infinite or NaN, or if a bound or the initial value is -0:
 * the sign of a zero would then depend on how a bound was met.  Otherwise no total is -0, because a sum of zeros is -0
 * only if all of them are.
 */
#ifndef SCAN_GPU_CLAMP_CUH
#define SCAN_GPU_CLAMP_CUH

#include "op/in_sequence.h"
#include "pair.cuh"

typedef struct pair_clamp_acc
{
	pair_acc shift, lo, hi; /* lo and hi may be infinite */
} pair_clamp_acc;

SCAN_FN pair_acc
pair_lost(void)
{
	pair_acc lost = {(double) NAN, 0.0};

	return lost;
}

SCAN_FN pair_acc
pair_of_value(double x)
{
	pair_acc pair = {x, 0.0};

	return isfinite(x) ? pair : pair_lost();
}

SCAN_FN pair_acc
pair_of_bound(double x)
{
	pair_acc pair = {x, 0.0};

	return x == 0.0 && signbit(x) ? pair_lost() : pair;
}

/* True if a < b, exactly; false if one of them is lost. */
SCAN_FN bool
pair_less(const pair_acc *a, const pair_acc *b)
{
	double x, y, x_rest, y_rest;

	/* rounding keeps the order of numbers that do not round to the same */
	two_sum(a->s, a->c, &x, &x_rest);
	two_sum(b->s, b->c, &y, &y_rest);
	return x < y || (x == y && x_rest < y_rest);
}

/* Returns f(y). */
SCAN_FN pair_acc
pair_clamp_apply(const pair_clamp_acc *f, const pair_acc *y)
{
	pair_acc total = *y;

	/* y is infinite if it is a bound; adding to it would not change it */
	if (!isinf(total.s))
		pair_join(&total, &f->shift);
	if (pair_less(&total, &f->lo))
		return f->lo;
	return pair_less(&f->hi, &total) ? f->hi : total;
}

SCAN_FN void
pair_clamp_join(pair_clamp_acc *left, const pair_clamp_acc *right)
{
	left->lo = pair_clamp_apply(right, &left->lo);
	left->hi = pair_clamp_apply(right, &left->hi);
	pair_join(&left->shift, &right->shift);
	if (!pair_holds(&left->lo) || !pair_holds(&left->hi))
		left->shift = pair_lost();
}

PLAIN_COPY(pair_clamp)

/* Returns the total: the map applied to the segment's initial value. */
SCAN_FN pair_acc
pair_clamp_total(const ClampedFloatParam *p, const pair_clamp_acc *f)
{
	pair_acc init = isfinite(p->init) ? pair_of_bound(p->init) : pair_lost();
	pair_acc total = pair_clamp_apply(f, &init);

	return pair_holds(&f->shift) && pair_holds(&init) ? total : pair_lost();
}

BINDING_TYPES(pair_clamped_sum_float8, pair_clamp, double, double)

BINDING_LIFT(pair_clamped_sum_float8)
{
	const ClampedFloatParam *p = (const ClampedFloatParam *) param;

	(void) row;
	a->lo = pair_of_bound(p->lower);
	a->hi = pair_of_bound(p->upper);
	a->shift = pair_holds(&a->lo) && pair_holds(&a->hi) ? pair_of_value(*x) : pair_lost();
}

BINDING_PLAIN(pair_clamped_sum_float8)

BINDING_LOWER(pair_clamped_sum_float8)
{
	pair_acc total = pair_clamp_total((const ClampedFloatParam *) param, after);

	(void) row, (void) before;
	return pair_holds(&total) ? pair_round(&total, y) : SCAN_NEEDS_ROOM;
}

BINDING_IDENTITY(pair_clamped_sum_float8, SCAN_NULL, 0.0)

#endif /* SCAN_GPU_CLAMP_CUH */
