/*
 * companion.h: the maps of recurrences of order k, as a monoid of numbers that know how far
 * off they are.
 *
 * A row y = a_1 y' + .. + a_k y'(k) + b takes the last k values s, newest first, to the next
 * ones: s -> A s + v, where A is the row's companion matrix, a_1 .. a_k above a shifted unit,
 * and v is b and zeros.  Such maps compose to such maps: first (A, v), then (B, w) is
 * (B A, B v + w).  That is associative for the real numbers.  For the pairs they are kept as
 * (recurrence.h: h + l, and a bound on the distance to the real number) it is not, and need not
 * be: whatever tree has joined the rows, what comes of it encloses the one true value, and an
 * answer is shown only when it is proved by that.  So the order of the joins decides what can
 * be proved and nothing else.  For k = 1 this is affine.h, to the bit.
 *
 * Bounds.  Products and sums of entries go by pair_multiply and pair_add of affine.h, which take
 * in all they lose.  A row on top of a map is the step of CERTIFIED for each column: a column is
 * the recurrence itself, of b = 0 and one initial value 1, and the last one of zeros and b.  The
 * bound of such a row grows by |a_1| + .. + |a_k|, so that there should not be many of them
 * between joins: a join goes by the entries of whole products, and those of a stable filter stay
 * small.  Filters with long, strongly swinging responses are beyond it all the same, as every
 * join takes absolute values once more: their answers are to be proved by error_growth.h.
 *
 * A map is k rows of k + 1 pairs, the last of each its v.  `k` is a constant wherever this is
 * called from a kernel, and no branch or index is left of it.
 */
#ifndef SCAN_OP_COMPANION_H
#define SCAN_OP_COMPANION_H

#include "op/affine.h"

#define COMPANION_PAIRS(k) ((k) * ((k) + 1))

/* ---- the steps of recurrence.h for the last k values alone; each returns what it has lost itself ---- */

SCAN_FN double
companion_row_certified(int k, RecurrencePair *last, const double *a, double b)
{
	RecurrenceSum sum = recurrence_sum_certified(k, last, a, b);

	recurrence_shift(k, last, sum.h, sum.l, sum.carried + sum.local + 0x1p-1018);
	return sum.local + 0x1p-1018;
}

SCAN_FN double
companion_row_tracked(int k, RecurrencePair *last, const double *a, double b)
{
	RecurrenceSum sum = recurrence_sum_tracked(k, last, a, b);

	recurrence_shift(k, last, sum.h, sum.l, (sum.local + sum.carried) * (1 + 0x1p-45));
	return sum.local;
}

/* ---- maps ---- */

/* The map that changes nothing. */
SCAN_FN void
companion_identity(int k, RecurrencePair *map)
{
	SCAN_UNROLL
	for (int i = 0; i < COMPANION_PAIRS(k); i++)
		map[i] = pair_of(i % (k + 1) == i / (k + 1) ? 1.0 : 0.0);
}

/* The map, and then a row's. */
SCAN_FN void
companion_then_row(int k, RecurrencePair *map, const double *a, double b)
{
	SCAN_UNROLL
	for (int j = 0; j <= k; j++)
	{
		RecurrencePair column[RECURRENCE_ORDERS];

		SCAN_UNROLL
		for (int i = 0; i < k; i++)
			column[i] = map[i * (k + 1) + j];
		(void) companion_row_certified(k, column, a, j == k ? b : 0.0);
		SCAN_UNROLL
		for (int i = 0; i < k; i++)
			map[i * (k + 1) + j] = column[i];
	}
}

/* The map of one row: exactly. */
SCAN_FN void
companion_of_row(int k, RecurrencePair *map, const double *a, double b)
{
	SCAN_UNROLL
	for (int i = 0; i < COMPANION_PAIRS(k); i++)
		map[i] = pair_of(i % (k + 1) == i / (k + 1) - 1 ? 1.0 : 0.0);
	SCAN_UNROLL
	for (int j = 0; j < k; j++)
		map[j] = pair_of(a[j]);
	map[k] = pair_of(b);
}

/* x := A x, the k numbers */
SCAN_FN void
companion_multiply(int k, const RecurrencePair *map, RecurrencePair *x)
{
	RecurrencePair y[RECURRENCE_ORDERS];

	SCAN_UNROLL
	for (int i = 0; i < k; i++)
	{
		const RecurrencePair *row = map + i * (k + 1);

		y[i] = pair_multiply(&row[0], &x[0]);
		SCAN_UNROLL
		for (int j = 1; j < k; j++)
		{
			RecurrencePair product = pair_multiply(&row[j], &x[j]);

			y[i] = pair_add(&y[i], &product);
		}
	}
	SCAN_UNROLL
	for (int i = 0; i < k; i++)
		x[i] = y[i];
}

/* x := A x + v */
SCAN_FN void
companion_apply(int k, const RecurrencePair *map, RecurrencePair *x)
{
	companion_multiply(k, map, x);
	SCAN_UNROLL
	for (int i = 0; i < k; i++)
		x[i] = pair_add(&x[i], &map[i * (k + 1) + k]);
}

/* left := first left, then right */
SCAN_FN void
companion_join(int k, RecurrencePair *left, const RecurrencePair *right)
{
	SCAN_UNROLL
	for (int j = 0; j <= k; j++)
	{
		RecurrencePair column[RECURRENCE_ORDERS];

		SCAN_UNROLL
		for (int i = 0; i < k; i++)
			column[i] = left[i * (k + 1) + j];
		if (j == k)
			companion_apply(k, right, column);
		else
			companion_multiply(k, right, column);
		SCAN_UNROLL
		for (int i = 0; i < k; i++)
			left[i * (k + 1) + j] = column[i];
	}
}

#endif /* SCAN_OP_COMPANION_H */
