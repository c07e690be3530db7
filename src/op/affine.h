/*
 * affine.h: the maps y -> a y + b of first-order recurrences, as a monoid.  The coefficients carry bounds of their own
 * errors.
 *
 * cpu/tile.c scans a tile of a recurrence by trees over these maps; companion.h uses the arithmetic of pairs for higher
 * orders.  A real number is kept as a RecurrencePair (recurrence.h): h + l, and a bound on the distance from h + l to
 * the number.  Composing maps is associative for the real numbers.  For the pairs it is not, and does not have to be: a
 * result is returned only when its pair proves the bits, so the order of the compositions decides only what can be
 * proved.  So any tree may scan the tile.
 *
 * Bounds.  Each function adds up three things: the roundings it commits, at most u = 2^-53 of the rounded value each;
 * the terms it leaves out; and the bounds of its operands.  All terms are non-negative and fewer than 16, so their own
 * roundings are within PAIR_SLACK.  2^-1018 stands for whatever an underflow may have lost.  An overflow leaves an
 * infinity or a NaN in h or in the bound, and such a pair proves nothing.
 */
#ifndef SCAN_OP_AFFINE_H
#define SCAN_OP_AFFINE_H

#include "op/recurrence.h"
#include "op/wrap.h"

#define PAIR_SLACK (1 + 0x1p-40)
#define PAIR_UNDERFLOW 0x1p-1018

typedef struct Affine
{
	RecurrencePair a, b;
} Affine;

/* Returns x y.  The product x->l * y->l is left out of h + l, and added to the bound. */
SCAN_FN RecurrencePair
pair_multiply(const RecurrencePair *x, const RecurrencePair *y)
{
	const double   u = 0x1p-53;
	RecurrencePair z;
	double		   p, pe, t, inner;

	two_product(x->h, y->h, &p, &pe);
	inner = fma(x->l, y->h, pe);
	t = fma(x->h, y->l, inner);
	two_sum(p, t, &z.h, &z.l);
	z.bound = fabs(x->l * y->l) + u * (fabs(inner) + fabs(t)) + x->bound * (fabs(y->h) + fabs(y->l) + y->bound) +
			  y->bound * (fabs(x->h) + fabs(x->l));
	z.bound = z.bound * PAIR_SLACK + PAIR_UNDERFLOW;
	return z;
}

/* Returns x + y. */
SCAN_FN RecurrencePair
pair_add(const RecurrencePair *x, const RecurrencePair *y)
{
	const double   u = 0x1p-53;
	RecurrencePair z;
	double		   s, e, t, l;

	two_sum(x->h, y->h, &s, &e);
	t = x->l + y->l;
	l = t + e;
	two_sum(s, l, &z.h, &z.l);
	z.bound = (x->bound + y->bound + u * (fabs(t) + fabs(l))) * PAIR_SLACK;
	return z;
}

/* Returns the map of one row. */
SCAN_FN Affine
affine_of(double a, double b)
{
	Affine map = {pair_of(a), pair_of(b)};

	return map;
}

/* Returns a y + b for the map's a and b. */
SCAN_FN RecurrencePair
affine_apply(const Affine *map, const RecurrencePair *y)
{
	RecurrencePair ay = pair_multiply(&map->a, y);

	return pair_add(&ay, &map->b);
}

/* left := the map that applies `left` first, then `right`. */
SCAN_FN void
affine_join(Affine *left, const Affine *right)
{
	left->a = pair_multiply(&right->a, &left->a);
	left->b = affine_apply(right, &left->b);
}

SCAN_FN void
affine_copy(Affine *dst, const Affine *src)
{
	*dst = *src;
}

typedef Affine affine_acc;
SEGMENT_ITEM(affine)

#endif /* SCAN_OP_AFFINE_H */
