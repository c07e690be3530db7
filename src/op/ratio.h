/*
 * ratio.h: differences of products of long numbers, and quotients of long numbers by long numbers, with their square
 * roots, rounded once.
 *
 * Called by pairs.h, powers.h and time_area.h, whose divisors are sums; quotient.h divides by counts, which have one
 * limb.  A quotient is cut below the last bit of a double and "rounded to odd", as in quotient.h, so it is rounded only
 * once.
 *
 * Nearly always that is not needed: the highest 64 or 128 bits of the numbers give the quotient within a few units of
 * its 64th bit, and if both ends are rounded to the same double, so is the quotient.  These bits are integers too,
 * since a proof by doubles would need the machine to round to nearest.
 */
#ifndef SCAN_OP_RATIO_H
#define SCAN_OP_RATIO_H

#include "op/quotient.h"

#define RATIO_MOST 256 /* the most limbs of a dividend or a divisor */
#define RATIO_LIMBS 3  /* limbs of a quotient; its highest bit is bit 127 or 128 */

/*
 * result := a b - c d.  The limbs are in `limb`, which has room for one limb more than either product.  The lowest bits
 * of both products must be a multiple of 64 bits apart.
 */
SCAN_FN void
long_cross(const Long *a, const Long *b, const Long *c, const Long *d, uint64_t *limb, Long *result)
{
	int first = a->lsb + b->lsb, second = c->lsb + d->lsb;
	int first_end = first + 64 * (a->n + b->n), second_end = second + 64 * (c->n + d->n);

	if (a->n == 0 || b->n == 0)
	{
		first = second;
		first_end = second_end;
	}
	if (c->n == 0 || d->n == 0)
	{
		second = first;
		second_end = first_end;
	}
	result->limb = limb;
	result->lsb = first < second ? first : second;
	result->n = ((first_end > second_end ? first_end : second_end) - result->lsb) / 64 + 1;
	memset(limb, 0, (size_t) result->n * sizeof(uint64_t));
	for (int i = 0; i < a->n && b->n > 0; i++)
		long_add_product(limb, result->n, b->limb, b->n, a->limb[i], (first - result->lsb) / 64 + i, 0,
						 a->negative != b->negative);
	for (int i = 0; i < c->n && d->n > 0; i++)
		long_add_product(limb, result->n, d->limb, d->n, c->limb[i], (second - result->lsb) / 64 + i, 0,
						 c->negative == d->negative);
	long_settle(result);
}

/* result := a b */
SCAN_FN void
long_product(const Long *a, const Long *b, uint64_t *limb, Long *result)
{
	Long zero = {NULL, 0, 0, false};

	long_cross(a, b, &zero, &zero, limb, result);
}

/*
 * limb[0 .. n - 1] := the magnitude of x, shifted so that its highest bit is the highest bit of limb[n - 1], and cut.
 * Sets *rest if a bit was cut off.  Returns the power of the lowest bit.
 */
SCAN_FN int
limbs_align(uint64_t *limb, int n, const Long *x, bool *rest)
{
	int shift = 64 - bit_length(x->limb[x->n - 1]);
	int below = x->n - n; /* limbs that are cut off; negative: limbs of zeros that are added */

	for (int i = 0; i < n; i++)
	{
		uint64_t high = below + i >= 0 ? x->limb[below + i] : 0;
		uint64_t low = below + i >= 1 ? x->limb[below + i - 1] : 0;

		limb[i] = shift == 0 ? high : high << shift | low >> (64 - shift);
	}
	*rest = limbs_any_below(x->limb, 64 * below - shift);
	return x->lsb + 64 * below - shift;
}

/*
 * u -= v * factor * 2^(64 k), for v of n limbs.  Returns true if the difference is negative; then u is 2^64 times its
 * highest limb's weight too large.
 */
SCAN_FN bool
limbs_subtract_product(uint64_t *u, int k, const uint64_t *v, int n, uint64_t factor)
{
	uint64_t carry = 0, top;

	for (int i = 0; i < n; i++)
	{
		uint64_t low = limb_multiply(v[i], factor, &carry);

		carry += u[k + i] < low;
		u[k + i] -= low;
	}
	top = u[k + n];
	u[k + n] = top - carry;
	return top < carry;
}

/*
 * quotient := u / v, cut; u := the remainder.  u has n + RATIO_LIMBS limbs, the highest of which is 0; v has n, at
 * least two, and its highest bit is set.  Knuth's Algorithm D: a limb is guessed from the three highest limbs of u and
 * two of v, and is then at most one too large.
 */
SCAN_FN void
limbs_divide_long(uint64_t *u, const uint64_t *v, int n, uint64_t *quotient)
{
	for (int j = RATIO_LIMBS - 1; j >= 0; j--)
	{
		scan_uint128 high = (scan_uint128) u[j + n] << 64 | u[j + n - 1];
		scan_uint128 guess = u[j + n] < v[n - 1] ? high / v[n - 1] : UINT64_MAX;
		scan_uint128 rest = high - guess * v[n - 1];

		while (rest >> 64 == 0 && guess * v[n - 2] > (rest << 64 | u[j + n - 2]))
		{
			guess--;
			rest += v[n - 1];
		}
		if (limbs_subtract_product(u, j, v, n, (uint64_t) guess))
		{
			unsigned carry = 0;

			guess--;
			for (int i = 0; i < n; i++)
				u[j + i] = limb_add(u[j + i], v[i], &carry);
			u[j + n] += carry;
		}
		quotient[j] = (uint64_t) guess;
	}
}

/* ---- by the highest bits ---- */

/* *top := the highest 128 bits of a magnitude other than 0, cut; bit 127 is set.  Returns the power of the lowest. */
SCAN_FN int
long_top(const Long *x, scan_uint128 *top)
{
	int		 shift = 64 - bit_length(x->limb[x->n - 1]);
	uint64_t second = x->n > 1 ? x->limb[x->n - 2] : 0;
	uint64_t third = x->n > 2 ? x->limb[x->n - 3] : 0;

	*top = ((scan_uint128) x->limb[x->n - 1] << 64 | second) << shift | (shift == 0 ? 0 : third >> (64 - shift));
	return x->lsb + 64 * (x->n - 2) - shift;
}

/* The same for 64 bits. */
SCAN_FN int
long_top_limb(const Long *x, uint64_t *top)
{
	scan_uint128 both;
	int			 lsb = long_top(x, &both);

	*top = (uint64_t) (both >> 64);
	return lsb + 64;
}

/*
 * *y := a number between (q - below) 2^lsb and (q + above) 2^lsb, rounded to double.  False if that
 * depends on which one it is.
 */
SCAN_FN bool
ratio_certify(uint64_t q, uint64_t below, uint64_t above, int lsb, bool negative, double *y)
{
	uint64_t low = q - below, high = q + above;

	*y = magnitude_round(&low, 1, lsb, 53, -1074, negative);
	return high > q && *y == magnitude_round(&high, 1, lsb, 53, -1074, negative);
}

/*
 * *y := x / divisor, rounded once, if the highest bits prove it.  With x cut to an integer, and the
 * divisor to d >= 2^63, the quotient lies between x / (d + 1) > x / d - 2 and (x + 1) / d < q + 2.
 */
SCAN_FN bool
long_ratio_certify(const Long *x, const Long *divisor, double *y)
{
	scan_uint128 above;
	uint64_t	 d;
	int			 lsb = long_top(x, &above) + 1 - long_top_limb(divisor, &d);

	return ratio_certify((uint64_t) ((above >> 1) / d), 2, 2, lsb, x->negative, y);
}

/*
 * *y := x / sqrt(a b), rounded once, if the highest bits prove it.  The root s, cut, is at least 2^62,
 * and below the root of a b by less than 3: by 1 as it is cut, and by 2^-62.5 s as a and b are.  With
 * x cut to an integer, the quotient lies between x / (s + 3) > x / s - 12 and (x + 1) / s < q + 2.
 */
SCAN_FN bool
long_ratio_root_certify(const Long *x, const Long *a, const Long *b, double *y)
{
	scan_uint128 above;
	uint64_t	 high_a, high_b, s;
	int			 power = long_top_limb(a, &high_a) + long_top_limb(b, &high_b);
	int			 cut = (power & 1) != 0 ? 1 : 2;
	int			 lsb = long_top(x, &above) + 2 - (power + cut) / 2;

	s = integer_root((scan_uint128) high_a * high_b >> cut);
	return ratio_certify((uint64_t) ((above >> 2) / s), 13, 2, lsb, x->negative, y);
}

/*
 * *y := x^2 / (a b), rounded once, if the highest bits prove it.  The square and the product are too
 * small by less than 2^-61.9 of them, and the product, cut to d >= 2^62, by 2^-62 more.  So the
 * quotient, which is below 2^64, is less than 9 too large, or 6 too small as it is cut, too.
 */
SCAN_FN bool
long_ratio_square_certify(const Long *x, const Long *a, const Long *b, double *y)
{
	uint64_t	 high_x, high_a, high_b;
	int			 lsb = 2 * long_top_limb(x, &high_x) - long_top_limb(a, &high_a) - long_top_limb(b, &high_b) - 62;
	scan_uint128 above = (scan_uint128) high_x * high_x, below = (scan_uint128) high_a * high_b;

	return ratio_certify((uint64_t) ((above >> 2) / (uint64_t) (below >> 64)), 9, 6, lsb, false, y);
}

/* ---- by all bits ---- */

/*
 * Returns x / divisor or, with `root`, the square root of its magnitude, rounded once to double, with the sign of x,
 * which is not 0.  The divisor is positive.
 */
SCAN_FN_COLD double
long_ratio_divide(const Long *x, const Long *divisor, bool root)
{
	uint64_t v[RATIO_MOST], u[RATIO_MOST + RATIO_LIMBS], limb[QUOTIENT_LIMBS] = {0};
	int		 n = divisor->n < 2 ? 2 : divisor->n;
	int		 lsb;
	bool	 cut, rest;

	lsb = -limbs_align(v, n, divisor, &cut);
	lsb += limbs_align(u, n + RATIO_LIMBS - 1, x, &rest);
	u[n + RATIO_LIMBS - 1] = 0;
	limbs_divide_long(u, v, n, limb);
	rest = rest || !limbs_are_zero(u, n);
	if (root)
		rest = quotient_root(limb, &lsb) || rest;
	limb[0] |= rest;
	return magnitude_round(limb, root ? 1 : RATIO_LIMBS, lsb, 53, -1074, x->negative);
}

/* Returns x / divisor, rounded once, as long_ratio_divide() does.  A zero is +0. */
SCAN_FN double
long_ratio_round(const Long *x, const Long *divisor)
{
	double y;

	if (x->n == 0)
		return 0.0;
	return SCAN_LIKELY(long_ratio_certify(x, divisor, &y)) ? y : long_ratio_divide(x, divisor, false);
}

/* Returns x / sqrt(a b) or, with `squared`, x^2 / (a b), rounded once.  a and b are above 0.  A zero is +0. */
SCAN_FN double
long_ratio_root_round(const Long *x, const Long *a, const Long *b, bool squared)
{
	uint64_t above_limb[RATIO_MOST], below_limb[RATIO_MOST];
	Long	 above, below;
	double	 y;

	if (x->n == 0)
		return 0.0;
	if (SCAN_LIKELY(squared ? long_ratio_square_certify(x, a, b, &y) : long_ratio_root_certify(x, a, b, &y)))
		return y;
	long_product(x, x, above_limb, &above);
	long_product(a, b, below_limb, &below);
	above.negative = x->negative && !squared;
	return long_ratio_divide(&above, &below, !squared);
}

#endif /* SCAN_OP_RATIO_H */
