/*
 * quotient.h: quotients of long numbers, and their square roots, rounded once.
 *
 * Called by moments.h: an average is a sum over a count, a variance is divided by two counts; by area.h, whose divisor
 * is a unit of time; and by line.h, which divides two long numbers.  A quotient is cut somewhere below the last bit of
 * a double, and the lowest bit that is left is set if anything was cut off ("round to odd").  The cut number is then on
 * the same side as the real number of every double and of every midpoint of two doubles, so magnitude_round rounds both
 * to the same double.  That takes two bits more than a double has; here there are at least 62.
 */
#ifndef SCAN_OP_QUOTIENT_H
#define SCAN_OP_QUOTIENT_H

#include "op/long.h"

/*
 * The number of limbs that are divided: they have at least 257 bits.  Two divisors take away 126.  The 131 that remain
 * are enough for a quotient, and more than the 126 whose root is computed.
 */
#define QUOTIENT_LIMBS 5
#define ROOT_BITS 126

/* limb /= divisor.  Returns the remainder. */
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

/* Returns the largest integer whose square is at most x, for 2^124 <= x < 2^126. */
SCAN_FN uint64_t
integer_root(scan_uint128 x)
{
	uint64_t root = (uint64_t) sqrt((double) x); /* off by at most 2^11 */

	/* Newton's step is never below the root, and at most one above it */
	root = (uint64_t) ((root + x / root) / 2);
	while ((scan_uint128) root * root > x)
		root--;
	return root;
}

/* limb[0] * 2^*lsb := the root of limb * 2^*lsb, cut.  Returns true if anything was cut off. */
SCAN_FN bool
quotient_root(uint64_t *limb, int *lsb)
{
	scan_uint128 x;
	int			 top = QUOTIENT_LIMBS - 1, cut;
	bool		 rest;

	while (limb[top] == 0)
		top--;
	cut = 64 * top + bit_length(limb[top]) - ROOT_BITS;
	cut += (*lsb + cut) & 1; /* an even power, so that its root is a power of two */
	rest = limbs_any_below(limb, cut);
	x = limbs_window(limb, QUOTIENT_LIMBS, cut) | (scan_uint128) limbs_window(limb, QUOTIENT_LIMBS, cut + 64) << 64;
	limb[0] = integer_root(x);
	*lsb = (*lsb + cut) / 2;
	return rest || (scan_uint128) limb[0] * limb[0] != x;
}

/*
 * Returns x / (a b), or its square root, rounded once to double.  a and b are between 1 and 2^63; for a root, x is not
 * negative.  A zero is +0.
 */
SCAN_FN_COLD double
long_quotient_round(const Long *x, uint64_t a, uint64_t b, bool root)
{
	uint64_t limb[QUOTIENT_LIMBS];
	int		 first = x->n - QUOTIENT_LIMBS; /* the lowest limb that is divided; negative if x has fewer */
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

/* ---- two long numbers ---- */

/* Returns the position of the highest one bit of a number that is not negative, counted from 1; 0 for 0. */
SCAN_FN int
limbs_bit_length(const uint64_t *limb, int n)
{
	while (n > 0 && limb[n - 1] == 0)
		n--;
	return n == 0 ? 0 : 64 * (n - 1) + bit_length(limb[n - 1]);
}

/* limb *= 2^shift; the limbs have room. */
SCAN_FN void
limbs_shift(uint64_t *limb, int n, int shift)
{
	int whole = shift / 64, bits = shift % 64;

	for (int i = n - 1; i >= 0; i--)
	{
		uint64_t high = i >= whole ? limb[i - whole] : 0;
		uint64_t low = i > whole ? limb[i - whole - 1] : 0;

		limb[i] = bits == 0 ? high : high << bits | low >> (64 - bits);
	}
}

/* limb -= other, if that is not negative.  Returns whether it was subtracted. */
SCAN_FN bool
limbs_take(uint64_t *limb, const uint64_t *other, int n)
{
	unsigned carry = 1;
	int		 i = n - 1;

	while (i >= 0 && limb[i] == other[i])
		i--;
	if (i >= 0 && limb[i] < other[i])
		return false;
	for (i = 0; i < n; i++)
		limb[i] = limb_add(limb[i], ~other[i], &carry);
	return true;
}

/*
 * Returns x / y * 2^lsb, rounded once to double, for numbers of n limbs, x >= 0 and y > 0; both are destroyed.  Each
 * has a bit of room above its highest one, and the room by which the other is longer.  The quotient is divided out to
 * 64 bits, bit by bit.
 */
SCAN_FN_COLD double
limbs_quotient_round(uint64_t *x, uint64_t *y, int n, int lsb, bool negative)
{
	int		 shift = limbs_bit_length(x, n) - limbs_bit_length(y, n);
	uint64_t quotient = 0;

	if (limbs_are_zero(x, n))
		return 0.0;
	limbs_shift(shift > 0 ? y : x, n, shift > 0 ? shift : -shift);
	for (int i = 0; i < 64; i++)
	{
		quotient = quotient << 1 | limbs_take(x, y, n);
		limbs_shift(x, n, 1);
	}
	quotient |= !limbs_are_zero(x, n);
	return magnitude_round(&quotient, 1, lsb + shift - 63, 53, -1074, negative);
}

#endif /* SCAN_OP_QUOTIENT_H */
