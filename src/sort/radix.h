/*
 * radix.h: stable sort of words by some of their bits.
 *
 * words.c and key.c call it with words in which the keys of a row are packed above its number: directly for words that
 * stay on the CPU in parts, else through a WordSorter (run/run.h), which may have them sorted elsewhere.  Plain C over
 * plain arrays.
 */
#ifndef SCAN_SORT_RADIX_H
#define SCAN_SORT_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op/limbs.h"

#define RADIX_SPLIT_BITS 10 /* bits of a digit that splits: caches have lines for so many positions to write to */

/* Called between steps.  May longjmp, which leaves the arrays in any order. */
typedef void (*RadixTick)(void);

#define RADIX_TICK_WORDS 262144 /* words between two ticks: 1 to 2 ms, or a bit more where memory is fresh */

/* Ticks, and returns the end of the step from `begin` on. */
static inline int64_t
radix_step_end(int64_t begin, int64_t end, RadixTick tick)
{
	tick();
	return end - begin > RADIX_TICK_WORDS ? begin + RADIX_TICK_WORDS : end;
}

/*
 * A loop over i from `from` to `end` - 1, with ticks: FOR_INTERRUPTIBLE (column/stretch.h) for files without
 * PostgreSQL.
 */
#define RADIX_STEPS(i, from, end, tick)                \
	for (int64_t i = (from), i##_step = i; i < (end);) \
		for (i##_step = radix_step_end(i, end, tick); i < i##_step; i++)

/* memcpy() of many bytes, with ticks. */
extern void radix_copy(void *to, const void *from, size_t size, RadixTick tick);

/*
 * Sorts n words by their bits from `low` to `high` - 1, stably.  `spare` has room for n words.  Returns where the
 * sorted words are: `words` or `spare`.
 */
extern uint64_t *radix_sort(uint64_t *words, uint64_t *spare, int64_t n, int low, int high, RadixTick tick);

struct FusedScans; /* cpu/fused_scan.h; here it only passes through */

/* How words are sorted: by radix.c, or elsewhere (run/run.h). */
typedef struct WordSorter
{
	/*
	 * Returns true if n words would be sorted by `bits` bits elsewhere, all at once, perhaps with `scans` (NULL: none).
	 */
	bool (*leaves)(int64_t n, int bits, struct FusedScans *scans);

	/*
	 * As radix_sort(), but ticks by itself.  The bits below `low` are a row's number.  It may also run `scans` over the
	 * rows in the words' order, and writes into the scans which ones it left.  Words of one partition are equal from
	 * bit `partition` on; 64: there is only one partition.
	 */
	uint64_t *(*sort)(uint64_t *words, uint64_t *spare, int64_t n, int low, int high, struct FusedScans *scans,
					  int partition);

	/* Reports that n words were sorted on the CPU by the caller, in `ns` nanoseconds. */
	void (*stayed)(int64_t n, double ns);
} WordSorter;

/* Narrows [*low, *high) to the bits in which the words differ.  Returns false if the words are in order already. */
extern bool radix_narrow(const uint64_t *words, int64_t n, int *low, int *high, RadixTick tick);

/* Returns how many of their first `bits` bits n words are split by, to make parts of about 2^part_bits words. */
static inline int
radix_split_bits(int64_t n, int bits, int part_bits)
{
	int split = bit_length((uint64_t) n) - part_bits;

	split = split < 0 ? 0 : split > RADIX_SPLIT_BITS ? RADIX_SPLIT_BITS : split;
	return split > bits ? bits : split;
}

/* Turns the number of words of each part into where the part begins. */
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
 * Moves words, stably, to the 2^bits parts of their `bits` bits from `shift` on.  end[] becomes the end of each part in
 * `to`.
 */
extern void radix_split(const uint64_t *words, uint64_t *to, int64_t n, int shift, int bits, int64_t *end,
						RadixTick tick);

/* ---- integers.c: sorts an array of integers by radix ---- */

/*
 * Sorts the integers in[0 .. n - 1], of `size` bytes (2, 4 or 8), into out[0 .. n - 1].  `words` and `spare` have room
 * for n words each; if size is 8, `words` may be `out`.  The words that would not be sorted elsewhere are sorted part
 * by part, where a part fits in the CPU's cache.
 */
extern void integers_sort(const void *in, int64_t n, int size, void *out, uint64_t *words, uint64_t *spare,
						  const WordSorter *sorter, RadixTick tick);

#endif /* SCAN_SORT_RADIX_H */
