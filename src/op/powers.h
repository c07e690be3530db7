/*
 * powers.h: the count and the exact sums of values, of their squares, cubes and fourth powers.
 *
 * The aggregates exact_skewness* and exact_kurtosis* and the plan node compute their results from them.  The values
 * have Moments (moments.h), and as there a value may be removed again.  With n values and the sums S1 to S4 of their
 * powers, the central moments are integers over powers of n:
 *
 *   M2 = n S2 - S1^2                                  which is n^2 times the variance
 *   M3 = n^2 S3 - 3 n S1 S2 + 2 S1^3                  which is n^3 times the third central moment
 *   M4 = n^3 S4 - 4 n^2 S1 S3 + 6 n S1^2 S2 - 3 S1^4  which is n^4 times the fourth central moment
 *
 * Skewness is M3 / sqrt(M2^3), kurtosis M4 / M2^2, and n cancels.  So does any unit of the values: doubles and integers
 * are counted in units of 2^-1074, numerics in units of 10000^-places.
 */
#ifndef SCAN_OP_POWERS_H
#define SCAN_OP_POWERS_H

#include "op/moments.h"
#include "op/ratio.h"

/* A state of zero bytes has no values. */
typedef struct Powers
{
	Moments x;
	LongSum cubes;	 /* in units of 2^-3222 or, of numerics, of 10000^(-3 places) */
	LongSum fourths; /* in units of 2^-4296 or, of numerics, of 10000^(-4 places) */
	int64_t decimal; /* 1 if the values are numerics, else 0 */
	int64_t places;	 /* of numerics */
} Powers;

/* More limbs than the sums of powers of doubles have, which are 34 for each power, the head room and the sign. */
#define POWERS_SUM_LIMBS 40
#define POWERS_SQUARE_LIMBS 72
#define POWERS_CUBE_LIMBS 108
#define POWERS_FOURTH_LIMBS 144

#define POWERS_PLACES 78	  /* the most digits of base 10000 of a numeric before the point, and behind it */
#define POWERS_VALUE_LIMBS 33 /* limbs for a number with all these digits */
#define POWERS_M3_LIMBS 124	  /* limbs of n(n - 1) M3, and of what it is computed from */
#define POWERS_M4_LIMBS 168	  /* limbs of (n^2 - 1) M4 - 3 (n - 1)^2 M2^2, and of what it is computed from */

/* ---- values ---- */

/* limb := limb factor + term, for a number of *n limbs and room for one more */
SCAN_FN void
limbs_append(uint64_t *limb, int *n, uint64_t factor, uint64_t term)
{
	for (int i = 0; i < *n; i++)
		limb[i] = limb_multiply(limb[i], factor, &term);
	if (term != 0)
		limb[(*n)++] = term;
}

/* product := x factor; the product has room for the limbs of both, and all are written. */
SCAN_FN void
limbs_multiply(uint64_t *product, const uint64_t *x, int n, const uint64_t *factor, int factor_n)
{
	memset(product, 0, (size_t) (n + factor_n) * sizeof(uint64_t));
	for (int i = 0; i < factor_n; i++)
		long_add_product(product, n + factor_n, x, n, factor[i], i, 0, false);
}

/*
 * Adds the cube and the fourth power of a number m 2^place, or removes them if `leaves`.  `square` has the 2 n limbs of
 * m^2.
 */
SCAN_FN void
powers_take_high(Powers *p, ScanMemory *memory, const uint64_t *m, const uint64_t *square, int n, int place,
				 bool negative, bool leaves)
{
	uint64_t power[4 * POWERS_VALUE_LIMBS];

	limbs_multiply(power, square, 2 * n, m, n);
	long_sum_add_limbs(&p->cubes, memory, power, 3 * n, 3 * place, negative != leaves);
	limbs_multiply(power, square, 2 * n, square, 2 * n);
	long_sum_add_limbs(&p->fourths, memory, power, 4 * n, 4 * place, leaves);
}

/* The same for an m of one limb. */
SCAN_FN void
powers_take_high_limb(Powers *p, ScanMemory *memory, uint64_t m, int place, bool negative, bool leaves)
{
	scan_uint128 product = (scan_uint128) m * m;
	uint64_t	 square[2] = {(uint64_t) product, (uint64_t) (product >> 64)};

	powers_take_high(p, memory, &m, square, 1, place, negative, leaves);
}

/* Adds a double, or removes it if `leaves`. */
SCAN_FN void
powers_take(Powers *p, ScanMemory *memory, double x, bool leaves)
{
	uint64_t mantissa;
	int		 place;
	bool	 negative;

	moments_take(&p->x, memory, x, true, leaves);
	if (!isfinite(x))
		return;
	mantissa = double_split(x, &place, &negative);
	if (mantissa != 0)
		powers_take_high_limb(p, memory, mantissa, place, negative, leaves);
}

/* Adds an integer, or removes it if `leaves`; it need not be a double. */
SCAN_FN void
powers_take_integer(Powers *p, ScanMemory *memory, int64_t x, bool leaves)
{
	moments_take_integer(&p->x, memory, x, true, leaves);
	if (x != 0)
		powers_take_high_limb(p, memory, x < 0 ? -(uint64_t) x : (uint64_t) x, -EXACT_LSB, x < 0, leaves);
}

/* Adds a numeric of that magnitude, in the unit of the state, or removes it if `leaves`. */
SCAN_FN void
powers_take_magnitude(Powers *p, ScanMemory *memory, const uint64_t *m, int n, bool negative, bool leaves)
{
	uint64_t square[2 * POWERS_VALUE_LIMBS];

	p->x.finite += leaves ? -1 : 1;
	limbs_multiply(square, m, n, m, n);
	long_sum_add_limbs(&p->x.sum, memory, m, n, 0, negative != leaves);
	long_sum_add_limbs(&p->x.squares, memory, square, 2 * n, 0, leaves);
	powers_take_high(p, memory, m, square, n, 0, negative, leaves);
}

/* sum := sum * 10000^places.  False if it would have more than `most` limbs: no values have such a sum. */
SCAN_FN_COLD bool
long_sum_rescale(LongSum *sum, ScanMemory *memory, int64_t places, int most)
{
	uint64_t limb[POWERS_FOURTH_LIMBS];
	Long	 number;

	long_sum_read(sum, 0, limb, &number);
	for (int64_t i = 0; i < places; i++)
	{
		limbs_append(limb, &number.n, 10000, 0);
		if (number.lsb / 64 + number.n > most)
			return false;
	}
	if (sum->n > 0)
		memset(sum->limb, 0, (size_t) sum->n * sizeof(uint64_t));
	long_sum_add_limbs(sum, memory, limb, number.n, number.lsb, number.negative);
	return true;
}

/*
 * Gives the sums of numerics a unit of 10000^-places; there are as many places as before, or more.  False if the sums
 * are those of no values; they are then undefined.
 */
SCAN_FN_COLD bool
powers_rescale(Powers *p, ScanMemory *memory, int64_t places)
{
	int64_t more = places - p->places;

	p->places = places;
	return long_sum_rescale(&p->x.sum, memory, more, POWERS_SUM_LIMBS - 4) &&
		   long_sum_rescale(&p->x.squares, memory, 2 * more, POWERS_SQUARE_LIMBS - 4) &&
		   long_sum_rescale(&p->cubes, memory, 3 * more, POWERS_CUBE_LIMBS - 4) &&
		   long_sum_rescale(&p->fourths, memory, 4 * more, POWERS_FOURTH_LIMBS - 4);
}

/*
 * left := the values of both, which are in one unit.  False if their number does not fit in an int64; `left` is then
 * undefined.
 */
SCAN_FN bool
powers_join(Powers *left, ScanMemory *memory, const Powers *right)
{
	if (!moments_join(&left->x, memory, &right->x))
		return false;
	long_sum_join(&left->cubes, memory, &right->cubes);
	long_sum_join(&left->fourths, memory, &right->fourths);
	return true;
}

/* ---- central moments ---- */

/* result := x times a number that is not negative.  `limb` has room for three limbs more than x. */
SCAN_FN void
long_times(const Long *x, scan_uint128 factor, uint64_t *limb, Long *result)
{
	uint64_t factor_limb[2] = {(uint64_t) factor, (uint64_t) (factor >> 64)};
	Long	 number = {factor_limb, 2, 0, false};

	long_product(&number, x, limb, result);
}

/* The central moments of a state of finite values that are not all equal. */
typedef struct CentralMoments
{
	uint64_t m2_limb[LONG_SUM_LIMBS], m3_limb[POWERS_M3_LIMBS], m4_limb[POWERS_M4_LIMBS];
	Long	 m2, m3;
	Long	 m4; /* set by central_fourth() */
} CentralMoments;

/*
 * Sets m3 := n A - 2 S1 M2, where A = n S3 - S1 S2, and `third` := n A - S1 M2, of which M4 is made.  M2 is set.  Its
 * limbs are in `third_limb`, which has POWERS_M3_LIMBS.
 */
SCAN_FN void
central_third(const Powers *p, CentralMoments *c, uint64_t *third_limb, Long *third)
{
	uint64_t n_limb = (uint64_t) p->x.finite;
	uint64_t sum_limb[POWERS_SUM_LIMBS], square_limb[POWERS_SQUARE_LIMBS], cube_limb[POWERS_CUBE_LIMBS];
	uint64_t a_limb[POWERS_M3_LIMBS];
	uint64_t one_limb = 1;
	Long	 n = {&n_limb, 1, 0, false}, one = {&one_limb, 1, 0, false}, sum, squares, cubes, a;

	long_sum_read(&p->x.sum, EXACT_LSB, sum_limb, &sum);
	long_sum_read(&p->x.squares, SQUARE_LSB, square_limb, &squares);
	long_sum_read(&p->cubes, 3 * EXACT_LSB, cube_limb, &cubes);
	long_cross(&n, &cubes, &sum, &squares, a_limb, &a);
	long_cross(&n, &a, &sum, &c->m2, third_limb, third);
	long_cross(&one, third, &sum, &c->m2, c->m3_limb, &c->m3);
}

/* Sets m4 := n^2 (n S4 - S1 S3) - 3 S1 `third`, where `third` is as central_third() sets it. */
SCAN_FN void
central_fourth(const Powers *p, CentralMoments *c, const Long *third)
{
	uint64_t	 n_limb = (uint64_t) p->x.finite;
	scan_uint128 square = (scan_uint128) n_limb * n_limb;
	uint64_t	 n2_limb[2] = {(uint64_t) square, (uint64_t) (square >> 64)};
	uint64_t	 sum_limb[POWERS_SUM_LIMBS], cube_limb[POWERS_CUBE_LIMBS], fourth_limb[POWERS_FOURTH_LIMBS];
	uint64_t	 b_limb[POWERS_M4_LIMBS], thrice_limb[POWERS_SUM_LIMBS + 3];
	Long		 n = {&n_limb, 1, 0, false}, n2 = {n2_limb, 2, 0, false}, sum, cubes, fourths, b, thrice;

	long_sum_read(&p->x.sum, EXACT_LSB, sum_limb, &sum);
	long_sum_read(&p->cubes, 3 * EXACT_LSB, cube_limb, &cubes);
	long_sum_read(&p->fourths, 4 * EXACT_LSB, fourth_limb, &fourths);
	long_cross(&n, &fourths, &sum, &cubes, b_limb, &b);
	long_times(&sum, 3, thrice_limb, &thrice);
	long_cross(&n2, &b, &thrice, third, c->m4_limb, &c->m4);
}

/*
 * Computes the central moments, the fourth one if `with_fourth`.  Returns SCAN_NULL for fewer than `least` values and
 * if all values are equal, and sets *special if one is not finite; then there are no moments.
 */
SCAN_FN ScanStatus
central_moments(const Powers *p, int least, bool with_fourth, CentralMoments *c, bool *special)
{
	uint64_t third_limb[POWERS_M3_LIMBS];
	Long	 third;

	*special = false;
	if (moments_count(&p->x) < least)
		return SCAN_NULL;
	*special = specials_flags(&p->x.specials) != 0;
	if (*special)
		return SCAN_OK;
	moments_spread(&p->x, c->m2_limb, &c->m2);
	if (c->m2.n == 0)
		return SCAN_NULL;
	central_third(p, c, third_limb, &third);
	if (with_fourth)
		central_fourth(p, c, &third);
	return SCAN_OK;
}

/* ---- results ---- */

/*
 * *y := the skewness, rounded once: g1 = M3 / sqrt(M2^3) or, with `sample`, G1 = g1 sqrt(n (n - 1)) / (n - 2).  NULL
 * for no values, with `sample` for fewer than three, and if all values are equal.
 */
SCAN_FN ScanStatus
powers_skewness(const Powers *p, bool sample, double *y)
{
	uint64_t	   square_limb[2 * LONG_SUM_LIMBS + 1], a_limb[2 * LONG_SUM_LIMBS + 4], b_limb[LONG_SUM_LIMBS + 3];
	uint64_t	   above_limb[POWERS_M3_LIMBS + 3];
	uint64_t	   n = (uint64_t) p->x.finite;
	CentralMoments c;
	Long		   above, square, a, b;
	bool		   special;

	if (central_moments(p, sample ? 3 : 1, false, &c, &special) == SCAN_NULL)
		return SCAN_NULL;
	*y = (double) NAN;
	if (special)
		return SCAN_OK;
	/* G1 = n (n - 1) M3 / sqrt((n (n - 2) M2^2) ((n - 1) (n - 2) M2)) */
	long_times(&c.m3, sample ? (scan_uint128) n * (n - 1) : 1, above_limb, &above);
	long_product(&c.m2, &c.m2, square_limb, &square);
	long_times(&square, sample ? (scan_uint128) n * (n - 2) : 1, a_limb, &a);
	long_times(&c.m2, sample ? (scan_uint128) (n - 1) * (n - 2) : 1, b_limb, &b);
	*y = long_ratio_root_round(&above, &a, &b, false);
	return SCAN_OK;
}

/*
 * *y := the excess kurtosis, rounded once: g2 = M4 / M2^2 - 3 or, with `sample`,
 * G2 = ((n + 1) g2 + 6) (n - 1) / ((n - 2) (n - 3)).  NULL for no values, with `sample` for fewer than four, and if all
 * values are equal.
 */
SCAN_FN ScanStatus
powers_kurtosis(const Powers *p, bool sample, double *y)
{
	uint64_t	   square_limb[2 * LONG_SUM_LIMBS + 1], below_limb[2 * LONG_SUM_LIMBS + 4], above_limb[POWERS_M4_LIMBS];
	uint64_t	   n = (uint64_t) p->x.finite;
	scan_uint128   fourths, squares;
	CentralMoments c;
	Long		   square, below, above;
	bool		   special;

	if (central_moments(p, sample ? 4 : 1, true, &c, &special) == SCAN_NULL)
		return SCAN_NULL;
	*y = (double) NAN;
	if (special)
		return SCAN_OK;
	/* G2 = ((n^2 - 1) M4 - 3 (n - 1)^2 M2^2) / ((n - 2) (n - 3) M2^2) */
	fourths = sample ? (scan_uint128) (n - 1) * (n + 1) : 1;
	squares = sample ? (scan_uint128) (n - 1) * (n - 1) * 3 : 3;
	{
		uint64_t fourth_limb[2] = {(uint64_t) fourths, (uint64_t) (fourths >> 64)};
		uint64_t squares_limb[2] = {(uint64_t) squares, (uint64_t) (squares >> 64)};
		Long	 fourth_factor = {fourth_limb, 2, 0, false}, square_factor = {squares_limb, 2, 0, false};

		long_product(&c.m2, &c.m2, square_limb, &square);
		long_cross(&fourth_factor, &c.m4, &square_factor, &square, above_limb, &above);
	}
	long_times(&square, sample ? (scan_uint128) (n - 2) * (n - 3) : 1, below_limb, &below);
	*y = long_ratio_round(&above, &below);
	return SCAN_OK;
}

/* ---- the state, and its statistics: the lists that op/exact_statistics.h explains ---- */

/* True if the unit of the sums is one that a state may have. */
SCAN_FN bool
powers_unit_is_sound(const Powers *p)
{
	return p->decimal == 0 ? p->places == 0 : p->decimal == 1 && p->places >= 0 && p->places <= POWERS_PLACES;
}

/* clang-format off */

#define EXACT_PARTS_OF_POWERS(NUMBERS, SUM) \
	NUMBERS(powers.decimal, 2, UNIT) \
	EXACT_PARTS_OF_MOMENTS(NUMBERS, SUM, powers.x, POWERS_SUM_LIMBS, POWERS_SQUARE_LIMBS) \
	SUM(powers.cubes, POWERS_CUBE_LIMBS) \
	SUM(powers.fourths, POWERS_FOURTH_LIMBS)
#define EXACT_SOUND_OF_POWERS(c) powers_unit_is_sound(c)
#define EXACT_JOIN_OF_POWERS(X) X(combine_powers, POWERS, Powers, exact_powers_join(c, memory, other, value))
#define EXACT_GROUPS_OF_POWERS(X) X(POWERS, POWERS, Powers, 4, Float8)

/* numerics go in by functions/aggregate/exact_powers.c alone */
#define EXACT_TAKINGS_OF_POWERS(X, D) \
	X(D, powers,      1, FLOAT8OID, 0, powers_take(c, memory, EXACT_ARGUMENT(Float8, 0), leaves)) \
	X(D, powers_int8, 1, INT8OID,   0, powers_take_integer(c, memory, EXACT_ARGUMENT(Int64, 0), leaves))
#define EXACT_OF_POWERS(X, D) \
	X(D, skewness,     SKEWNESS,     0, powers_skewness(c, true, &y)) \
	X(D, skewness_pop, SKEWNESS_POP, 0, powers_skewness(c, false, &y)) \
	X(D, kurtosis,     KURTOSIS,     0, powers_kurtosis(c, true, &y)) \
	X(D, kurtosis_pop, KURTOSIS_POP, 0, powers_kurtosis(c, false, &y))

/* clang-format on */

#endif /* SCAN_OP_POWERS_H */
