/*
 * pair.cuh: the exact sum of floats, as long as two doubles can hold it.
 *
 * On the CPU a sum that outgrows its pair continues in 34 limbs (op/exact.h): 312 bytes, too many to exchange in a
 * warp.  Here the sum becomes NaN instead, which absorbs every further value, and the job returns SCAN_GPU_NOT_PROVEN:
 * the CPU runs it.  A sum that stays finite is exact, in whatever order it was joined, so the answers have the CPU's
 * bits.
 *
 * Signed zeros: s is -0 only if every input was -0 (no other sum of doubles is -0), and c is then 0.
 */
#ifndef SCAN_GPU_PAIR_CUH
#define SCAN_GPU_PAIR_CUH

#include "op/binding.h"

typedef struct pair_acc
{
	double s, c; /* the value is s + c; it is lost if s is NaN */
} pair_acc;

SCAN_FN void
pair_join(pair_acc *left, const pair_acc *right)
{
	double s, c, e, r1, r2;

	two_sum(left->s, right->s, &s, &e);
	two_sum(left->c, right->c, &c, &r1);
	two_sum(c, e, &c, &r2);
	left->s = r1 == 0.0 && r2 == 0.0 ? s : (double) NAN;
	left->c = c;
}

PLAIN_COPY(pair)

SCAN_FN bool
pair_holds(const pair_acc *a)
{
	return !isnan(a->s);
}

/* Convert from and to the forms of op/exact.h.  pair_of_exact() returns false if a pair cannot hold the form. */
SCAN_FN bool
pair_of_exact(const ExactSum *sum, pair_acc *a)
{
	a->s = sum->form == EXACT_NEG_ZERO ? -0.0 : sum->s;
	a->c = sum->form == EXACT_NEG_ZERO ? 0.0 : sum->c;
	return sum->form == EXACT_NEG_ZERO || sum->form == EXACT_PAIR;
}

SCAN_FN void
exact_of_pair(const pair_acc *a, ExactSum *sum)
{
	exact_lift(a->s, sum);
	sum->c = a->c;
	if (a->c != 0.0)
		sum->form = EXACT_PAIR;
}

SCAN_FN ScanStatus
pair_round(const pair_acc *a, double *y)
{
	*y = a->c == 0.0 ? a->s : a->s + a->c;
	return isfinite(*y) ? SCAN_OK : SCAN_FLOAT_OVERFLOW;
}

SCAN_FN ScanStatus
pair_round_float4(const pair_acc *a, float *y)
{
	ExactSum sum;

	if (a->c == 0.0 && a->s == 0.0)
	{
		*y = (float) a->s;
		return SCAN_OK;
	}
	sum.form = EXACT_PAIR; /* the compiler sees the form and removes all code for limbs */
	sum.s = a->s;
	sum.c = a->c;
	return exact_round_float4(&sum, y);
}

/* A lost sum returns SCAN_NEEDS_ROOM, by which scan.cuh marks the job as not proved. */
#define PAIR_SUM_BINDING(D, T, ROUND)                                 \
	BINDING_TYPES(D, pair, T, T)                                      \
	BINDING_LIFT(D)                                                   \
	{                                                                 \
		(void) param, (void) row;                                     \
		a->s = isfinite(*x) ? *x : (double) NAN;                      \
		a->c = 0.0;                                                   \
	}                                                                 \
	BINDING_ACCUMULATE(D)                                             \
	{                                                                 \
		double s, e, r;                                               \
		(void) param, (void) row;                                     \
		two_sum(a->s, *x, &s, &e);                                    \
		two_sum(a->c, e, &a->c, &r);                                  \
		a->s = r == 0.0 ? s : (double) NAN;                           \
	}                                                                 \
	BINDING_LOWER(D)                                                  \
	{                                                                 \
		(void) param, (void) row, (void) before;                      \
		return pair_holds(after) ? ROUND(after, y) : SCAN_NEEDS_ROOM; \
	}                                                                 \
	BINDING_IDENTITY(D, SCAN_OK, 0)

PAIR_SUM_BINDING(pair_sum_float4, float, pair_round_float4)
PAIR_SUM_BINDING(pair_sum_float8, double, pair_round)

#endif /* SCAN_GPU_PAIR_CUH */
