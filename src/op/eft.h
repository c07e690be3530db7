/*
 * eft.h: error-free transformations.  Each function returns a rounded result together with the exact error of the
 * rounding.
 *
 * Sources: Knuth, TAOCP vol. 2, 4.2.2 (two_sum); Ogita, Rump and Oishi, "Accurate sum and dot product", SIAM J. Sci.
 * Comput. 26 (2005) (two_product by fma).
 */
#ifndef SCAN_OP_EFT_H
#define SCAN_OP_EFT_H

#include "op/fn.h"

/*
 * *sum = RN(a + b) and *error = a + b - *sum, exactly, for finite a and b, subnormals too, unless
 * an operation overflows.  Either the sum overflows or a difference on the way does, which takes a
 * sum of at least 2^1023.  Then *error is NaN or infinite, never zero, so a caller that tests a
 * chain of errors for zero notices.
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
 * *product = RN(a * b) and *error = a * b - *product, exactly, if the product neither overflows nor
 * has bits below 2^-1074: see two_product_is_exact.
 */
SCAN_FN void
two_product(double a, double b, double *product, double *error)
{
	double p = a * b;

	*error = fma(a, b, -p);
	*product = p;
}

/*
 * True if two_product is exact for finite a and b.  The lowest bit of a * b lies at most 106 bits below its highest
 * one, so a product of at least 2^-967 has no bit below 2^-1074.  A product that rounds to less than 2^1023 has not
 * overflowed.
 */
SCAN_FN bool
two_product_is_exact(double a, double b)
{
	double p = fabs(a * b);

	return (p >= 0x1p-967 && p < 0x1p1023) || a == 0.0 || b == 0.0;
}

/* Returns x, or the one NaN that results use: which NaN arithmetic makes depends on the machine. */
SCAN_FN double
canonical_nan(double x)
{
	return isnan(x) ? (double) NAN : x;
}

#endif /* SCAN_OP_EFT_H */
