/*
 * quotient.h: long numbers over counts of rows, and the square roots of such quotients,
 * rounded once.
 *
 * Fed by moments.h: averages are sums over a count, variances over the product of two.
 * A quotient is cut somewhere below the last place of a double, and the lowest of the bits
 * that are left is set if anything was cut off ("round to odd").  The number is then on the
 * same side of every double and of every middle between two of them as the real one, so
 * the one rounding by magnitude_round is that of the real one.  It takes two bits more than
 * the answer has: here there are 62 at least.
 */
#ifndef SCAN_OP_QUOTIENT_H
#define SCAN_OP_QUOTIENT_H

#include "op/long.h"

/*
 * The limbs that are divided: at least 257 bits, less 126 for two divisors, are the 131 of
 * a quotient, and more than the 126 that a root is taken of.
 */
#define QUOTIENT_LIMBS 5
#define ROOT_BITS 126

/* limb /= divisor; the remainder */
SCAN_FN uint64_t
limbs_divide(uint64_t *limb, int n, uint64_t divisor)
{
	uint64_t rest = 0;

	for (int i = n - 1; i >= 0; i--)
	{
		scan_uint128 part = (scan_uint128) rest << 64 | limb[i];

		limb[i] = (uint64_t) (part / divisor);
		rest = (uint64_t) (part % divisor);
	}
	return rest;
}

/* The largest number whose square is not above x, for 2^124 <= x < 2^126. */
SCAN_FN uint64_t
integer_root(scan_uint128 x)
{
	uint64_t root = (uint64_t) sqrt((double) x); /* right to 2^11 */

	/* Newton's step is never below the root, and one above it at most */
	root = (uint64_t) ((root + x / root) / 2);
	while ((scan_uint128) root * root > x)
		root--;
	return root;
}

/* limb[0] := the root of limb * 2^*lsb cut to an integer * 2^*lsb; whether anything was cut off */
SCAN_FN bool
quotient_root(uint64_t *limb, int *lsb)
{
	scan_uint128 x;
	int			 top = QUOTIENT_LIMBS - 1, cut;
	bool		 rest;

	while (limb[top] == 0)
		top--;
	cut = 64 * top + bit_length(limb[top]) - ROOT_BITS;
	cut += (*lsb + cut) & 1; /* the root of 2^lsb has to be a power of two */
	rest = limbs_any_below(limb, cut);
	x = limbs_window(limb, QUOTIENT_LIMBS, cut) | (scan_uint128) limbs_window(limb, QUOTIENT_LIMBS, cut + 64) << 64;
	limb[0] = integer_root(x);
	*lsb = (*lsb + cut) / 2;
	return rest || (scan_uint128) limb[0] * limb[0] != x;
}

/*
 * x / (a b), or its square root, rounded once to double.  a and b lie between 1 and 2^63; a
 * root is that of a number that is not negative.  A zero is +0.
 */
SCAN_FN_COLD double
long_quotient_round(const Long *x, uint64_t a, uint64_t b, bool root)
{
	uint64_t limb[QUOTIENT_LIMBS];
	int		 first = x->n - QUOTIENT_LIMBS; /* of the limbs that are divided; there may be fewer */
	int		 lsb = x->lsb + 64 * first;
	bool	 rest;

	if (x->n == 0)
		return 0.0;
	for (int i = 0; i < QUOTIENT_LIMBS; i++)
		limb[i] = first + i >= 0 ? x->limb[first + i] : 0;
	rest = first > 0 && limbs_any_below(x->limb, 64 * first);
	rest = limbs_divide(limb, QUOTIENT_LIMBS, a) != 0 || rest;
	rest = limbs_divide(limb, QUOTIENT_LIMBS, b) != 0 || rest;
	if (root)
		rest = quotient_root(limb, &lsb) || rest;
	limb[0] |= rest;
	return magnitude_round(limb, root ? 1 : QUOTIENT_LIMBS, lsb, 53, -1074, x->negative);
}

#endif /* SCAN_OP_QUOTIENT_H */
