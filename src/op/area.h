/*
 * area.h: the exact area under a step function or a line: a sum of values times steps.
 *
 * Called by scan_integral.  A product of a value and a step is two doubles (eft.h), and goes into the exact sum of
 * exact.h, which is a pair of doubles for usual data.  Once a product is too large or too small for that, the sum moves
 * into a number that is wide enough for every product of doubles, and stays there.  A value that is NaN or infinite is
 * kept as exact.h keeps it, and then finite values no longer matter.
 *
 * An area is divided by a whole number when it is read (microseconds in a second, two halves of a trapezium) and
 * rounded once.  The quotient of a pair is a quotient of doubles with its exact remainder; exact_certify proves its
 * rounding, or the limbs are divided.
 */
#ifndef SCAN_OP_AREA_H
#define SCAN_OP_AREA_H

#include "op/dot.h"
#include "op/quotient.h"
#include "op/step.h"

/* Bytes without pointers, which another process can continue from. */
typedef struct Area
{
	ExactSum sum;				/* the area, unless it is wide; its NaN and infinities in any case */
	bool	 wide;				/* `limb` has the area */
	uint64_t limb[DOT_LIMBS_N]; /* lowest bit DOT_LSB */
} Area;

SCAN_FN void
area_start(Area *a)
{
	exact_lift(0.0, &a->sum);
	a->wide = false;
}

/* Moves the area into the wide number.  The limbs of the sum begin EXACT_LSB - DOT_LSB bits above those of it. */
SCAN_FN_COLD void
area_widen(Area *a)
{
	const int place = EXACT_LSB - DOT_LSB;
	bool	  negative;

	exact_to_limbs(&a->sum);
	negative = (a->sum.limb[EXACT_LIMBS_N - 1] >> 63) != 0;
	if (negative)
		limbs_negate(a->sum.limb, EXACT_LIMBS_N);
	memset(a->limb, 0, sizeof(a->limb));
	for (int i = 0; i < EXACT_LIMBS_N; i++)
		limbs_add_at(a->limb, DOT_LIMBS_N, i + place / 64, (scan_uint128) a->sum.limb[i] << place % 64, negative);
	exact_lift(0.0, &a->sum);
	a->wide = true;
}

SCAN_FN_COLD void
area_add_wide(Area *a, double x, double width)
{
	if (!a->wide)
		area_widen(a);
	limbs_add_product(a->limb, DOT_LIMBS_N, x, width);
}

/* a += x * width, both finite */
SCAN_FN void
area_add_product(Area *a, double x, double width)
{
	double product, error;

	if (!SCAN_LIKELY(!a->wide && two_product_is_exact(x, width)))
	{
		area_add_wide(a, x, width);
		return;
	}
	two_product(x, width, &product, &error);
	exact_accumulate(&a->sum, product);
	if (error != 0.0)
		exact_accumulate(&a->sum, error);
}

/* a += x * step.  A step of 0 adds nothing, whatever x is; any other one is above 0. */
SCAN_FN void
area_add(Area *a, double x, const Step *step)
{
	if (step_is_zero(step))
		return;
	if (!isfinite(x))
		exact_accumulate(&a->sum, x);
	else if (a->sum.form != EXACT_SPECIAL)
	{
		area_add_product(a, x, step->h);
		if (step->l != 0.0)
			area_add_product(a, x, step->l);
	}
}

/* a += (x + y) * step.  The sum of two values is mostly one double, which saves a product. */
SCAN_FN void
area_add_both(Area *a, double x, double y, const Step *step)
{
	double sum, error;

	two_sum(x, y, &sum, &error);
	if (SCAN_LIKELY(isfinite(sum) && isfinite(error)))
	{
		area_add(a, sum, step);
		if (error != 0.0)
			area_add(a, error, step);
	}
	else
	{
		area_add(a, x, step);
		area_add(a, y, step);
	}
}

/* Returns the area over a divisor, rounded once, from the limbs; *y := an infinity if it is out of range. */
SCAN_FN_COLD double
area_divide_limbs(const Area *a, uint64_t divisor)
{
	uint64_t limb[DOT_LIMBS_N];
	Long	 value = {limb, a->wide ? DOT_LIMBS_N : EXACT_LIMBS_N, a->wide ? DOT_LSB : EXACT_LSB, false};

	if (a->wide)
		memcpy(limb, a->limb, sizeof(a->limb));
	else
	{
		ExactSum whole;

		exact_copy(&whole, &a->sum);
		exact_to_limbs(&whole);
		memcpy(limb, whole.limb, sizeof(whole.limb));
	}
	long_settle(&value);
	return long_quotient_round(&value, divisor, 1, false);
}

/*
 * *y := s + c over a divisor, rounded once, where |value - (s + c)| <= bound.  False if that is not
 * proved.  With q = s / divisor rounded, the remainder r = s - q divisor is a double, so the
 * quotient is q + (r + c) / divisor.  Its second term is computed with a relative error below 2^-51,
 * and what underflows is below 2^-1000, which is no subnormal number: adding one takes longer than
 * all the rest.
 */
SCAN_FN bool
area_divide_pair(double s, double c, double bound, double divisor, double *y)
{
	double high, low, q, r, l;

	two_sum(s, c, &high, &low);
	q = high / divisor;
	if (!(fabs(q) > 0x1p-900 && fabs(q) < 0x1p1000))
		return false;
	r = fma(-q, divisor, high);
	l = (r + low) / divisor;
	return exact_certify(q, l, bound / divisor + (0x1p-50 * fabs(l) + 0x1p-1000), y);
}

/*
 * *y := the area over a divisor, rounded once; a zero is +0.  Returns SCAN_FLOAT_OVERFLOW if finite
 * values give an infinity.
 */
SCAN_FN ScanStatus
area_divide(const Area *a, uint64_t divisor, double *y)
{
	const ExactSum *sum = &a->sum;

	if (sum->form == EXACT_SPECIAL)
	{
		*y = exact_special_value(sum->special);
		return SCAN_OK;
	}
	if (!a->wide && sum->form == EXACT_PAIR && sum->s == 0.0 && sum->c == 0.0)
		*y = 0.0;
	else if (a->wide ||
			 !area_divide_pair(sum->s, sum->c, sum->form == EXACT_PAIR ? 0.0 : sum->bound, (double) divisor, y))
		*y = area_divide_limbs(a, divisor);
	return isfinite(*y) ? SCAN_OK : SCAN_FLOAT_OVERFLOW;
}

#endif /* SCAN_OP_AREA_H */
