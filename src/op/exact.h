/*
 * exact.h: the exact sum of floats, the monoid behind scan_sum(float4|float8).  The aggregate exact_sum has
 * Moments instead (moments.h), from which values can be removed.
 *
 * The value is the real number x_1 + ... + x_n, a multiple of 2^-1074, together with the inputs that are not finite.
 * It is kept in the cheapest form that holds it:
 *
 *   EXACT_NEG_ZERO  every input was -0 (only then is a sum of zeros -0)
 *   EXACT_PAIR      value = s + c, exactly: nearly always, 1.9 ns a row
 *   EXACT_LIMBS     value = the limbs; s + c differs from it by at most `bound`, which
 *                   mostly proves the rounding without the limbs
 *   EXACT_SPECIAL   a NaN or an infinity came in; finite inputs no longer matter
 *
 * The form depends on the order of the additions, the value does not.  So any tree of joins gives the same result, and
 * every result is the value rounded once: exact_round either proves its bits or rounds the limbs.
 *
 * Proofs.  PAIR: two_sum is error-free, so if the residual is zero, s + c is the sum, and the
 * result s + c is one IEEE addition.  LIMBS: the value is y + q + rho with y, q = two_sum(s, c) and
 * |rho| <= bound (1 + 2^-40), the sum of at most EXACT_REFRESH rounded non-negative terms; 2^-51
 * |q| covers the rounding of q +- D.  Rounding is monotone, so if both ends round to y, the value
 * does.
 *
 * Sources: Shewchuk 1997 and Rump, Ogita and Oishi 2008 for the pair, Neal 2015 for the long accumulator.
 */
#ifndef SCAN_OP_EXACT_H
#define SCAN_OP_EXACT_H

#include "op/eft.h"
#include "op/limbs.h"

#define EXACT_LIMBS_N 34 /* 2098 bits of double, and 78 of head room: n < 2^77 */
#define EXACT_LSB (-1074)
#define EXACT_REFRESH 2048 /* rows after which a pair is tried again */
#define EXACT_RETRY 32	   /* the fewest such rows, once the bound is too large to prove anything */

typedef enum ExactForm
{
	EXACT_NEG_ZERO = 0,
	EXACT_PAIR,
	EXACT_LIMBS,
	EXACT_SPECIAL,
} ExactForm;

enum
{
	EXACT_NAN = 1,
	EXACT_PLUS_INF = 2,
	EXACT_MINUS_INF = 4,
};

/* How many values came in that are not finite.  Zero bytes: none. */
typedef struct Specials
{
	int64_t nans, plus_infinities, minus_infinities;
} Specials;

/* Counts a value that is not finite; `one` is 1 or, for a value that leaves, -1. */
SCAN_FN void
specials_take(Specials *s, double x, int64_t one)
{
	*(isnan(x) ? &s->nans : x > 0 ? &s->plus_infinities : &s->minus_infinities) += one;
}

/* left := the values of both.  False if a number of them does not fit in an int64; `left` is then undefined. */
SCAN_FN bool
specials_join(Specials *left, const Specials *right)
{
	return !__builtin_add_overflow(left->nans, right->nans, &left->nans) &&
		   !__builtin_add_overflow(left->plus_infinities, right->plus_infinities, &left->plus_infinities) &&
		   !__builtin_add_overflow(left->minus_infinities, right->minus_infinities, &left->minus_infinities);
}

/* Returns which of them came in, as the flags above; 0 if none did. */
SCAN_FN uint8_t
specials_flags(const Specials *s)
{
	return (uint8_t) ((s->nans != 0 ? EXACT_NAN : 0) | (s->plus_infinities != 0 ? EXACT_PLUS_INF : 0) |
					  (s->minus_infinities != 0 ? EXACT_MINUS_INF : 0));
}

typedef struct ExactSum
{
	double	 s, c;
	double	 bound;	  /* LIMBS: |value - (s + c)| is at most this */
	int32_t	 age;	  /* LIMBS: rows since s and c were computed from the limbs */
	uint8_t	 form;	  /* an ExactForm */
	uint8_t	 special; /* SPECIAL: which of EXACT_NAN, EXACT_PLUS_INF and EXACT_MINUS_INF came in */
	uint64_t limb[EXACT_LIMBS_N];
} ExactSum;

/* Computes s, c and the bound from the limbs.  A value that fits in a pair becomes EXACT_PAIR. */
SCAN_FN_COLD void
exact_refresh(ExactSum *a)
{
	uint64_t rest[EXACT_LIMBS_N];

	a->age = 0;
	a->s = limbs_round(a->limb, EXACT_LIMBS_N, EXACT_LSB, 53, EXACT_LSB);
	a->c = 0.0;
	a->bound = INFINITY;
	if (isinf(a->s))
		return; /* out of range for now: results are rounded from the limbs until the value is in range again */
	memcpy(rest, a->limb, sizeof(rest));
	limbs_add_double(rest, EXACT_LIMBS_N, -a->s);
	a->c = limbs_round(rest, EXACT_LIMBS_N, EXACT_LSB, 53, EXACT_LSB);
	limbs_add_double(rest, EXACT_LIMBS_N, -a->c);
	if (limbs_are_zero(rest, EXACT_LIMBS_N))
		a->form = EXACT_PAIR;
	else
		a->bound = fabs(limbs_round(rest, EXACT_LIMBS_N, EXACT_LSB, 53, EXACT_LSB)) * (1 + 0x1p-50);
}

/* Turns a finite sum into EXACT_LIMBS. */
SCAN_FN_COLD void
exact_to_limbs(ExactSum *a)
{
	if (a->form == EXACT_LIMBS)
		return;
	memset(a->limb, 0, sizeof(a->limb));
	if (a->form == EXACT_PAIR)
	{
		limbs_add_double(a->limb, EXACT_LIMBS_N, a->s);
		limbs_add_double(a->limb, EXACT_LIMBS_N, a->c);
	}
	a->form = EXACT_LIMBS;
	a->bound = INFINITY;
	a->age = EXACT_REFRESH;
}

/* a := the sum of the one number x. */
SCAN_FN void
exact_lift(double x, ExactSum *a)
{
	a->s = x;
	a->c = 0.0;
	a->bound = 0.0;
	a->age = 0;
	a->special = 0;
	if (!isfinite(x))
	{
		a->form = EXACT_SPECIAL;
		a->special = isnan(x) ? EXACT_NAN : x > 0 ? EXACT_PLUS_INF : EXACT_MINUS_INF;
	}
	else
		a->form = x == 0.0 && signbit(x) ? EXACT_NEG_ZERO : EXACT_PAIR;
}

/* a := a + x where a pair cannot hold the result, or where either is not finite. */
SCAN_FN_COLD void
exact_push_slow(ExactSum *a, double x)
{
	double e, r;

	if (a->form == EXACT_SPECIAL || !isfinite(x))
	{
		ExactSum one;

		exact_lift(x, &one);
		a->special = (uint8_t) ((a->form == EXACT_SPECIAL ? a->special : 0) | one.special);
		a->form = EXACT_SPECIAL;
		return;
	}
	if (a->form == EXACT_NEG_ZERO)
	{
		exact_lift(x, a);
		return;
	}
	if (a->form == EXACT_PAIR)
		exact_to_limbs(a);

	limbs_add_double(a->limb, EXACT_LIMBS_N, x);
	two_sum(a->s, x, &a->s, &e);
	two_sum(a->c, e, &a->c, &r);
	a->bound += fabs(r);
	a->age++;
	if (a->age >= EXACT_REFRESH || (a->age >= EXACT_RETRY && !(a->bound * 0x1p70 < fabs(a->s))))
		exact_refresh(a);
}

/* a := a + x */
SCAN_FN void
exact_accumulate(ExactSum *a, double x)
{
	if (SCAN_LIKELY(a->form == EXACT_PAIR))
	{
		double s, c, e, r;

		two_sum(a->s, x, &s, &e);
		two_sum(a->c, e, &c, &r);
		if (SCAN_LIKELY(r == 0.0)) /* false after an overflow or if x is not finite: r is then not 0 */
		{
			a->s = s;
			a->c = c;
			return;
		}
	}
	exact_push_slow(a, x);
}

/* left := left + right, for two finite sums whose total does not fit in a pair */
SCAN_FN_COLD void
exact_join_limbs(ExactSum *left, const ExactSum *right)
{
	exact_to_limbs(left);
	if (right->form == EXACT_LIMBS)
		limbs_add_limbs(left->limb, right->limb, EXACT_LIMBS_N);
	else
	{
		limbs_add_double(left->limb, EXACT_LIMBS_N, right->s);
		limbs_add_double(left->limb, EXACT_LIMBS_N, right->c);
	}
	exact_refresh(left);
}

/* left := left + right */
SCAN_FN void
exact_join(ExactSum *left, const ExactSum *right)
{
	if (SCAN_LIKELY(left->form == EXACT_PAIR && right->form == EXACT_PAIR))
	{
		double s, c, e, r1, r2;

		two_sum(left->s, right->s, &s, &e);
		two_sum(left->c, right->c, &c, &r1);
		two_sum(c, e, &c, &r2);
		if (SCAN_LIKELY(r1 == 0.0 && r2 == 0.0))
		{
			left->s = s;
			left->c = c;
			return;
		}
	}
	if (left->form == EXACT_SPECIAL || right->form == EXACT_SPECIAL)
	{
		left->special = (uint8_t) ((left->form == EXACT_SPECIAL ? left->special : 0) |
								   (right->form == EXACT_SPECIAL ? right->special : 0));
		left->form = EXACT_SPECIAL;
	}
	else if (left->form == EXACT_NEG_ZERO)
		*left = *right;
	else if (right->form != EXACT_NEG_ZERO)
		exact_join_limbs(left, right);
}

/* dst := src; the limbs are copied only if the form uses them */
SCAN_FN void
exact_copy(ExactSum *dst, const ExactSum *src)
{
	if (src->form == EXACT_LIMBS)
		*dst = *src;
	else
		memcpy(dst, src, offsetof(ExactSum, limb));
}

/* Returns the sum if the inputs in `special` came in. */
SCAN_FN double
exact_special_value(uint8_t special)
{
	if (special == EXACT_PLUS_INF)
		return INFINITY;
	return special == EXACT_MINUS_INF ? -INFINITY : (double) NAN;
}

/*
 * *y := the value rounded to double.  True if s, c and the bound prove that this is the rounding;
 * false if they do not, or if *y is beyond the largest double.
 */
SCAN_FN bool
exact_certify(double s, double c, double bound, double *y)
{
	double q, d;

	two_sum(s, c, y, &q);
	d = 0x1p-51 * fabs(q) + bound * (1 + 0x1p-40);
	return *y + (q + d) == *y && *y + (q - d) == *y && isfinite(*y);
}

/* *y := the value rounded once to double.  Returns SCAN_FLOAT_OVERFLOW if finite inputs give an infinity. */
SCAN_FN ScanStatus
exact_round(const ExactSum *a, double *y)
{
	if (SCAN_LIKELY(a->form == EXACT_PAIR))
		*y = a->s + a->c;
	else if (a->form == EXACT_SPECIAL)
	{
		*y = exact_special_value(a->special);
		return SCAN_OK;
	}
	else if (a->form == EXACT_NEG_ZERO)
		*y = -0.0;
	else if (!exact_certify(a->s, a->c, a->bound, y))
		*y = limbs_round(a->limb, EXACT_LIMBS_N, EXACT_LSB, 53, EXACT_LSB);
	return isfinite(*y) ? SCAN_OK : SCAN_FLOAT_OVERFLOW;
}

/*
 * *y := the value rounded once to float4; the status is as in exact_round.  Rounding s + c to a
 * double first would round twice.  So an inexact double is moved to its odd neighbour ("round to
 * odd"), after which the second rounding is the only one: 53 bits are at least 24 + 2 (Boldo and
 * Melquiond, 2008), subnormal floats included.
 */
SCAN_FN ScanStatus
exact_round_float4(const ExactSum *a, float *y)
{
	double wide, rest;

	if (a->form == EXACT_SPECIAL)
	{
		*y = (float) exact_special_value(a->special);
		return SCAN_OK;
	}
	if (a->form == EXACT_NEG_ZERO)
	{
		*y = -0.0f;
		return SCAN_OK;
	}
	if (a->form == EXACT_PAIR)
	{
		two_sum(a->s, a->c, &wide, &rest);
		if (rest != 0.0 && (double_bits(wide) & 1) == 0)
		{
			bool away = (rest > 0) == (wide > 0);

			wide = double_from_bits(double_bits(wide) + (away ? 1 : (uint64_t) -1));
		}
	}
	else
		wide = limbs_round(a->limb, EXACT_LIMBS_N, EXACT_LSB, 24, -149);
	*y = (float) wide;
	return isfinite(*y) ? SCAN_OK : SCAN_FLOAT_OVERFLOW;
}

/* exact_run, one row at a time. */
SCAN_FN int64_t
exact_run_rows(ExactSum *a, const double *x, int64_t n, double *y)
{
	double	s = a->s;
	double	c = a->c;
	int64_t i;

	for (i = 0; i < n; i++)
	{
		double s1, c1, e, r, out;

		two_sum(s, x[i], &s1, &e);
		two_sum(c, e, &c1, &r);
		out = s1 + c1;
		/* r or the difference is NaN if something overflowed or is not finite */
		if (!(r == 0.0 && out - out == 0.0))
			break;
		s = s1;
		c = c1;
		y[i] = out;
	}
	a->s = s;
	a->c = c;
	return i;
}

#define EXACT_BLOCK 64 /* rows that are tested together */
#define EXACT_PROBE 8  /* rows before the first block: many runs end at once, where a pair hardly ever holds the sum */

/*
 * Computes a block of a run.  False if the pair cannot hold every sum; then only y has changed.
 *
 * c + e = c1 exactly if and only if c1 - c gives e and c1 - e gives c: the difference with the larger of the two is
 * exact (Dekker 1971), so that difference alone decides.  Two operations replace the five of a residual, and their
 * results are compared as bits, for which no branch waits.  Neither c nor e is ever -0.  (The bits of c are kept from
 * the row before, because gcc 12 otherwise makes code that takes 10 % longer.)  If e or c1 is not finite, one of the
 * differences is not finite, and so differs from c or e.  Only an s + c beyond the largest double leaves no trace in
 * `lost`; `largest` catches it.
 */
SCAN_FN bool
exact_run_block(ExactSum *a, const double *x, double *y)
{
	double	 s = a->s;
	double	 c = a->c;
	double	 largest = 0.0;
	uint64_t c_bits = double_bits(c);
	uint64_t lost = 0;

	for (int i = 0; i < EXACT_BLOCK; i++)
	{
		double s1, c1, e, out;

		two_sum(s, x[i], &s1, &e);
		c1 = c + e;
		lost |= (double_bits(c1 - c) ^ double_bits(e)) | (double_bits(c1 - e) ^ c_bits);
		s = s1;
		c = c1;
		c_bits = double_bits(c1);
		out = s + c;
		largest = fabs(out) > largest ? fabs(out) : largest;
		y[i] = out;
	}
	if (lost != 0 || !isfinite(largest))
		return false;
	a->s = s;
	a->c = c;
	return true;
}

/*
 * Running sums of a run of values: y[i] := the sum of *a and x[0 .. i], rounded, as long as the pair holds every sum
 * and every result is finite.  Returns the number of rows computed; *a is then their sum, and the caller takes the next
 * row by exact_accumulate.  The formula is that of exact_accumulate and exact_round, with the pair in registers.  y
 * must not overlap x; y past the rows computed is undefined.
 */
SCAN_FN int64_t
exact_run(ExactSum *a, const double *x, int64_t n, double *y)
{
	int64_t i = 0;

	if (a->form != EXACT_PAIR)
		return 0;
	if (n >= EXACT_PROBE + EXACT_BLOCK)
	{
		i = exact_run_rows(a, x, EXACT_PROBE, y);
		if (i < EXACT_PROBE)
			return i;
		while (n - i >= EXACT_BLOCK && exact_run_block(a, x + i, y + i))
			i += EXACT_BLOCK;
	}
	return i + exact_run_rows(a, x + i, n - i, y + i);
}

#endif /* SCAN_OP_EXACT_H */
