/*
 * pair.cuh: the exact sum of floats as far as two doubles hold it.
 *
 * On the CPU a sum that outgrows its pair goes on in 34 limbs (op/exact.h): 312
 * bytes that no warp wants to hand around.  Here it turns into NaN instead, which
 * absorbs everything, and the job comes back as not proven: the CPU does it.  What
 * stays finite is the exact sum, in whatever order it was joined, and so the answers
 * are the CPU's bits.
 *
 * Signed zeros: s is -0 only while every input was (a sum of doubles is -0 for no
 * other operands), and c is then 0.
 */
#ifndef SCAN_GPU_PAIR_CUH
#define SCAN_GPU_PAIR_CUH

#include "op/binding.h"

typedef struct pair_acc
{
	double s, c; /* the value is s + c; s is NaN: it is lost */
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

/* The forms of op/exact.h; false: it is not one that a pair holds. */
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
	sum.form = EXACT_PAIR; /* known to the compiler: nothing of the limbs is left */
	sum.s = a->s;
	sum.c = a->c;
	return exact_round_float4(&sum, y);
}

/* A lost sum cannot be answered: see scan.cuh for SCAN_NEEDS_ROOM. */
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
