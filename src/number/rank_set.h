/*
 * rank_set.h: a set of small numbers that finds the k-th number in O(log n).
 *
 * aggregate/order_statistics.c numbers rows by their position in an order, and keeps the rows of a sliding frame in
 * such a set, to find the median and other percentiles.  A number is a bit.  Above the words of bits are levels of
 * counts, each of sixteen words or counts below it.  Rejected: a tree (counted_tree.h), which needs no numbers
 * beforehand.  Its pointers cost cache misses where counts in cache lines take a few steps.
 */
#ifndef SCAN_NUMBER_RANK_SET_H
#define SCAN_NUMBER_RANK_SET_H

#include "postgres.h"

#include "port/pg_bitutils.h"

#include "column/stretch.h"

#define RANK_SET_FANOUT 16
#define RANK_SET_LEVELS 8 /* enough for numbers of 32 bits */

typedef struct RankSet
{
	uint64 *word;
	int		levels;
	/* bits set in a word; in sixteen words; and so on: the last level has at most sixteen counts */
	uint32 *count[RANK_SET_LEVELS];
	int64	n; /* number of numbers in the set */
} RankSet;

/* Returns the words of bits, and so the lowest counts, of a set of numbers below `numbers`: a multiple of sixteen. */
static inline int64
rank_set_words(int64 numbers)
{
	return TYPEALIGN(RANK_SET_FANOUT, (numbers + 63) / 64);
}

/* Returns the bytes that a set of numbers below `numbers` takes. */
static inline Size
rank_set_bytes(int64 numbers)
{
	int64 words = rank_set_words(numbers);
	Size  bytes = words * sizeof(uint64);

	while (true)
	{
		bytes += words * sizeof(uint32);
		if (words <= RANK_SET_FANOUT)
			return bytes;
		words = TYPEALIGN(RANK_SET_FANOUT, words / RANK_SET_FANOUT);
	}
}

/* Makes an empty set of numbers below `numbers`, in rank_set_bytes() of memory, which the caller owns. */
static inline void
rank_set_init(RankSet *set, int64 numbers, void *memory)
{
	int64	words = rank_set_words(numbers);
	uint32 *count;

	stretch_fill(memory, 0, rank_set_bytes(numbers));
	set->n = 0;
	set->levels = 0;
	set->word = (uint64 *) memory;
	count = (uint32 *) (set->word + words);
	while (true)
	{
		set->count[set->levels++] = count;
		if (words <= RANK_SET_FANOUT)
			return;
		count += words;
		words = TYPEALIGN(RANK_SET_FANOUT, words / RANK_SET_FANOUT);
	}
}

/* Adds a number that is not in the set or, if `leaves`, removes one that is. */
static inline void
rank_set_change(RankSet *set, uint32 number, bool leaves)
{
	uint32 place = number / 64;
	uint32 one = leaves ? (uint32) -1 : 1;

	set->word[place] ^= UINT64CONST(1) << number % 64;
	for (int l = 0; l < set->levels; l++, place /= RANK_SET_FANOUT)
		set->count[l][place] += one;
	set->n += leaves ? -1 : 1;
}

/* Returns the position of the k-th bit set in a word, from 0; the word has more than k bits set. */
static inline int
rank_set_bit(uint64 word, uint32 k)
{
	uint64 sums = word - (word >> 1 & UINT64CONST(0x5555555555555555));
	int	   shift = 0;

	/* bits set in each byte, and then in each byte and those below */
	sums = (sums & UINT64CONST(0x3333333333333333)) + (sums >> 2 & UINT64CONST(0x3333333333333333));
	sums = ((sums + (sums >> 4)) & UINT64CONST(0x0f0f0f0f0f0f0f0f)) * UINT64CONST(0x0101010101010101);
	while ((sums >> shift & 0xff) <= k)
		shift += 8;
	if (shift > 0)
		k -= sums >> (shift - 8) & 0xff;
	word >>= shift;
	for (; k > 0; k--)
		word &= word - 1;
	return shift + pg_rightmost_one_pos64(word);
}

/* Returns the k-th number of the set, from 0; k is less than n. */
static inline uint32
rank_set_select(const RankSet *set, int64 k)
{
	uint32 rest = (uint32) k;
	uint32 place = 0;

	for (int l = set->levels - 1; l >= 0; l--)
		for (place *= l < set->levels - 1 ? RANK_SET_FANOUT : 1; set->count[l][place] <= rest; place++)
			rest -= set->count[l][place];
	return place * 64 + rank_set_bit(set->word[place], rest);
}

/* Returns how many numbers of the set are below `number`. */
static inline int64
rank_set_below(const RankSet *set, uint32 number)
{
	uint32 place = number / 64;
	int64  n = pg_popcount64(set->word[place] & ((UINT64CONST(1) << number % 64) - 1));

	for (int l = 0; l < set->levels; l++, place /= RANK_SET_FANOUT)
		for (uint32 p = place - place % RANK_SET_FANOUT; p < place; p++)
			n += set->count[l][p];
	return n;
}

/* Returns the first number of the set from `from` on.  There must be one. */
static inline uint32
rank_set_next(const RankSet *set, uint32 from)
{
	uint32 place = from / 64;
	uint64 word = set->word[place] >> from % 64;
	int	   l = 0;

	if (word != 0)
		return from + pg_rightmost_one_pos64(word);
	/* up while the rest of the sixteen counts is empty, then down to the first one that is not */
	for (place++; true; place++)
		if (place % RANK_SET_FANOUT == 0 && l < set->levels - 1)
		{
			place = place / RANK_SET_FANOUT - 1;
			l++;
		}
		else if (set->count[l][place] != 0)
			break;
	for (; l > 0; l--)
		for (place *= RANK_SET_FANOUT; set->count[l - 1][place] == 0;)
			place++;
	return place * 64 + pg_rightmost_one_pos64(set->word[place]);
}

#endif /* SCAN_NUMBER_RANK_SET_H */
