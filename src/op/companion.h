/*
 * companion.h: the maps of recurrences of order k, as a monoid.  Their entries carry bounds of their own errors.
 *
 * cpu/vector.c and the CUDA kernels scan recurrences by trees over these maps.  A row y = a_1 y' + .. + a_k y'(k) + b
 * takes s, the last k values, newest first, to A s + v.  A is the row's companion matrix: a_1 .. a_k above a shifted
 * unit matrix; v is b and then zeros.  Composing such maps gives such maps: first (A, v), then (B, w) is (B A, B v +
 * w).
 *
 * Composing is associative for the real numbers.  An entry is kept as a pair (recurrence.h: h + l, and a bound on the
 * distance to the real number), and for pairs composing is not associative, and need not be.  Whatever tree joined the
 * rows, the resulting pair encloses the one true value, and a result is returned only when the pair proves it.  So the
 * order of the joins decides only what can be proved.  For k = 1 the maps are those of affine.h, to the bit.
 *
 * Bounds.  Products and sums of entries use pair_multiply and pair_add of affine.h, whose bounds cover every error they
 * make.  A row composed onto a map is the CERTIFIED step for each column: columns 1 to k are the recurrence with b = 0
 * from one initial value of 1, and the last column is the recurrence with b from zeros.  The bound of such a row grows
 * by |a_1| + .. + |a_k|, so there should not be many such rows between joins.  A join grows the bound by the entries of
 * whole products of maps, and in a stable filter those entries stay small.  Filters with long, strongly swinging
 * responses cannot be proved here, since every join takes absolute values once more: error_growth.h proves their
 * results.
 *
 * A map is stored as k rows of k + 1 pairs; the last pair of each row belongs to v.  Kernels call these functions with
 * a constant `k`, so that no branch or index remains.
 */
#ifndef SCAN_OP_COMPANION_H
#define SCAN_OP_COMPANION_H

#include "op/affine.h"

#define COMPANION_PAIRS(k) ((k) * ((k) + 1))

/* ---- the steps of recurrence.h on the last k values; each returns the bound of its own roundings ---- */

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

/* map := the identity */
SCAN_FN void
companion_identity(int k, RecurrencePair *map)
{
	SCAN_UNROLL
	for (int i = 0; i < COMPANION_PAIRS(k); i++)
		map[i] = pair_of(i % (k + 1) == i / (k + 1) ? 1.0 : 0.0);
}

/* map := `map` first, then the row's map */
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

/* map := the map of one row, which is exact */
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

/* x := A x, for the k numbers of x */
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

/* left := `left` first, then `right` */
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
