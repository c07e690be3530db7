/*
 * pairs.h: the count and the exact sums of pairs of doubles or integers: of x, of y, of their squares and of their
 * products.
 *
 * The aggregates exact_covar_*, exact_corr, exact_regr_* and exact_weighted_avg and the plan node compute their results
 * from them.  x and y have Moments each (moments.h), and as there a pair may be removed again.  With n pairs, every
 * result is a rational number, or the root of one, of three integers:
 *
 *   XX = n (sum of x^2) - (sum of x)^2      which is n^2 times the variance of x
 *   YY = n (sum of y^2) - (sum of y)^2      the same of y
 *   XY = n (sum of x y) - (sum of x) (sum of y)
 *
 * The rules for no pairs, for NaN and infinities, and for pairs all on one vertical or horizontal line are those of
 * core's covar_*, corr and regr_*, whose sums of squares are NaN if a number that is not finite came in.
 */
#ifndef SCAN_OP_PAIRS_H
#define SCAN_OP_PAIRS_H

#include "op/moments.h"
#include "op/ratio.h"

/* A state of zero bytes has no pairs. */
typedef struct Pairs
{
	Moments x, y;
	LongSum products; /* of the pairs of two finite numbers; in units of 2^-2148 */
} Pairs;

/* Which sums of squares pairs_take updates: a set of bits. */
enum
{
	PAIRS_X_SQUARES = 1,
	PAIRS_Y_SQUARES = 2,
};

#define PAIRS_SUM_LIMBS 40					  /* more than a sum of doubles has: 34 limbs, the head room, the sign */
#define PAIRS_LIMBS (2 * PAIRS_SUM_LIMBS + 4) /* limbs of the integers above */
#define PAIRS_PRODUCT_LIMBS (2 * PAIRS_LIMBS + 1) /* limbs of a difference of products of two of them */

/* Adds a pair of doubles, or removes it if `leaves`. */
SCAN_FN void
pairs_take(Pairs *p, ScanMemory *memory, double y, double x, int squares, bool leaves)
{
	uint64_t x_mantissa, y_mantissa;
	int		 x_place, y_place;
	bool	 x_negative, y_negative;

	moments_take(&p->x, memory, x, (squares & PAIRS_X_SQUARES) != 0, leaves);
	moments_take(&p->y, memory, y, (squares & PAIRS_Y_SQUARES) != 0, leaves);
	if (!isfinite(x) || !isfinite(y))
		return;
	x_mantissa = double_split(x, &x_place, &x_negative);
	y_mantissa = double_split(y, &y_place, &y_negative);
	if (x_mantissa != 0 && y_mantissa != 0)
		long_sum_add_wide(&p->products, memory, (scan_uint128) x_mantissa * y_mantissa, x_place + y_place,
						  (x_negative != y_negative) != leaves);
}

/* Adds a pair of integers, or removes it if `leaves`. */
SCAN_FN void
pairs_take_integers(Pairs *p, ScanMemory *memory, int64_t y, int64_t x, int squares, bool leaves)
{
	scan_int128 product = (scan_int128) y * x;

	moments_take_integer(&p->x, memory, x, (squares & PAIRS_X_SQUARES) != 0, leaves);
	moments_take_integer(&p->y, memory, y, (squares & PAIRS_Y_SQUARES) != 0, leaves);
	long_sum_add_integer(&p->products, memory, (scan_uint128) (product < 0 ? -product : product),
						 (product < 0) != leaves);
}

/* Adds the product of a double and an integer, or removes it if `leaves`; the double may be any. */
SCAN_FN void
pairs_take_mixed_product(Pairs *p, ScanMemory *memory, double a, int64_t b, bool leaves)
{
	uint64_t magnitude = b < 0 ? -(uint64_t) b : (uint64_t) b;
	uint64_t mantissa;
	int		 place;
	bool	 negative;

	if (!isfinite(a))
		return;
	mantissa = double_split(a, &place, &negative);
	/* 53 bits by 64 bits are below the 124 bits of long_sum_add_wide() */
	if (mantissa != 0 && magnitude != 0)
		long_sum_add_wide(&p->products, memory, (scan_uint128) mantissa * magnitude, place - EXACT_LSB,
						  (negative != (b < 0)) != leaves);
}

/* The same as pairs_take for a pair of a double and an integer, which need not be a double. */
SCAN_FN void
pairs_take_double_integer(Pairs *p, ScanMemory *memory, double y, int64_t x, int squares, bool leaves)
{
	moments_take_integer(&p->x, memory, x, (squares & PAIRS_X_SQUARES) != 0, leaves);
	moments_take(&p->y, memory, y, (squares & PAIRS_Y_SQUARES) != 0, leaves);
	pairs_take_mixed_product(p, memory, y, x, leaves);
}

SCAN_FN void
pairs_take_integer_double(Pairs *p, ScanMemory *memory, int64_t y, double x, int squares, bool leaves)
{
	moments_take(&p->x, memory, x, (squares & PAIRS_X_SQUARES) != 0, leaves);
	moments_take_integer(&p->y, memory, y, (squares & PAIRS_Y_SQUARES) != 0, leaves);
	pairs_take_mixed_product(p, memory, x, y, leaves);
}

/*
 * Adds a pair whose x is the position of y among the values, from 1 for the oldest.  If `leaves`, removes the oldest
 * pair: the positions of all others become one less, so the sum of the products becomes less by the sum of y.
 */
SCAN_FN void
pairs_take_position(Pairs *p, ScanMemory *memory, double y, bool leaves)
{
	int64_t	 n = p->x.finite;
	uint64_t limb[LONG_SUM_LIMBS];
	Long	 sum;

	if (!leaves)
	{
		pairs_take_double_integer(p, memory, y, n + 1, 0, false);
		return;
	}
	long_sum_read(&p->y.sum, 0, limb, &sum);
	long_sum_add_limbs(&p->products, memory, limb, sum.n, sum.lsb - EXACT_LSB, !sum.negative);
	moments_take_integer(&p->x, memory, n, false, true);
	moments_take(&p->y, memory, y, false, true);
}

/* The same for a y that is an integer. */
SCAN_FN void
pairs_take_integer_position(Pairs *p, ScanMemory *memory, int64_t y, bool leaves)
{
	if (!leaves)
		pairs_take_integers(p, memory, y, p->x.finite + 1, 0, false);
	else
	{
		/* the sum of y and of the products become what they are without the oldest pair, of x = 1 */
		pairs_take_position(p, memory, 0.0, true);
		moments_take_integer(&p->y, memory, y, false, true);
		p->y.finite++;
	}
}

/* left := the pairs of both.  False if their number does not fit in an int64; `left` is then undefined. */
SCAN_FN bool
pairs_join(Pairs *left, ScanMemory *memory, const Pairs *right)
{
	if (!moments_join(&left->x, memory, &right->x) || !moments_join(&left->y, memory, &right->y))
		return false;
	long_sum_join(&left->products, memory, &right->products);
	return true;
}

SCAN_FN int64_t
pairs_count(const Pairs *p)
{
	return moments_count(&p->x);
}

/* True if a number that is not finite came in. */
SCAN_FN bool
pairs_special(const Pairs *p)
{
	return (specials_flags(&p->x.specials) | specials_flags(&p->y.specials)) != 0;
}

/* xy := XY, of finite pairs.  `limb` has PAIRS_LIMBS. */
SCAN_FN void
pairs_cross(const Pairs *p, uint64_t *limb, Long *xy)
{
	uint64_t n_limb = (uint64_t) p->x.finite;
	uint64_t x_limb[LONG_SUM_LIMBS], y_limb[LONG_SUM_LIMBS], product_limb[LONG_SUM_LIMBS];
	Long	 n = {&n_limb, 1, 0, false}, x, y, products;

	long_sum_read(&p->x.sum, EXACT_LSB, x_limb, &x);
	long_sum_read(&p->y.sum, EXACT_LSB, y_limb, &y);
	long_sum_read(&p->products, SQUARE_LSB, product_limb, &products);
	long_cross(&n, &products, &x, &y, limb, xy);
}

/*
 * spread := XX, or YY.  Returns true if all numbers are equal, in exact arithmetic; core's rules for a vertical and a
 * horizontal line are about that, and a NaN or an infinity is equal to none.
 */
SCAN_FN bool
pairs_spread(const Moments *m, uint64_t *limb, Long *spread)
{
	if (specials_flags(&m->specials) != 0)
		return false;
	moments_spread(m, limb, spread);
	return spread->n == 0;
}

/* *y := the covariance, rounded once.  `sample` is as in moments_variance. */
SCAN_FN ScanStatus
pairs_covariance(const Pairs *p, bool sample, double *y)
{
	uint64_t limb[PAIRS_LIMBS];
	Long	 xy;

	if (pairs_count(p) <= (sample ? 1 : 0))
		return SCAN_NULL;
	if (pairs_special(p))
		*y = (double) NAN;
	else
	{
		pairs_cross(p, limb, &xy);
		*y = long_quotient_round(&xy, (uint64_t) p->x.finite, (uint64_t) (p->x.finite - (sample ? 1 : 0)), false);
	}
	return isinf(*y) ? SCAN_FLOAT_OVERFLOW : SCAN_OK;
}

/* *y := the average of y weighted by x, (sum of x y) / (sum of x), rounded once.  NULL if the weights add up to 0. */
SCAN_FN ScanStatus
pairs_weighted_average(const Pairs *p, double *y)
{
	uint64_t product_limb[LONG_SUM_LIMBS], weight_limb[LONG_SUM_LIMBS];
	Long	 products, weights;

	if (pairs_count(p) == 0)
		return SCAN_NULL;
	*y = (double) NAN;
	if (pairs_special(p))
		return SCAN_OK;
	long_sum_read(&p->products, SQUARE_LSB, product_limb, &products);
	long_sum_read(&p->x.sum, EXACT_LSB, weight_limb, &weights);
	if (weights.n == 0)
		return SCAN_NULL;
	products.negative = products.negative != weights.negative;
	*y = long_ratio_round(&products, &weights);
	return isinf(*y) ? SCAN_FLOAT_OVERFLOW : SCAN_OK;
}

/* *y := the correlation or, with `squared`, its square, which is regr_r2; rounded once. */
SCAN_FN ScanStatus
pairs_correlation(const Pairs *p, bool squared, double *y)
{
	uint64_t xx_limb[PAIRS_LIMBS], yy_limb[PAIRS_LIMBS], xy_limb[PAIRS_LIMBS];
	Long	 xx, yy, xy;
	bool	 horizontal;

	if (pairs_count(p) == 0 || pairs_spread(&p->x, xx_limb, &xx))
		return SCAN_NULL;
	horizontal = pairs_spread(&p->y, yy_limb, &yy);
	if (horizontal && !squared)
		return SCAN_NULL;
	if (horizontal)
		*y = 1.0;
	else if (pairs_special(p))
		*y = (double) NAN;
	else
	{
		pairs_cross(p, xy_limb, &xy);
		*y = long_ratio_root_round(&xy, &xx, &yy, squared);
	}
	return SCAN_OK;
}

/* above := (sum of y) (sum of x^2) - (sum of x) (sum of x y), of finite pairs.  `limb` has PAIRS_PRODUCT_LIMBS. */
SCAN_FN void
pairs_above_intercept(const Pairs *p, uint64_t *limb, Long *above)
{
	uint64_t x_limb[LONG_SUM_LIMBS], y_limb[LONG_SUM_LIMBS], square_limb[LONG_SUM_LIMBS], product_limb[LONG_SUM_LIMBS];
	Long	 x_sum, y_sum, squares, products;

	long_sum_read(&p->x.sum, EXACT_LSB, x_limb, &x_sum);
	long_sum_read(&p->y.sum, EXACT_LSB, y_limb, &y_sum);
	long_sum_read(&p->x.squares, SQUARE_LSB, square_limb, &squares);
	long_sum_read(&p->products, SQUARE_LSB, product_limb, &products);
	long_cross(&y_sum, &squares, &x_sum, &products, limb, above);
}

/*
 * *y := the slope of the line of least squares or, with `intercept`, where it meets the axis; rounded once.  The slope
 * is XY / XX, and the intercept
 * ((sum of y) - (sum of x) XY / XX) / n = ((sum of y) (sum of x^2) - (sum of x) (sum of x y)) / XX.
 */
SCAN_FN ScanStatus
pairs_line(const Pairs *p, bool intercept, double *y)
{
	uint64_t xx_limb[PAIRS_LIMBS], above_limb[PAIRS_PRODUCT_LIMBS];
	Long	 xx, above;

	if (pairs_count(p) == 0 || pairs_spread(&p->x, xx_limb, &xx))
		return SCAN_NULL;
	if (pairs_special(p))
		*y = (double) NAN;
	else
	{
		if (intercept)
			pairs_above_intercept(p, above_limb, &above);
		else
			pairs_cross(p, above_limb, &above);
		*y = long_ratio_round(&above, &xx);
	}
	return isinf(*y) ? SCAN_FLOAT_OVERFLOW : SCAN_OK;
}

/* ---- the state, and its statistics: the lists that op/exact_statistics.h explains ---- */

/* clang-format off */

#define EXACT_PARTS_OF_PAIRS(NUMBERS, SUM) \
	EXACT_PARTS_OF_MOMENTS(NUMBERS, SUM, pairs.x, PAIRS_SUM_LIMBS, LONG_SUM_LIMBS) \
	EXACT_PARTS_OF_MOMENTS(NUMBERS, SUM, pairs.y, PAIRS_SUM_LIMBS, LONG_SUM_LIMBS) \
	SUM(pairs.products, LONG_SUM_LIMBS)
#define EXACT_SOUND_OF_PAIRS(c) true
#define EXACT_JOIN_OF_PAIRS(X) X(combine_pairs, PAIRS, Pairs, pairs_join(c, memory, other))
#define EXACT_GROUPS_OF_PAIRS(X) \
	X(POSITIONS, PAIRS, Pairs, 5, Float8) \
	X(PAIRS,     PAIRS, Pairs, 5, Float8)

/* values and their positions among the values, which leave in the order in which they came */
#define EXACT_TAKINGS_OF_POSITIONS(X, D) \
	X(D, position,      1, FLOAT8OID, 0, pairs_take_position(c, memory, EXACT_ARGUMENT(Float8, 0), leaves)) \
	X(D, position_int8, 1, INT8OID,   0, pairs_take_integer_position(c, memory, EXACT_ARGUMENT(Int64, 0), leaves))
#define EXACT_OF_POSITIONS(X, D) \
	X(D, position_avg, POSITION_AVG, 0, pairs_weighted_average(c, &y))

/* y and x */
#define EXACT_TAKINGS_OF_PAIRS(X, D) \
	X(D, pair,             2, FLOAT8OID, FLOAT8OID, pairs_take(c, memory, EXACT_ARGUMENT(Float8, 0), EXACT_ARGUMENT(Float8, 1), EXACT_SQUARES, leaves)) \
	X(D, pair_int8,        2, INT8OID,   INT8OID,   pairs_take_integers(c, memory, EXACT_ARGUMENT(Int64, 0), EXACT_ARGUMENT(Int64, 1), EXACT_SQUARES, leaves)) \
	X(D, pair_float8_int8, 2, FLOAT8OID, INT8OID,   pairs_take_double_integer(c, memory, EXACT_ARGUMENT(Float8, 0), EXACT_ARGUMENT(Int64, 1), EXACT_SQUARES, leaves)) \
	X(D, pair_int8_float8, 2, INT8OID,   FLOAT8OID, pairs_take_integer_double(c, memory, EXACT_ARGUMENT(Int64, 0), EXACT_ARGUMENT(Float8, 1), EXACT_SQUARES, leaves))
#define EXACT_OF_PAIRS(X, D) \
	X(D, covar_pop,      COVAR_POP,      0, pairs_covariance(c, false, &y)) \
	X(D, covar_samp,     COVAR_SAMP,     0, pairs_covariance(c, true, &y)) \
	X(D, weighted_avg,   WEIGHTED_AVG,   0, pairs_weighted_average(c, &y)) \
	X(D, regr_slope,     REGR_SLOPE,     PAIRS_X_SQUARES, pairs_line(c, false, &y)) \
	X(D, regr_intercept, REGR_INTERCEPT, PAIRS_X_SQUARES, pairs_line(c, true, &y)) \
	X(D, corr,           CORR,           PAIRS_X_SQUARES | PAIRS_Y_SQUARES, pairs_correlation(c, false, &y)) \
	X(D, regr_r2,        REGR_R2,        PAIRS_X_SQUARES | PAIRS_Y_SQUARES, pairs_correlation(c, true, &y))

/* clang-format on */

#endif /* SCAN_OP_PAIRS_H */
