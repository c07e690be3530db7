/*
 * total.h: the form in which an exact sum is stored and sent.
 *
 * Called by src/number/total.c.  ExactSum (exact.h) keeps a sum in the form that is cheapest to add to.  A Total is the
 * canonical form of the value: equal values have equal bytes, in whatever order they were added.  A finite value is
 * stored as its limbs without redundant ones, which are zeros below and copies of the sign above.  A sum of usual
 * numbers takes two or three of the 34.
 */
#ifndef SCAN_OP_TOTAL_H
#define SCAN_OP_TOTAL_H

#include "op/exact.h"

#define TOTAL_POWERS 1100 /* a total is below 2^TOTAL_POWERS */

typedef enum TotalKind
{
	TOTAL_FINITE = 0,
	TOTAL_NEG_ZERO, /* every input was -0 */
	TOTAL_PLUS_INF,
	TOTAL_MINUS_INF,
	TOTAL_NAN, /* NaN, or +infinity and -infinity: no input changes the total any more */
	TOTAL_KINDS,
} TotalKind;

typedef struct Total
{
	uint8_t	 kind;
	uint8_t	 first; /* the index of limb[0] among EXACT_LIMBS_N; 0 without limbs */
	uint8_t	 n;
	uint64_t limb[EXACT_LIMBS_N]; /* two's complement, lowest first */
} Total;

/*
 * True if a sum may be a Total: it lies in [-2^1100, 2^1100), half of what the limbs hold, so that two such sums can be
 * added without a check.  Sums of doubles leave that range after 2^76 rows, but a text or a message may hold any value.
 */
SCAN_HOST_FN bool
total_has_room(const ExactSum *a)
{
	int64_t highest = (int64_t) a->limb[EXACT_LIMBS_N - 1] >> 62;

	return a->form != EXACT_LIMBS || highest == 0 || highest == -1;
}

/* *total := a sum for which total_has_room is true. */
SCAN_HOST_FN void
total_of_exact(const ExactSum *a, Total *total)
{
	ExactSum whole;
	int		 first = 0, end = EXACT_LIMBS_N;

	total->first = total->n = 0;
	if (a->form == EXACT_SPECIAL)
	{
		total->kind = a->special == EXACT_PLUS_INF	  ? TOTAL_PLUS_INF
					  : a->special == EXACT_MINUS_INF ? TOTAL_MINUS_INF
													  : TOTAL_NAN;
		return;
	}
	total->kind = a->form == EXACT_NEG_ZERO ? TOTAL_NEG_ZERO : TOTAL_FINITE;
	if (a->form == EXACT_NEG_ZERO)
		return;
	exact_copy(&whole, a);
	exact_to_limbs(&whole);
	while (first < end && whole.limb[first] == 0)
		first++;
	if (first == end)
		return;
	while (end - 1 > first && whole.limb[end - 1] == limb_of_sign(whole.limb[end - 2]))
		end--;
	total->first = (uint8_t) first;
	total->n = (uint8_t) (end - first);
	memcpy(total->limb, whole.limb + first, (size_t) (end - first) * sizeof(uint64_t));
}

/* True if a Total read from a text or a message is canonical and total_has_room for its value. */
SCAN_HOST_FN bool
total_is_valid(const Total *total)
{
	int64_t highest;

	/* before any limb is read: `first` and `n` may claim more limbs than exist */
	if (total->kind >= TOTAL_KINDS || total->first + total->n > EXACT_LIMBS_N)
		return false;
	if (total->n == 0)
		return total->first == 0;
	highest = (int64_t) total->limb[total->n - 1] >> 62;
	if (total->first + total->n == EXACT_LIMBS_N && highest != 0 && highest != -1)
		return false;
	return total->kind == TOTAL_FINITE && total->limb[0] != 0 &&
		   (total->n == 1 || total->limb[total->n - 1] != limb_of_sign(total->limb[total->n - 2]));
}

SCAN_HOST_FN void
total_to_exact(const Total *total, ExactSum *a)
{
	uint64_t sign = total->n == 0 ? 0 : limb_of_sign(total->limb[total->n - 1]);

	exact_lift(total->kind == TOTAL_PLUS_INF	? (double) INFINITY
			   : total->kind == TOTAL_MINUS_INF ? -(double) INFINITY
			   : total->kind == TOTAL_NAN		? (double) NAN
			   : total->kind == TOTAL_NEG_ZERO	? -0.0
												: 0.0,
			   a);
	if (total->n == 0)
		return;
	a->form = EXACT_LIMBS;
	for (int i = 0; i < EXACT_LIMBS_N; i++)
		a->limb[i] = i < total->first ? 0 : i < total->first + total->n ? total->limb[i - total->first] : sign;
	exact_refresh(a);
}

#endif /* SCAN_OP_TOTAL_H */
