/*
 * big.h: the slow, obviously right arithmetic that float answers are judged by: whole numbers of 2^-1074 in 72 digits
 * of 32 bits, added and multiplied digit by digit as at school, and rounded by trying candidates: the double that is
 * nearest, the even one of two that are equally near.  Nothing of src/op/limbs.h is used.
 *
 * Numbers are kept modulo 2^2304, negative ones as complements; sums of 2^20 doubles need 2120 bits.  A program that
 * needs longer ones says so before it includes this, by BIG_DIGITS and BIG_LOWEST.
 */
#ifndef SCAN_LAW_BIG_H
#define SCAN_LAW_BIG_H

#include <math.h>

#include "law.h"

#ifndef BIG_DIGITS
#define BIG_DIGITS 72
#define BIG_LOWEST (-1074)
#endif

typedef struct Big
{
	uint32_t digit[BIG_DIGITS];
} Big;

static bool
big_is_negative(const Big *a)
{
	return a->digit[BIG_DIGITS - 1] >= UINT32_C(0x80000000);
}

static void
big_add(Big *a, const Big *b)
{
	uint64_t carry = 0;

	for (int i = 0; i < BIG_DIGITS; i++)
	{
		uint64_t sum = (uint64_t) a->digit[i] + b->digit[i] + carry;

		a->digit[i] = (uint32_t) sum;
		carry = sum >> 32;
	}
}

/* -a: every bit turned, and one more */
static void
big_negate(Big *a)
{
	Big one = {{1}};

	for (int i = 0; i < BIG_DIGITS; i++)
		a->digit[i] = ~a->digit[i];
	big_add(a, &one);
}

/* -1, 0 or 1: a and b compared, neither of them negative */
static int
big_compare(const Big *a, const Big *b)
{
	for (int i = BIG_DIGITS - 1; i >= 0; i--)
		if (a->digit[i] != b->digit[i])
			return a->digit[i] < b->digit[i] ? -1 : 1;
	return 0;
}

/* 2^place units are added bit by bit to zero, so there is nothing to carry. */
static void
big_set_bit(Big *a, int place)
{
	a->digit[place / 32] |= UINT32_C(1) << place % 32;
}

/* a := the finite double x, a whole number m 2^e with m below 2^53 */
static void
big_of_double(Big *a, double x)
{
	int		 exponent;
	uint64_t m = (uint64_t) ldexp(frexp(fabs(x), &exponent), 53);

	exponent -= 53;
	memset(a, 0, sizeof(*a));
	for (int bit = 0; bit < 53; bit++)
		if (m >> bit & 1)
			big_set_bit(a, exponent - BIG_LOWEST + bit);
	if (x < 0)
		big_negate(a);
}

/* A longer one is a mistake of the test. */
SCAN_HOST_FN void
big_must_fit(bool fits)
{
	if (!fits)
	{
		printf("not ok a number of the oracle is too long\n");
		exit(1);
	}
}

/* A digit into its place, where nothing is yet. */
SCAN_HOST_FN void
big_put_digit(Big *a, int place, uint32_t digit)
{
	if (digit == 0)
		return;
	big_must_fit(place >= 0 && place < BIG_DIGITS - 1);
	a->digit[place] |= digit;
}

/* a := a 2^places */
SCAN_HOST_FN void
big_shift(Big *a, int places)
{
	Big	 shifted = {{0}};
	bool negative = big_is_negative(a);
	int	 whole = places >= 0 ? places / 32 : -((31 - places) / 32);

	if (negative)
		big_negate(a);
	for (int i = 0; i < BIG_DIGITS; i++)
	{
		uint64_t moved = (uint64_t) a->digit[i] << (places - 32 * whole);

		big_put_digit(&shifted, i + whole, (uint32_t) moved);
		big_put_digit(&shifted, i + whole + 1, (uint32_t) (moved >> 32));
	}
	*a = shifted;
	if (negative)
		big_negate(a);
}

/* a := a times the finite double x */
SCAN_HOST_FN void
big_multiply(Big *a, double x)
{
	int		 exponent;
	uint64_t m = (uint64_t) ldexp(frexp(fabs(x), &exponent), 53);
	uint64_t carry = 0;
	bool	 negative = big_is_negative(a);

	if (negative)
		big_negate(a);
	for (int i = 0; i < BIG_DIGITS; i++)
	{
		scan_uint128 product = (scan_uint128) m * a->digit[i] + carry;

		a->digit[i] = (uint32_t) product;
		carry = (uint64_t) (product >> 32);
	}
	big_must_fit(carry == 0 && !big_is_negative(a));
	if (m != 0)
		big_shift(a, exponent - 53);
	if (negative != (x < 0))
		big_negate(a);
}

/* distance := |a - x| */
static void
big_distance(const Big *a, double x, Big *distance)
{
	big_of_double(distance, -x);
	big_add(distance, a);
	if (big_is_negative(distance))
		big_negate(distance);
}

/* The float type that an answer has. */
typedef struct BigType
{
	double largest;
	double half_beyond; /* half a step above the largest: from here on, out of range */
	bool   narrow;		/* float4 */
} BigType;

static const BigType big_float8 = {DBL_MAX, 0x1p970, false};
static const BigType big_float4 = {FLT_MAX, 0x1p103, true};

static double
big_next(const BigType *type, double x, double to)
{
	return type->narrow ? (double) nextafterf((float) x, (float) to) : nextafter(x, to);
}

static bool
big_is_even(const BigType *type, double x)
{
	float	 narrow = (float) x;
	uint32_t bits32;
	uint64_t bits64;

	memcpy(&bits32, &narrow, sizeof(bits32));
	memcpy(&bits64, &x, sizeof(bits64));
	return type->narrow ? bits32 % 2 == 0 : bits64 % 2 == 0;
}

/* |a| >= the largest number and half a step */
SCAN_HOST_FN bool
big_is_out_of_range(const Big *a, const BigType *type)
{
	Big magnitude = *a, limit, half;

	if (big_is_negative(&magnitude))
		big_negate(&magnitude);
	big_of_double(&limit, type->largest);
	big_of_double(&half, type->half_beyond);
	big_add(&limit, &half);
	return big_compare(&magnitude, &limit) >= 0;
}

/* Somewhere near a, which is in range: its digits added up as doubles. */
static double
big_guess(const Big *a, const BigType *type)
{
	Big	   magnitude = *a;
	double guess = 0;

	if (big_is_negative(a))
		big_negate(&magnitude);
	for (int i = BIG_DIGITS - 1; i >= 0; i--)
		if (magnitude.digit[i] != 0)
			guess += ldexp((double) magnitude.digit[i], 32 * i + BIG_LOWEST);
	if (guess > type->largest)
		guess = type->largest;
	if (type->narrow)
		guess = (double) (float) guess;
	return big_is_negative(a) ? -guess : guess;
}

/* The nearest number of the type; of two, the even one.  Zero is +0. */
SCAN_HOST_FN double
big_round(const Big *a, const BigType *type)
{
	double best = big_guess(a, type);

	for (;;)
	{
		double here = best;

		for (int side = 0; side < 2; side++)
		{
			double other = big_next(type, here, side == 0 ? -(double) INFINITY : (double) INFINITY);
			Big	   d_best, d_other;
			int	   order;

			if (fabs(other) > type->largest)
				continue;
			big_distance(a, best, &d_best);
			big_distance(a, other, &d_other);
			order = big_compare(&d_other, &d_best);
			if (order < 0 || (order == 0 && !big_is_even(type, best)))
				best = other;
		}
		if (best == here)
			return best == 0 ? 0.0 : best;
	}
}

#endif /* SCAN_LAW_BIG_H */
