/*
 * limbs.h: long two's complement integers in 64-bit limbs, lowest first: fixed-point numbers in which a float sum of
 * any size is exact.
 *
 * Used by exact.h (sums of doubles: 34 limbs, lowest bit 2^-1074), dot.h (sums of products: 68 limbs, lowest bit
 * 2^-2148) and long.h.  A number of `n` limbs with lowest bit 2^lsb is canonical at all times: equal values have equal
 * limbs.
 *
 * Chosen over Neal's 32-bit chunks without carries (arXiv 1505.05571): half the bytes, no renormalisation, the same
 * cost for a single addition, and the bytes in memory can be compared, hashed and sent as they are.
 */
#ifndef SCAN_OP_LIMBS_H
#define SCAN_OP_LIMBS_H

#include "op/fn.h"

SCAN_FN uint64_t
double_bits(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

SCAN_FN double
double_from_bits(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* Returns the position of the highest one bit of x, counted from 1; 0 for 0. */
SCAN_FN int
bit_length(uint64_t x)
{
#if defined(__CUDA_ARCH__)
	return 64 - __clzll((long long) x);
#else
	return x == 0 ? 0 : 64 - __builtin_clzll(x);
#endif
}

/* limb += (negative ? -1 : 1) * value * 2^(64 k), for value < 2^127 */
SCAN_FN void
limbs_add_at(uint64_t *limb, int n, int k, scan_uint128 value, bool negative)
{
	uint64_t lo = (uint64_t) value;
	uint64_t hi = (uint64_t) (value >> 64);
	bool	 carry;

	if (!negative)
	{
		limb[k] += lo;
		hi += limb[k] < lo; /* no overflow: value < 2^127 */
		limb[k + 1] += hi;
		carry = limb[k + 1] < hi;
		for (int i = k + 2; carry && i < n; i++)
			carry = ++limb[i] == 0;
	}
	else
	{
		hi += limb[k] < lo;
		limb[k] -= lo;
		carry = limb[k + 1] < hi;
		limb[k + 1] -= hi;
		for (int i = k + 2; carry && i < n; i++)
			carry = limb[i]-- == 0;
	}
}

/*
 * Splits a finite double: returns its mantissa.  *place := the power of the mantissa's lowest bit, as its distance from
 * 2^-1074 (0 to 2045).
 */
SCAN_FN uint64_t
double_split(double x, int *place, bool *negative)
{
	uint64_t bits = double_bits(x);
	uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
	int		 field = (int) (bits >> 52) & 0x7ff;

	*negative = (bits >> 63) != 0;
	*place = field == 0 ? 0 : field - 1;
	return field == 0 ? mantissa : mantissa | (UINT64_C(1) << 52);
}

/* Adds the finite double x to a number whose lowest bit is 2^-1074. */
SCAN_FN void
limbs_add_double(uint64_t *limb, int n, double x)
{
	int		 place;
	bool	 negative;
	uint64_t mantissa = double_split(x, &place, &negative);

	limbs_add_at(limb, n, place >> 6, (scan_uint128) mantissa << (place & 63), negative);
}

/* Adds the exact product of two finite doubles to a number whose lowest bit is 2^-2148. */
SCAN_FN void
limbs_add_product(uint64_t *limb, int n, double x, double y)
{
	int			 px, py, place;
	bool		 nx, ny;
	scan_uint128 product;
	uint64_t	 lo, hi;

	product = (scan_uint128) double_split(x, &px, &nx) * double_split(y, &py, &ny);
	place = px + py;
	lo = (uint64_t) product;
	hi = (uint64_t) (product >> 64);
	limbs_add_at(limb, n, place >> 6, (scan_uint128) lo << (place & 63), nx != ny);
	/* a product has 106 bits: hi has at most 42, and `place >> 6` is at most 63 of 68 limbs */
	limbs_add_at(limb, n, (place >> 6) + 1, (scan_uint128) hi << (place & 63), nx != ny);
}

/* Returns a + b + *carry, without what is carried to the next limb: *carry := that, which is 0 or 1. */
SCAN_FN uint64_t
limb_add(uint64_t a, uint64_t b, unsigned *carry)
{
	scan_uint128 sum = (scan_uint128) a + b + *carry;

	*carry = (unsigned) (sum >> 64);
	return (uint64_t) sum;
}

/* The same for a * b + *carry, of which up to 64 bits are carried. */
SCAN_FN uint64_t
limb_multiply(uint64_t a, uint64_t b, uint64_t *carry)
{
	scan_uint128 product = (scan_uint128) a * b + *carry;

	*carry = (uint64_t) (product >> 64);
	return (uint64_t) product;
}

SCAN_FN void
limbs_add_limbs(uint64_t *limb, const uint64_t *other, int n)
{
	unsigned carry = 0;

	for (int i = 0; i < n; i++)
		limb[i] = limb_add(limb[i], other[i], &carry);
}

/* Returns the limb that extends a number above its highest limb. */
SCAN_FN uint64_t
limb_of_sign(uint64_t highest)
{
	return (highest >> 63) != 0 ? ~UINT64_C(0) : 0;
}

/* limb := -limb */
SCAN_FN void
limbs_negate(uint64_t *limb, int n)
{
	unsigned carry = 1;

	for (int i = 0; i < n; i++)
		limb[i] = limb_add(~limb[i], 0, &carry);
}

SCAN_FN bool
limbs_are_zero(const uint64_t *limb, int n)
{
	for (int i = 0; i < n; i++)
		if (limb[i] != 0)
			return false;
	return true;
}

#define LIMBS_MAX 68

/* Returns bits [from, from + 63] of a non-negative number. */
SCAN_FN uint64_t
limbs_window(const uint64_t *limb, int n, int from)
{
	int		 k = from >> 6;
	int		 shift = from & 63;
	uint64_t lo = limb[k] >> shift;

	return shift != 0 && k + 1 < n ? lo | limb[k + 1] << (64 - shift) : lo;
}

/* True if any bit below position `end` is set. */
SCAN_FN bool
limbs_any_below(const uint64_t *limb, int end)
{
	int whole = end >> 6;

	if (end <= 0)
		return false;
	if ((end & 63) != 0 && (limb[whole] & ((UINT64_C(1) << (end & 63)) - 1)) != 0)
		return true;
	for (int i = whole - 1; i >= 0; i--)
		if (limb[i] != 0)
			return true;
	return false;
}

/*
 * Returns a magnitude times 2^lsb, rounded once, to nearest even, to a binary float of `precision` bits whose smallest
 * positive value is 2^min_power.  The result is a double, which holds every float4.  A zero is +0.  A result beyond the
 * largest double is an infinity; a caller with a narrower type checks that type's largest value.
 */
SCAN_FN_COLD double
magnitude_round(const uint64_t *limb, int n, int lsb, int precision, int min_power, bool negative)
{
	uint64_t mantissa;
	int		 top, highest, lowest, shift, power;
	double	 result;

	for (top = n - 1; top >= 0 && limb[top] == 0; top--)
		;
	if (top < 0)
		return 0.0;

	/* keep bits [lowest, highest]; the bits below decide the rounding */
	highest = 64 * top + bit_length(limb[top]) - 1;
	lowest = highest - precision + 1;
	if (lowest < min_power - lsb)
		lowest = min_power - lsb;
	if (lowest < 0)
		lowest = 0;
	mantissa = lowest > highest ? 0 : limbs_window(limb, n, lowest);
	if (lowest > 0 && lowest <= highest + 1 && (limbs_window(limb, n, lowest - 1) & 1) != 0 &&
		((mantissa & 1) != 0 || limbs_any_below(limb, lowest - 1)))
		mantissa++;
	if (mantissa == 0)
		return 0.0;

	/* convert to a double, exactly: the mantissa has at most 53 bits, or is 2^53 */
	shift = 53 - bit_length(mantissa);
	mantissa = shift < 0 ? mantissa >> 1 : mantissa << shift;
	power = lowest + lsb - shift;
	if (power < -1074)
		result = double_from_bits(mantissa >> (-1074 - power));
	else if (power + 1075 >= 2047)
		result = INFINITY;
	else
		result = double_from_bits(((uint64_t) (power + 1075) << 52) | (mantissa & ((UINT64_C(1) << 52) - 1)));
	return negative ? -result : result;
}

/* magnitude_round for a number in two's complement. */
SCAN_FN_COLD double
limbs_round(const uint64_t *limb, int n, int lsb, int precision, int min_power)
{
	uint64_t magnitude[LIMBS_MAX];

	if ((limb[n - 1] >> 63) == 0)
		return magnitude_round(limb, n, lsb, precision, min_power, false);
	memcpy(magnitude, limb, (size_t) n * sizeof(uint64_t));
	limbs_negate(magnitude, n);
	return magnitude_round(magnitude, n, lsb, precision, min_power, true);
}

#endif /* SCAN_OP_LIMBS_H */
