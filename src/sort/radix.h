/*
 * radix.h: stable sort of packed keys by their bits.
 *
 * Fed by key.c, which packs the sort keys of a row and its number into a word, through
 * run.c, which may know somebody faster.  Plain C over plain arrays.
 */
#ifndef SCAN_SORT_RADIX_H
#define SCAN_SORT_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op/limbs.h"

#define RADIX_SPLIT_BITS 10 /* of a digit that splits: caches have lines for so many places to write to */

/*
 * Called now and then, between steps; may not return (longjmp).  The arrays are then
 * in any order.
 */
typedef void (*RadixTick)(void);

#define RADIX_TICK_WORDS 262144 /* between two ticks: a millisecond or two, or some more where memory is fresh */

/* The end of a step from `begin` on, which a tick comes before. */
static inline int64_t
radix_step_end(int64_t begin, int64_t end, RadixTick tick)
{
	tick();
	return end - begin > RADIX_TICK_WORDS ? begin + RADIX_TICK_WORDS : end;
}

/* A loop over i from `from` to `end` - 1, in steps: what FOR_INTERRUPTIBLE (column/stretch.h) is where PostgreSQL is
 * known. */
#define RADIX_STEPS(i, from, end, tick)                \
	for (int64_t i = (from), i##_step = i; i < (end);) \
		for (i##_step = radix_step_end(i, end, tick); i < i##_step; i++)

/* memcpy() of much. */
extern void radix_copy(void *to, const void *from, size_t size, RadixTick tick);

/*
 * Sorts n words by their bits from `low` to `high` - 1, stably; `spare` is room for n
 * more.  Returns where the sorted words are: `words` or `spare`.
 */
extern uint64_t *radix_sort(uint64_t *words, uint64_t *spare, int64_t n, int low, int high, RadixTick tick);

/* The same by somebody who knows of other devices (run.h), and of ticks himself. */
typedef uint64_t *(*RadixSort)(uint64_t *words, uint64_t *spare, int64_t n, int low, int high);

struct SortedScans; /* cpu/sorted.h; here it only passes through */

/* Who sorts words: a device, or radix.c here. */
typedef struct WordSorter
{
	/* Whether so many words by so many bits go somewhere else, all at once, perhaps with scans; NULL: there are none.
	 */
	bool (*leaves)(int64_t n, int bits, struct SortedScans *scans);

	/*
	 * As a RadixSort of words of which the bits below `low` are a row's number.  Scans over the rows may be run on
	 * the way, in the words' order: what became of each stands in it.  Words of one partition are equal from bit
	 * `partition` on; 64: there is but one.
	 */
	uint64_t *(*sort)(uint64_t *words, uint64_t *spare, int64_t n, int low, int high, struct SortedScans *scans,
					  int partition);

	/* So many words stayed, and were sorted in so many nanoseconds. */
	void (*stayed)(int64_t n, double ns);
} WordSorter;

/* Leaves out the bits below *low and from *high on that all words have in common; false: they are in order. */
extern bool radix_narrow(const uint64_t *words, int64_t n, int *low, int *high, RadixTick tick);

/* How many of their first `bits` bits n words are split by, to make parts of about 2^part_bits words. */
static inline int
radix_split_bits(int64_t n, int bits, int part_bits)
{
	int split = bit_length((uint64_t) n) - part_bits;

	split = split < 0 ? 0 : split > RADIX_SPLIT_BITS ? RADIX_SPLIT_BITS : split;
	return split > bits ? bits : split;
}

/* Makes of how many words each part has where it begins. */
static inline void
radix_begins(int64_t *part, int parts)
{
	int64_t begin = 0;

	for (int p = 0; p < parts; p++)
	{
		int64_t words = part[p];

		part[p] = begin;
		begin += words;
	}
}

/*
 * Moves words, stably, to parts by their `bits` bits from `shift` on; end[] gets where each
 * of the 2^bits parts ends in `to`.
 */
extern void radix_split(const uint64_t *words, uint64_t *to, int64_t n, int shift, int bits, int64_t *end,
						RadixTick tick);

#endif /* SCAN_SORT_RADIX_H */
