/*
 * clamp.cuh: clamped sums of doubles as far as pairs hold them.
 *
 * On the CPU the rows go in order: an exact sum, which starts again from a bound when it has
 * passed it (op/in_sequence.h).  On real numbers each row is a map y -> min(hi, max(lo, y + shift)),
 * and such maps compose, as those of the integers do (op/monoid.h).  Here shift, lo and hi are
 * pairs (pair.cuh), sums of which are exact or lost, and which are compared exactly; so what
 * is not lost is the CPU's number, in whatever order maps were joined.
 *
 * Lost, hence NaN in `shift`, is also what has infinities or NaNs among its values, and
 * bounds or a beginning of -0: then the sign of a zero would hang on how a bound was met.
 * Without them no total is -0, since a sum of zeros is -0 only if all of them are.
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

/* a < b, exactly; false where one is lost */
SCAN_FN bool
pair_less(const pair_acc *a, const pair_acc *b)
{
	double x, y, x_rest, y_rest;

	/* rounding keeps the order of numbers that do not round to the same */
	two_sum(a->s, a->c, &x, &x_rest);
	two_sum(b->s, b->c, &y, &y_rest);
	return x < y || (x == y && x_rest < y_rest);
}

/* What the map makes of y. */
SCAN_FN pair_acc
pair_clamp_apply(const pair_clamp_acc *f, const pair_acc *y)
{
	pair_acc total = *y;

	/* an infinite bound, which values move no further */
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

/* The total: what the map makes of what the segment began with. */
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
