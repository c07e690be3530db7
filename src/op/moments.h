/*
 * moments.h: the count, the exact sum and the exact sum of squares of floats.
 *
 * The aggregates exact_sum, exact_avg, exact_var_* and exact_stddev_* and the plan node compute their results from
 * them.  Values may be removed again, as they are from a sliding frame: a sum of integers loses nothing, and keeps
 * nothing of a removed value.  NaN, infinities and -0 are counted, so that they can be removed too.  Everything is an
 * integer, so results do not depend on the order of the rows, on the rounding mode of the machine, or on how many
 * values have passed through.
 */
#ifndef SCAN_OP_MOMENTS_H
#define SCAN_OP_MOMENTS_H

#include "op/exact.h"
#include "op/long_sum.h"
#include "op/quotient.h"

#define SQUARE_LSB (2 * EXACT_LSB)

/* A state of zero bytes has no values. */
typedef struct Moments
{
	int64_t	 finite; /* finite values, -0 included */
	int64_t	 negative_zeros;
	Specials specials;
	LongSum	 sum;	  /* in units of 2^-1074 */
	LongSum	 squares; /* in units of 2^-2148; empty unless a variance is computed */
} Moments;

/* Adds the value x, or removes it if `leaves`; `with_square` updates `squares` too. */
SCAN_FN void
moments_take(Moments *m, ScanMemory *memory, double x, bool with_square, bool leaves)
{
	int64_t	 one = leaves ? -1 : 1;
	uint64_t mantissa;
	int		 place;
	bool	 negative;

	if (SCAN_LIKELY(isfinite(x)))
		m->finite += one;
	else
	{
		specials_take(&m->specials, x, one);
		return;
	}
	mantissa = double_split(x, &place, &negative);
	if (mantissa == 0)
	{
		m->negative_zeros += negative ? one : 0;
		return;
	}
	long_sum_add(&m->sum, memory, mantissa, place, negative != leaves);
	if (with_square)
	{
		scan_uint128 square = (scan_uint128) mantissa * mantissa;

		long_sum_add(&m->squares, memory, (uint64_t) square, 2 * place, leaves);
		long_sum_add(&m->squares, memory, (uint64_t) (square >> 64), 2 * place + 64, leaves);
	}
}

/* sum += (negative ? -1 : 1) * value, for a product of two int64 in a sum whose lowest bit is 2^-2148. */
SCAN_FN void
long_sum_add_integer(LongSum *sum, ScanMemory *memory, scan_uint128 value, bool negative)
{
	/* 2148 is 33 * 64 + 36: of each half, 64 bits stay below 2^100 */
	long_sum_add(sum, memory, (uint64_t) value, -SQUARE_LSB, negative);
	long_sum_add(sum, memory, (uint64_t) (value >> 64), -SQUARE_LSB + 64, negative);
}

/* Adds an integer to the moments, or removes it if `leaves`; it need not be a double. */
SCAN_FN void
moments_take_integer(Moments *m, ScanMemory *memory, int64_t x, bool with_square, bool leaves)
{
	uint64_t	 magnitude = x < 0 ? -(uint64_t) x : (uint64_t) x;
	scan_uint128 square = (scan_uint128) magnitude * magnitude;

	m->finite += leaves ? -1 : 1;
	long_sum_add(&m->sum, memory, magnitude, -EXACT_LSB, (x < 0) != leaves);
	if (with_square)
		long_sum_add_integer(&m->squares, memory, square, leaves);
}

/* True if the count of all values, which moments_count returns, fits in an int64. */
SCAN_FN bool
moments_are_counted(const Moments *m)
{
	const Specials *s = &m->specials;
	int64_t			n;

	return !__builtin_add_overflow(m->finite, s->nans, &n) && !__builtin_add_overflow(n, s->plus_infinities, &n) &&
		   !__builtin_add_overflow(n, s->minus_infinities, &n);
}

/* left := the values of both.  False if their number does not fit in an int64; `left` is then undefined. */
SCAN_FN bool
moments_join(Moments *left, ScanMemory *memory, const Moments *right)
{
	if (__builtin_add_overflow(left->finite, right->finite, &left->finite) ||
		__builtin_add_overflow(left->negative_zeros, right->negative_zeros, &left->negative_zeros) ||
		!specials_join(&left->specials, &right->specials) || !moments_are_counted(left))
		return false;
	long_sum_join(&left->sum, memory, &right->sum);
	long_sum_join(&left->squares, memory, &right->squares);
	return true;
}

SCAN_FN int64_t
moments_count(const Moments *m)
{
	const Specials *s = &m->specials;

	return m->finite + s->nans + s->plus_infinities + s->minus_infinities;
}

/*
 * *y := the sum, rounded once to `precision` bits; -0 if all values are -0.  Returns SCAN_NULL for
 * no values and SCAN_FLOAT_OVERFLOW for a finite sum beyond the largest double.
 */
SCAN_FN ScanStatus
moments_sum(const Moments *m, int precision, int min_power, double *y)
{
	uint64_t limb[LONG_SUM_LIMBS];
	Long	 sum;

	if (moments_count(m) == 0)
		return SCAN_NULL;
	if (specials_flags(&m->specials) != 0)
		*y = exact_special_value(specials_flags(&m->specials));
	else if (m->negative_zeros == m->finite)
		*y = -0.0;
	else
	{
		long_sum_read(&m->sum, EXACT_LSB, limb, &sum);
		*y = long_round(&sum, precision, min_power);
		if (!isfinite(*y))
			return SCAN_FLOAT_OVERFLOW;
	}
	return SCAN_OK;
}

/* *y := the sum as float8. */
SCAN_FN ScanStatus
moments_sum_float8(const Moments *m, double *y)
{
	return moments_sum(m, 53, EXACT_LSB, y);
}

/* *y := the sum as float4: rounded to 24 bits, it is a float4 unless it is too large. */
SCAN_FN ScanStatus
moments_sum_float4(const Moments *m, float *y)
{
	double	   wide = 0.0;
	ScanStatus status = moments_sum(m, 24, -149, &wide);

	*y = (float) wide;
	return status == SCAN_OK && isinf(*y) && specials_flags(&m->specials) == 0 ? SCAN_FLOAT_OVERFLOW : status;
}

/* *y := the average, rounded once.  An average is never out of range; a zero is +0. */
SCAN_FN ScanStatus
moments_average(const Moments *m, double *y)
{
	uint64_t limb[LONG_SUM_LIMBS];
	Long	 sum;

	if (moments_count(m) == 0)
		return SCAN_NULL;
	if (specials_flags(&m->specials) != 0)
		*y = exact_special_value(specials_flags(&m->specials));
	else
	{
		long_sum_read(&m->sum, EXACT_LSB, limb, &sum);
		*y = long_quotient_round(&sum, (uint64_t) m->finite, 1, false);
	}
	return SCAN_OK;
}

/*
 * spread := n (the sum of squares) - (the sum)^2, which is n^2 times the variance.  The limbs of the first term, n <
 * 2^63 times a sum with head room, also hold the second term and the difference, because neither is larger.
 */
SCAN_FN void
moments_spread(const Moments *m, uint64_t *limb, Long *spread)
{
	const LongSum *squares = &m->squares;
	uint64_t	   sum_limb[LONG_SUM_LIMBS];
	Long		   sum;
	int			   first = squares->first, place;

	long_sum_read(&m->sum, EXACT_LSB, sum_limb, &sum);
	place = sum.n == 0 ? first : 2 * ((sum.lsb - EXACT_LSB) / 64); /* the lowest limb of the sum's square */
	if (place < first)
		first = place;
	spread->limb = limb;
	spread->n = squares->first + squares->n + 1 - first;
	spread->lsb = SQUARE_LSB + 64 * first;
	memset(limb, 0, (size_t) spread->n * sizeof(uint64_t));
	long_add_product(limb, spread->n, squares->limb, squares->n, (uint64_t) m->finite, squares->first - first, 0,
					 false);
	for (int i = 0; i < sum.n; i++)
		long_add_product(limb, spread->n, sum.limb, sum.n, sum.limb[i], place - first + i, 0, true);
	long_settle(spread);
}

/*
 * *y := the variance, or with `root` the standard deviation, rounded once.  The divisor is the
 * count, or with `sample` the count less 1, and then the result is NULL for a single value.
 */
SCAN_FN ScanStatus
moments_variance(const Moments *m, bool sample, bool root, double *y)
{
	uint64_t limb[LONG_SUM_LIMBS];
	Long	 spread;

	if (moments_count(m) <= (sample ? 1 : 0))
		return SCAN_NULL;
	if (specials_flags(&m->specials) != 0)
		*y = (double) NAN;
	else
	{
		moments_spread(m, limb, &spread);
		*y = long_quotient_round(&spread, (uint64_t) m->finite, (uint64_t) (m->finite - (sample ? 1 : 0)), root);
	}
	return isinf(*y) ? SCAN_FLOAT_OVERFLOW : SCAN_OK;
}

/* ---- the state, and its statistics: the lists that op/exact_statistics.h explains ---- */

/* clang-format off */

#define EXACT_PARTS_OF_MOMENTS(NUMBERS, SUM, member, sum_limbs, square_limbs) \
	NUMBERS(member.finite, 5, MOMENTS) SUM(member.sum, sum_limbs) SUM(member.squares, square_limbs)
#define EXACT_PARTS_OF_VALUES(NUMBERS, SUM) \
	EXACT_PARTS_OF_MOMENTS(NUMBERS, SUM, moments, LONG_SUM_LIMBS, LONG_SUM_LIMBS)
#define EXACT_SOUND_OF_VALUES(c) true
#define EXACT_JOIN_OF_VALUES(X) X(combine, VALUES, Moments, moments_join(c, memory, other))
#define EXACT_GROUPS_OF_VALUES(X) \
	X(FLOAT4,  VALUES, Moments, 1, Float4) \
	X(FLOAT8,  VALUES, Moments, 1, Float8) \
	X(SQUARES, VALUES, Moments, 2, Float8)

/* a result of single precision */
#define EXACT_TAKINGS_OF_FLOAT4(X, D) \
	X(D, float4, 1, FLOAT4OID, 0, moments_take(c, memory, EXACT_ARGUMENT(Float4, 0), false, leaves))
#define EXACT_OF_FLOAT4(X, D) \
	X(D, sum_float4, SUM_FLOAT4, 0, moments_sum_float4(c, &y))

/* without squares */
#define EXACT_TAKINGS_OF_FLOAT8(X, D) \
	X(D, float8, 1, FLOAT8OID, 0, moments_take(c, memory, EXACT_ARGUMENT(Float8, 0), false, leaves))
#define EXACT_OF_FLOAT8(X, D) \
	X(D, sum_float8, SUM, 0, moments_sum_float8(c, &y)) \
	X(D, avg,        AVG, 0, moments_average(c, &y))

#define EXACT_TAKINGS_OF_SQUARES(X, D) \
	X(D, square, 1, FLOAT8OID, 0, moments_take(c, memory, EXACT_ARGUMENT(Float8, 0), true, leaves))
#define EXACT_OF_SQUARES(X, D) \
	X(D, var_pop,     VAR_POP,     0, moments_variance(c, false, false, &y)) \
	X(D, var_samp,    VAR_SAMP,    0, moments_variance(c, true,  false, &y)) \
	X(D, stddev_pop,  STDDEV_POP,  0, moments_variance(c, false, true,  &y)) \
	X(D, stddev_samp, STDDEV_SAMP, 0, moments_variance(c, true,  true,  &y))

/* clang-format on */

#endif /* SCAN_OP_MOMENTS_H */
