/*
 * double_double.h: numbers of about 106 bits, the unevaluated sum of two doubles.
 *
 * Used where a recurrence of many rows must not lose bits, and its result is rounded to a double: op/ema_moments.h.
 * Each function has a fixed sequence of roundings, so that it returns the same bits on every machine.
 *
 * Source: Joldes, Muller and Popescu, "Tight and rigorous error bounds for basic building blocks of double-word
 * arithmetic", ACM Trans. Math. Softw. 44 (2017).  With u = 2^-53, a sum has a relative error of at most 3 u^2 plus
 * terms of u^3, a product 5 u^2 and a quotient 10 u^2, if no operation overflows or underflows.
 */
#ifndef SCAN_OP_DOUBLE_DOUBLE_H
#define SCAN_OP_DOUBLE_DOUBLE_H

#include "op/eft.h"

/* h is the sum, rounded to a double. */
typedef struct DoubleDouble
{
	double h, l;
} DoubleDouble;

/* Returns h + l, where h is 0 or at least as large as l. */
SCAN_FN DoubleDouble
dd_of(double h, double l)
{
	double		 sum = h + l;
	DoubleDouble y = {sum, l - (sum - h)};

	return y;
}

SCAN_FN DoubleDouble
dd_sum_of(double a, double b)
{
	DoubleDouble y;

	two_sum(a, b, &y.h, &y.l);
	return y;
}

SCAN_FN DoubleDouble
dd_add(DoubleDouble a, DoubleDouble b)
{
	DoubleDouble s = dd_sum_of(a.h, b.h);
	DoubleDouble t = dd_sum_of(a.l, b.l);

	s = dd_of(s.h, s.l + t.h);
	return dd_of(s.h, s.l + t.l);
}

SCAN_FN DoubleDouble
dd_negate(DoubleDouble a)
{
	DoubleDouble y = {-a.h, -a.l};

	return y;
}

SCAN_FN DoubleDouble
dd_multiply(DoubleDouble a, DoubleDouble b)
{
	double p, e;

	two_product(a.h, b.h, &p, &e);
	return dd_of(p, e + (a.h * b.l + a.l * b.h));
}

/* Returns a times a power of two, exactly. */
SCAN_FN DoubleDouble
dd_scale(DoubleDouble a, double power)
{
	a.h *= power;
	a.l *= power;
	return a;
}

SCAN_FN DoubleDouble
dd_divide(DoubleDouble a, DoubleDouble b)
{
	double q = a.h / b.h;
	double p, e;

	two_product(q, b.h, &p, &e);
	return dd_of(q, (((a.h - p) - e) + (a.l - q * b.l)) / b.h);
}

/* Returns the root of a number that is not negative. */
SCAN_FN DoubleDouble
dd_root(DoubleDouble a)
{
	double y = sqrt(a.h);
	double p, e;

	if (y == 0.0)
		return a;
	two_product(y, y, &p, &e);
	return dd_of(y, (((a.h - p) - e) + a.l) / (2.0 * y));
}

#endif /* SCAN_OP_DOUBLE_DOUBLE_H */
