/*
 * step.h: the exact distance between two values of an argument `at`, as an unevaluated sum of two doubles.
 *
 * Called by area.h and line.h, which multiply distances by values.  A distance of two integers of 64 bits and most
 * distances of two doubles have at most 106 bits, and those of usual times at most 53, so that `l` is 0.
 */
#ifndef SCAN_OP_STEP_H
#define SCAN_OP_STEP_H

#include "op/eft.h"

/*
 * The number h + l, exactly.  Normally h is the number rounded to double.  If the number is beyond the largest double,
 * h and l are just two finite doubles with that sum.
 */
typedef struct Step
{
	double h, l;
} Step;

SCAN_FN Step
step_of_integer(uint64_t n)
{
	Step step = {(double) n, 0.0};

	if (n > UINT64_C(1) << 53)
		step.l = (double) (int64_t) ((scan_int128) n - (scan_int128) step.h);
	return step;
}

/* Returns to - from, for finite doubles. */
SCAN_FN Step
step_of_doubles(double from, double to)
{
	Step step, far = {to, -from};

	two_sum(to, -from, &step.h, &step.l);
	return isfinite(step.h) && isfinite(step.l) ? step : far;
}

/* True if h is the number rounded to double, and l the rest. */
SCAN_FN bool
step_is_rounded(const Step *step)
{
	return step->h + step->l == step->h;
}

SCAN_FN bool
step_is_zero(const Step *step)
{
	return step->h == 0.0 && step->l == 0.0;
}

#endif /* SCAN_OP_STEP_H */
