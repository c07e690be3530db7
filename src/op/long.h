/*
 * long.h: integers of any length, the last tier of the recurrences (recurrence.h).
 *
 * A LongWindow holds the last k values of y = a_1 y' + ... + a_k y'(k) + b as exact dyadic numbers.  A step computes
 * the new value in a spare number and drops the oldest.  Every row adds at most some 2100 bits, and a chunk has 4096
 * rows, so the numbers stay below a megabyte.  The caller owns the memory, and provides it when a call returns false.
 */
#ifndef SCAN_OP_LONG_H
#define SCAN_OP_LONG_H

#include "op/limbs.h"

#define LONG_NUMBERS 17 /* the highest order, and the spare number */

/* The value (negative ? -1 : 1) * magnitude * 2^lsb; n limbs, lowest first, the highest not 0. */
typedef struct Long
{
	uint64_t *limb;
	int32_t	  n, lsb;
	bool	  negative;
} Long;

typedef struct LongWindow
{
	int32_t order;
	int32_t capacity;			  /* limbs of memory for each number */
	int32_t needed;				  /* limbs that each number needs, when a call returned false */
	Long	number[LONG_NUMBERS]; /* newest first; number[order] is the spare number */
} LongWindow;

/*
 * Moves the numbers into new memory of (order + 1) * capacity limbs.  The caller then frees the old memory.
 */
SCAN_FN void
long_window_move(LongWindow *w, int order, uint64_t *memory, int capacity)
{
	for (int j = 0; j <= order; j++)
	{
		if (w->capacity > 0)
			memcpy(memory, w->number[j].limb, (size_t) w->number[j].n * sizeof(uint64_t));
		w->number[j].limb = memory;
		memory += capacity;
	}
	w->order = order;
	w->capacity = capacity;
}

/* The numbers := the k doubles of x.  False if there is no memory yet; see `needed`. */
SCAN_FN bool
long_window_start(LongWindow *w, int order, const double *x)
{
	w->needed = 64;
	if (w->capacity == 0)
		return false;
	for (int j = 0; j < order; j++)
	{
		Long *number = &w->number[j];
		int	  place;

		number->limb[0] = double_split(x[j], &place, &number->negative);
		number->n = number->limb[0] != 0;
		number->lsb = place - 1074;
	}
	w->number[order].n = 0;
	return true;
}

/*
 * sum += (negative ? -1 : 1) * x * factor * 2^(64 k + shift).  The product's limbs are shifted as they are computed,
 * and added or subtracted with the carry.
 */
SCAN_FN void
long_add_product(uint64_t *sum, int n, const uint64_t *x, int x_n, uint64_t factor, int k, int shift, bool negative)
{
	uint64_t product_carry = 0, low_before = 0;
	uint64_t flip = negative ? ~UINT64_C(0) : 0; /* s - t is s + ~t + 1 */
	unsigned carry = negative;

	for (int i = 0; k + i < n; i++)
	{
		uint64_t low = limb_multiply(i < x_n ? x[i] : 0, factor, &product_carry);
		uint64_t term = shift == 0 ? low : low << shift | low_before >> (64 - shift);

		if (i > x_n + 1 && carry == negative)
			break;
		low_before = low;
		sum[k + i] = limb_add(sum[k + i], term ^ flip, &carry);
	}
}

/* Converts two's complement to sign and magnitude, and drops zero limbs at both ends. */
SCAN_FN void
long_settle(Long *number)
{
	int low = 0;

	number->negative = number->n > 0 && (number->limb[number->n - 1] >> 63) != 0;
	if (number->negative)
		limbs_negate(number->limb, number->n);
	while (number->n > 0 && number->limb[number->n - 1] == 0)
		number->n--;
	while (low < number->n && number->limb[low] == 0)
		low++;
	if (low > 0)
	{
		memmove(number->limb, number->limb + low, (size_t) (number->n - low) * sizeof(uint64_t));
		number->n -= low;
		number->lsb += 64 * low;
	}
}

/* Computes the next value of the recurrence.  False if the numbers need memory; nothing has changed then. */
SCAN_FN_COLD bool
long_window_step(LongWindow *w, const double *a, double b)
{
	Long	 spare = w->number[w->order];
	uint64_t factor[LONG_NUMBERS];
	/* place[j]: the power of the lowest bit of a_j y_j; place[order]: of the lowest bit of b. */
	int	 place[LONG_NUMBERS];
	bool negative[LONG_NUMBERS];
	int	 lsb, top;

	factor[w->order] = double_split(b, &place[w->order], &negative[w->order]);
	place[w->order] -= 1074;
	lsb = place[w->order];
	top = lsb + 64;
	for (int j = 0; j < w->order; j++)
	{
		const Long *x = &w->number[j];

		factor[j] = double_split(a[j], &place[j], &negative[j]);
		place[j] += x->lsb - 1074;
		if (factor[j] == 0 || x->n == 0)
			continue;
		if (place[j] < lsb)
			lsb = place[j];
		if (place[j] + 64 * (x->n + 1) > top)
			top = place[j] + 64 * (x->n + 1);
	}
	w->needed = (top - lsb) / 64 + 3; /* 3 more: for k carries and a sign */
	if (w->needed > w->capacity)
		return false;

	spare.n = w->needed;
	spare.lsb = lsb;
	memset(spare.limb, 0, (size_t) spare.n * sizeof(uint64_t));
	for (int j = 0; j <= w->order; j++)
	{
		const uint64_t one = 1;
		const Long	  *x = &w->number[j];
		int			   distance = place[j] - lsb;

		if (j < w->order && factor[j] != 0 && x->n > 0)
			long_add_product(spare.limb, spare.n, x->limb, x->n, factor[j], distance / 64, distance % 64,
							 negative[j] != x->negative);
		else if (j == w->order)
			long_add_product(spare.limb, spare.n, &one, 1, factor[j], distance / 64, distance % 64, negative[j]);
	}
	long_settle(&spare);
	for (int j = w->order; j > 0; j--)
		w->number[j] = w->number[j - 1];
	w->number[0] = spare;
	return true;
}

/* Returns the number rounded once, as magnitude_round does. */
SCAN_FN double
long_round(const Long *number, int precision, int min_power)
{
	return magnitude_round(number->limb, number->n, number->lsb, precision, min_power, number->negative);
}

#endif /* SCAN_OP_LONG_H */
