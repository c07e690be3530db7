/*
 * eft.h: error-free transformations: a rounded operation together with the
 * exact error it made.
 *
 * Sources: Knuth, TAOCP vol. 2, 4.2.2 (two_sum); Ogita, Rump and Oishi, "Accurate
 * sum and dot product", SIAM J. Sci. Comput. 26 (2005) (two_product by fma).
 */
#ifndef SCAN_OP_EFT_H
#define SCAN_OP_EFT_H

#include "op/fn.h"

/*
 * *sum = RN(a + b) and *error = a + b - *sum, exactly, for finite a and b
 * (subnormals too), unless an operation overflows: the sum, or a difference on the
 * way, which takes a sum of at least 2^1023.  Then *error is NaN or infinite, never
 * zero, and callers that test a chain of errors for zero see it.
 */
SCAN_FN void
two_sum(double a, double b, double *sum, double *error)
{
	double s = a + b;
	double bb = s - a;

	*error = (a - (s - bb)) + (b - bb);
	*sum = s;
}

/*
 * *product = RN(a * b) and *error = a * b - *product, exactly, as long as the
 * product neither overflows nor has bits below 2^-1074: see two_product_is_exact.
 */
SCAN_FN void
two_product(double a, double b, double *product, double *error)
{
	double p = a * b;

	*error = fma(a, b, -p);
	*product = p;
}

/*
 * The lowest bit of a*b lies at most 106 places below its highest one, so a
 * product of at least 2^-967 has none below 2^-1074; and no product of finite
 * numbers that rounds to less than 2^1023 has overflowed.
 */
SCAN_FN bool
two_product_is_exact(double a, double b)
{
	double p = fabs(a * b);

	return (p >= 0x1p-967 && p < 0x1p1023) || a == 0.0 || b == 0.0;
}

/* The one NaN that an answer is: which one arithmetic makes hangs on the machine. */
SCAN_FN double
canonical_nan(double x)
{
	return isnan(x) ? (double) NAN : x;
}

#endif /* SCAN_OP_EFT_H */
