/*
 * long_sum.h: an exact sum of numbers of any size, from which numbers can be subtracted again exactly.
 *
 * Called by moments.h with doubles, whose lowest bit is 2^-1074, and with squares of doubles, whose lowest bit is
 * 2^-2148; by pairs.h and time_area.h with products of two doubles.  The value is a two's complement integer in limbs,
 * as in limbs.h, but only the limbs that the numbers so far have reached are kept: two or three for usual data, 34 or
 * 67 for the widest range.  Memory grows when a number lies outside the limbs, and is kept when that number is
 * subtracted again.
 */
#ifndef SCAN_OP_LONG_SUM_H
#define SCAN_OP_LONG_SUM_H

#include "op/long.h"

#define LONG_SUM_LIMBS 72 /* more than any sum of squares has: 67 limbs, the head room, the sign */
#define LONG_SUM_ROOM 4	  /* the first capacity, in limbs */

/* A value of `n` limbs in memory for `room`; limb[0] is worth 2^(64 first) lowest bits.  Zero bytes are a zero. */
typedef struct LongSum
{
	uint64_t *limb;
	int16_t	  first, n, room;
} LongSum;

/* Extends the sum to cover limbs [from, end) as well. */
SCAN_FN_COLD void
long_sum_widen(LongSum *sum, ScanMemory *memory, int from, int end)
{
	int		 first = sum->n == 0 || from < sum->first ? from : sum->first;
	int		 below = sum->n == 0 ? 0 : sum->first - first;
	int		 n = (sum->n != 0 && sum->first + sum->n > end ? sum->first + sum->n : end) - first;
	uint64_t sign = sum->n == 0 ? 0 : limb_of_sign(sum->limb[sum->n - 1]);

	if (n > sum->room)
	{
		sum->room = sum->room == 0 ? LONG_SUM_ROOM : sum->room;
		while (sum->room < n)
			sum->room = (int16_t) (2 * sum->room);
		sum->limb = (uint64_t *) memory->resize(memory, sum->limb, (size_t) sum->room * sizeof(uint64_t));
	}
	memmove(sum->limb + below, sum->limb, (size_t) sum->n * sizeof(uint64_t));
	memset(sum->limb, 0, (size_t) below * sizeof(uint64_t));
	for (int i = below + sum->n; i < n; i++)
		sum->limb[i] = sign;
	sum->first = (int16_t) first;
	sum->n = (int16_t) n;
}

/*
 * Called after every addition: keeps the highest limb in [-2^62, 2^62), half of its range, so that two sums and a carry
 * can be added without a check.
 */
SCAN_FN void
long_sum_make_head_room(LongSum *sum, ScanMemory *memory)
{
	int64_t highest = (int64_t) sum->limb[sum->n - 1] >> 62;

	if (highest != 0 && highest != -1)
		long_sum_widen(sum, memory, sum->first, sum->first + sum->n + 1);
}

/*
 * sum += (negative ? -1 : 1) * value * 2^place lowest bits.  The value, shifted to its position in two limbs, is below
 * 2^126: a double has 53 bits, and half of a square has 64 bits and an even place.
 */
SCAN_FN void
long_sum_add(LongSum *sum, ScanMemory *memory, uint64_t value, int place, bool negative)
{
	int k = place >> 6;

	if (!(k >= sum->first && k + 2 <= sum->first + sum->n))
		long_sum_widen(sum, memory, k, k + 2);
	limbs_add_at(sum->limb, sum->n, k - sum->first, (scan_uint128) value << (place & 63), negative);
	long_sum_make_head_room(sum, memory);
}

/*
 * The same for a value below 2^124, such as a product of two mantissas, or of a mantissa and a duration.  Its halves of
 * 62 bits are added one by one: with any place, each is below 2^126.
 */
SCAN_FN void
long_sum_add_wide(LongSum *sum, ScanMemory *memory, scan_uint128 value, int place, bool negative)
{
	long_sum_add(sum, memory, (uint64_t) value & ((UINT64_C(1) << 62) - 1), place, negative);
	long_sum_add(sum, memory, (uint64_t) (value >> 62), place + 62, negative);
}

/* sum += (negative ? -1 : 1) * value * 2^place lowest bits.  Added in parts of 62 bits, as long_sum_add() takes. */
SCAN_FN void
long_sum_add_limbs(LongSum *sum, ScanMemory *memory, const uint64_t *value, int n, int place, bool negative)
{
	for (int from = 0; from < 64 * n; from += 62)
	{
		uint64_t part = limbs_window(value, n, from) & ((UINT64_C(1) << 62) - 1);

		if (part != 0)
			long_sum_add(sum, memory, part, place + from, negative);
	}
}

/* left += right.  `right` keeps its memory. */
SCAN_FN void
long_sum_join(LongSum *left, ScanMemory *memory, const LongSum *right)
{
	uint64_t sign;
	unsigned carry = 0;

	if (right->n == 0)
		return;
	if (left->n == 0 || right->first < left->first || right->first + right->n > left->first + left->n)
		long_sum_widen(left, memory, right->first, right->first + right->n);
	sign = limb_of_sign(right->limb[right->n - 1]);
	for (int i = right->first - left->first, j = 0; i < left->n; i++, j++)
		left->limb[i] = limb_add(left->limb[i], j < right->n ? right->limb[j] : sign, &carry);
	long_sum_make_head_room(left, memory);
}

/* *number := the sum.  Its limbs are in `limb`, which has LONG_SUM_LIMBS and belongs to the caller. */
SCAN_FN void
long_sum_read(const LongSum *sum, int lowest_place, uint64_t *limb, Long *number)
{
	if (sum->n > 0)
		memcpy(limb, sum->limb, (size_t) sum->n * sizeof(uint64_t));
	number->limb = limb;
	number->n = sum->n;
	number->lsb = lowest_place + 64 * sum->first;
	long_settle(number);
}

#endif /* SCAN_OP_LONG_SUM_H */
