/*
 * counter.h: what a counter has gained that falls back to 0 now and then: the monoids behind scan_counter.
 *
 * binding.h binds them to SQL types.  A row gains x - x' over the value x' before it if x >= x'.  Otherwise the counter
 * has started again from 0, and the row gains x.  Two pieces of a column join if each knows its first and its last
 * value: the step between the pieces is a row's gain, too.
 *
 * Integers keep the gain in 128 bits: a step is below 2^64.  Floats keep the exact sum gain - last, which changes only
 * where the counter falls, so that a row costs a comparison and a rounding.
 *
 * Infinities and NaN follow PostgreSQL's order and arithmetic, step by step: a step up to Infinity gains Infinity, and
 * from Infinity to Infinity NaN.  Such a gain stays: no later value changes it.
 */
#ifndef SCAN_OP_COUNTER_H
#define SCAN_OP_COUNTER_H

#include "op/monoid.h"

/* ---- integers ---- */

typedef struct counter_acc
{
	int64_t		first, last;
	scan_int128 gain;
} SCAN_ALIGNED_8 counter_acc;

/* a := a with one more value */
SCAN_FN void
counter_take(counter_acc *a, int64_t x)
{
	a->gain += x >= a->last ? (scan_int128) x - a->last : x;
	a->last = x;
}

SCAN_FN void
counter_join(counter_acc *left, const counter_acc *right)
{
	counter_take(left, right->first);
	left->gain += right->gain;
	left->last = right->last;
}

PLAIN_COPY(counter)

/* ---- floats ---- */

typedef struct exact_counter_acc
{
	double	 first, last;
	ExactSum base; /* gain - last; the gain if it is infinite or NaN; 0 if the only value is infinite or NaN */
} exact_counter_acc;

SCAN_FN void
exact_counter_lift(double x, exact_counter_acc *a)
{
	a->first = x;
	a->last = x;
	exact_lift(isfinite(x) ? 0.0 - x : 0.0, &a->base);
}

/* True if `base` is gain - last. */
SCAN_FN bool
exact_counter_is_finite(const exact_counter_acc *a)
{
	return a->base.form != EXACT_SPECIAL && isfinite(a->last);
}

/* *gain := the gain. */
SCAN_FN void
exact_counter_gain(const exact_counter_acc *a, ExactSum *gain)
{
	if (a->base.form == EXACT_SPECIAL || isfinite(a->last))
		exact_copy(gain, &a->base);
	else
		exact_lift(0.0, gain);
	if (exact_counter_is_finite(a))
		exact_accumulate(gain, a->last);
}

/* Adds the step from `last` to x to a gain. */
SCAN_FN void
exact_counter_step(ExactSum *gain, double last, double x)
{
	exact_accumulate(gain, x);
	if (!float_less(x, last))
		exact_accumulate(gain, -last);
}

/* Sets the gain and the last value.  After a step to a `last` that is not finite, the gain is not finite either. */
SCAN_FN void
exact_counter_set(exact_counter_acc *a, const ExactSum *gain, double last)
{
	exact_copy(&a->base, gain);
	if (gain->form != EXACT_SPECIAL)
		exact_accumulate(&a->base, -last);
	a->last = last;
}

SCAN_FN_COLD void
exact_counter_take_slow(exact_counter_acc *a, double x)
{
	ExactSum gain;

	exact_counter_gain(a, &gain);
	exact_counter_step(&gain, a->last, x);
	exact_counter_set(a, &gain, x);
}

/* a := a with one more value */
SCAN_FN void
exact_counter_take(exact_counter_acc *a, double x)
{
	if (SCAN_LIKELY(isfinite(x) && exact_counter_is_finite(a)))
	{
		if (x < a->last)
			exact_accumulate(&a->base, a->last);
		a->last = x;
	}
	else
		exact_counter_take_slow(a, x);
}

SCAN_FN_COLD void
exact_counter_join_slow(exact_counter_acc *left, const exact_counter_acc *right)
{
	ExactSum gain, more;

	exact_counter_gain(left, &gain);
	exact_counter_gain(right, &more);
	exact_counter_step(&gain, left->last, right->first);
	exact_join(&gain, &more);
	exact_counter_set(left, &gain, right->last);
}

SCAN_FN void
exact_counter_join(exact_counter_acc *left, const exact_counter_acc *right)
{
	if (SCAN_LIKELY(exact_counter_is_finite(left) && exact_counter_is_finite(right) && isfinite(right->first)))
	{
		exact_join(&left->base, &right->base);
		exact_accumulate(&left->base, right->first);
		if (right->first < left->last)
			exact_accumulate(&left->base, left->last);
		left->last = right->last;
	}
	else
		exact_counter_join_slow(left, right);
}

SCAN_FN void
exact_counter_copy(exact_counter_acc *dst, const exact_counter_acc *src)
{
	dst->first = src->first;
	dst->last = src->last;
	exact_copy(&dst->base, &src->base);
}

SCAN_FN_COLD ScanStatus
exact_counter_round_slow(const exact_counter_acc *a, double *y)
{
	ExactSum   gain;
	ScanStatus status;

	exact_counter_gain(a, &gain);
	status = exact_round(&gain, y);
	*y += 0.0;
	return status;
}

/*
 * *y := the gain rounded once; a gain of zero is +0.  The status is as in exact_round.  The residual r
 * of adding the last value is one more term of the bound that exact_certify takes.
 */
SCAN_FN ScanStatus
exact_counter_round(const exact_counter_acc *a, double *y)
{
	double s, c, e, r;

	if (SCAN_LIKELY(a->base.form == EXACT_PAIR || a->base.form == EXACT_LIMBS))
	{
		double bound = a->base.form == EXACT_PAIR ? 0.0 : a->base.bound;

		two_sum(a->base.s, a->last, &s, &e);
		two_sum(a->base.c, e, &c, &r);
		*y = s + c;
		if (SCAN_LIKELY((r == 0.0 && bound == 0.0 && isfinite(*y)) || exact_certify(s, c, bound + fabs(r), y)))
		{
			*y += 0.0;
			return SCAN_OK;
		}
	}
	return exact_counter_round_slow(a, y);
}

#endif /* SCAN_OP_COUNTER_H */
