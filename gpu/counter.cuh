/*
 * counter.cuh: the gains of counters of doubles, as long as pairs can hold them.
 *
 * As on the CPU (op/counter.h), a total is its first and last value and gain - last, here as a pair (pair.cuh).  It is
 * lost if a value is infinite or NaN, or if a pair cannot hold it; the CPU then runs the job.  Reading an answer adds
 * the last value: where that sum has a residual, the rounding is proved or the answer is lost.
 */
#ifndef SCAN_GPU_COUNTER_CUH
#define SCAN_GPU_COUNTER_CUH

#include "clamp.cuh"

typedef struct pair_counter_acc
{
	double	 first, last;
	pair_acc base; /* gain - last */
} pair_counter_acc;

SCAN_FN void
pair_counter_add(pair_counter_acc *a, double x)
{
	pair_acc one = pair_of_value(x);

	pair_join(&a->base, &one);
}

SCAN_FN void
pair_counter_join(pair_counter_acc *left, const pair_counter_acc *right)
{
	pair_join(&left->base, &right->base);
	pair_counter_add(left, right->first);
	if (right->first < left->last)
		pair_counter_add(left, left->last);
	left->last = right->last;
}

PLAIN_COPY(pair_counter)

/* False if a pair cannot hold the total, or if the last value is not finite. */
SCAN_FN bool
pair_counter_of_exact(const exact_counter_acc *counter, pair_counter_acc *a)
{
	a->first = counter->first;
	a->last = counter->last;
	return isfinite(counter->last) && pair_of_exact(&counter->base, &a->base);
}

SCAN_FN void
exact_of_pair_counter(const pair_counter_acc *a, exact_counter_acc *counter)
{
	counter->first = a->first;
	counter->last = a->last;
	exact_of_pair(&a->base, &counter->base);
}

BINDING_TYPES(pair_counter_float8, pair_counter, double, double)

BINDING_LIFT(pair_counter_float8)
{
	(void) param, (void) row;
	a->first = a->last = *x;
	a->base = pair_of_value(0.0 - *x);
}

BINDING_TAKE(pair_counter_float8, {
	if (!isfinite(*x))
		a->base = pair_lost();
	else if (*x < a->last)
		pair_counter_add(a, a->last);
	a->last = *x;
})

BINDING_LOWER(pair_counter_float8)
{
	double s, c, e, r;

	(void) param, (void) row, (void) before;
	two_sum(after->base.s, after->last, &s, &e);
	two_sum(after->base.c, e, &c, &r);
	*y = s + c;
	if (!(r == 0.0 && isfinite(*y)) && !exact_certify(s, c, fabs(r), y))
		return SCAN_NEEDS_ROOM;
	*y += 0.0;
	return SCAN_OK;
}

BINDING_IDENTITY(pair_counter_float8, SCAN_NULL, 0.0)

#endif /* SCAN_GPU_COUNTER_CUH */
