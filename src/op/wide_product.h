/*
 * wide_product.h: products of doubles with 128 bits and an exponent without bounds, and their rounding.
 *
 * Called by the aggregate exact_product.  A product is cut to its highest 128 bits, and the bits that were cut off are
 * counted, not kept: the real product lies between the cut one and a bound that depends on the number of cuts.  Nearly
 * always both ends are rounded to the same double.  Otherwise the factors are multiplied again with more limbs, and
 * again, until they are.  That comes to an end: a product that was cut has more bits than a double or the middle of two
 * doubles, so it is neither.
 *
 * Bound.  A cut drops less than one unit of a number of at least 2^127 units.  So a product after k cuts is less than
 * (1 + 2^-127)^k times what is kept, which is below 2^128 units, and what is kept is less than 4 k units too small.
 */
#ifndef SCAN_OP_WIDE_PRODUCT_H
#define SCAN_OP_WIDE_PRODUCT_H

#include "op/limbs.h"

/* The magnitude of a product: at least mantissa 2^power, and equal to it if nothing was cut off. */
typedef struct WideProduct
{
	uint64_t high; /* of the mantissa; its highest bit is set */
	uint64_t low;
	int64_t	 power;
	int64_t	 cuts; /* how many times bits other than 0 were cut off */
} WideProduct;

/* The product of no factors. */
static const WideProduct wide_product_one = {UINT64_C(1) << 63, 0, -127, 0};

/* Returns the magnitude of a finite double other than 0. */
SCAN_FN WideProduct
wide_product_of(double x)
{
	int			place;
	bool		negative;
	uint64_t	mantissa = double_split(x, &place, &negative);
	int			shift = 64 - bit_length(mantissa);
	WideProduct p = {mantissa << shift, 0, place - 1074 - shift - 64, 0};

	return p;
}

/* Returns the product of two products. */
SCAN_FN WideProduct
wide_product_multiply(const WideProduct *a, const WideProduct *b)
{
	scan_uint128 low = (scan_uint128) a->low * b->low;
	scan_uint128 cross = (scan_uint128) a->high * b->low, other = (scan_uint128) a->low * b->high;
	scan_uint128 high = (scan_uint128) a->high * b->high;
	scan_uint128 middle = (low >> 64) + (uint64_t) cross + (uint64_t) other;
	WideProduct	 p;
	uint64_t	 rest;
	bool		 cut;

	high += (cross >> 64) + (other >> 64) + (uint64_t) (middle >> 64);
	rest = (uint64_t) middle;
	cut = (uint64_t) low != 0;
	p.power = a->power + b->power + 128;
	p.cuts = a->cuts + b->cuts;
	if ((uint64_t) (high >> 127) == 0)
	{
		/* the product of the mantissas is at least 2^254 */
		high = high << 1 | rest >> 63;
		rest <<= 1;
		p.power--;
	}
	p.high = (uint64_t) (high >> 64);
	p.low = (uint64_t) high;
	p.cuts += rest != 0 || cut;
	return p;
}

/* The largest and smallest powers that magnitude_round() is asked about; all beyond are infinite, or round to 0. */
#define WIDE_PRODUCT_MOST 5000

/*
 * *y := a magnitude between number 2^power and (number + above 2^(64 place)) 2^power, rounded.  False if that depends
 * on which one it is.  `number` has n limbs and room for one more, which is 0; it is changed.
 */
SCAN_FN bool
wide_product_certify(uint64_t *number, int n, int64_t power, uint64_t above, int place, double *y)
{
	int64_t top = power + 64 * (int64_t) n;
	int		lsb = (int) power;

	if (top > WIDE_PRODUCT_MOST || top < -WIDE_PRODUCT_MOST)
	{
		*y = top > 0 ? INFINITY : 0.0;
		return true;
	}
	*y = magnitude_round(number, n, lsb, 53, -1074, false);
	if (above == 0)
		return true;
	limbs_add_at(number, n + 1, place, above, false);
	return *y == magnitude_round(number, n + 1, lsb, 53, -1074, false);
}

/* *y := the product, rounded.  False if its 128 bits do not prove it. */
SCAN_FN bool
wide_product_round(const WideProduct *p, double *y)
{
	uint64_t number[3] = {p->low, p->high, 0};

	return wide_product_certify(number, 2, p->power, 4 * (uint64_t) p->cuts, 0, y);
}

/* ---- more limbs ---- */

/* A magnitude of at most `most` limbs, as WideProduct; the limbs have room for two more. */
typedef struct LongProduct
{
	uint64_t *limb;
	int		  n;
	int		  most;
	int64_t	  power;
	int64_t	  cuts;
} LongProduct;

/* p := 1.  `limb` has room for most + 2 limbs; most >= 3. */
SCAN_FN void
long_product_start(LongProduct *p, uint64_t *limb, int most)
{
	LongProduct one = {limb, 1, most, 0, 0};

	limb[0] = 1;
	*p = one;
}

/* p := p |x|, for a finite x other than 0. */
SCAN_FN void
long_product_take(LongProduct *p, double x)
{
	int		 place;
	bool	 negative;
	uint64_t mantissa = double_split(x, &place, &negative), carry = 0;

	/* without zeros at its end, a product of few bits is never cut */
	while ((mantissa & 1) == 0)
	{
		mantissa >>= 1;
		place++;
	}
	for (int i = 0; i < p->n; i++)
		p->limb[i] = limb_multiply(p->limb[i], mantissa, &carry);
	p->power += place - 1074;
	if (carry == 0)
		return;
	p->limb[p->n++] = carry;
	if (p->n <= p->most)
		return;
	p->cuts += p->limb[0] != 0;
	memmove(p->limb, p->limb + 1, (size_t) (p->n - 1) * sizeof(uint64_t));
	p->n--;
	p->power += 64;
}

/*
 * *y := the product, rounded.  False if its limbs do not prove it.  A cut drops less than one unit of at least
 * 2^(64 (most - 1)), and the product has less than 2^(64 most) units: after k cuts it is less than 2 k 2^64 units too
 * small.
 */
SCAN_FN bool
long_product_round(LongProduct *p, double *y)
{
	p->limb[p->n] = 0;
	return wide_product_certify(p->limb, p->n, p->power, 2 * (uint64_t) p->cuts, 1, y);
}

#endif /* SCAN_OP_WIDE_PRODUCT_H */
