/*
 * dot.h: exactly rounded dot products.
 *
 * Called by scan_matrix_product, scan_filter and the applications.  The exact value of x . y is rounded once.  A
 * product that a pair of doubles can hold goes into the exact sum of exact.h.  If some product would overflow or lose
 * bits below 2^-1074, all products go into a number wide enough for every product of doubles.  A result that is zero is
 * +0.
 */
#ifndef SCAN_OP_DOT_H
#define SCAN_OP_DOT_H

#include "op/exact.h"

#define DOT_LIMBS_N 68 /* bits 0 to 4195 of a product, and 150 of head room */
#define DOT_LSB (-2148)
#define DOT_TICK 65536 /* products between two ticks */

/* dot_exact_ticked, with every product in one long number.  All inputs are finite. */
SCAN_FN_COLD ScanStatus
dot_wide(const double *x, int64_t x_step, const double *y, int64_t y_step, int64_t n, void (*tick)(void),
		 double *result)
{
	uint64_t limb[DOT_LIMBS_N];

	memset(limb, 0, sizeof(limb));
	for (int64_t i = 0; i < n; i++)
	{
		if (i % DOT_TICK == DOT_TICK - 1 && tick != NULL)
			tick();
		limbs_add_product(limb, DOT_LIMBS_N, x[i * x_step], y[i * y_step]);
	}
	*result = limbs_round(limb, DOT_LIMBS_N, DOT_LSB, 53, EXACT_LSB);
	return isfinite(*result) ? SCAN_OK : SCAN_FLOAT_OVERFLOW;
}

/*
 * *result := the sum of x[i x_step] * y[i y_step] for i < n, rounded once.  If an input is NaN or
 * infinite, the result is what IEEE arithmetic gives, which no order of the additions changes.
 * `tick` is called every DOT_TICK products and may not return; NULL: nothing is called.
 */
SCAN_FN ScanStatus
dot_exact_ticked(const double *x, int64_t x_step, const double *y, int64_t y_step, int64_t n, void (*tick)(void),
				 double *result)
{
	ExactSum   sum;
	bool	   wide = false;
	ScanStatus status;

	exact_lift(0.0, &sum);
	for (int64_t i = 0; i < n; i++)
	{
		double a = x[i * x_step];
		double b = y[i * y_step];
		double product, error;

		if (i % DOT_TICK == DOT_TICK - 1 && tick != NULL)
			tick();
		if (!isfinite(a) || !isfinite(b))
			exact_accumulate(&sum, a * b);
		else if (!two_product_is_exact(a, b))
			wide = true;
		else
		{
			two_product(a, b, &product, &error);
			exact_accumulate(&sum, product);
			exact_accumulate(&sum, error);
		}
	}
	if (wide && sum.form != EXACT_SPECIAL)
		return dot_wide(x, x_step, y, y_step, n, tick, result);
	status = exact_round(&sum, result);
	if (*result == 0.0)
		*result = 0.0;
	return status;
}

/* dot_exact_ticked without ticks, for short sums. */
SCAN_FN ScanStatus
dot_exact(const double *x, int64_t x_step, const double *y, int64_t y_step, int64_t n, double *result)
{
	return dot_exact_ticked(x, x_step, y, y_step, n, NULL, result);
}

#endif /* SCAN_OP_DOT_H */
