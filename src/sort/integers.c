/*
 * integers.c: sorts integers by radix.
 *
 * array_radix_sort (functions/array/permute.c) calls it.  It sorts how far each integer is above the least one: that
 * number has no sign, and no more digits than the range.  Rejected: flipping the sign bit, as is usual.  All 64 bits of
 * -1 and 0 then differ, and a sort takes six passes where one is enough.
 *
 * Many integers are split by their top digit on the way from the input to the output array, which has to be written
 * anyway.  A part then fits in the cache, and is sorted there (radix.c) and converted back to integers before the next
 * part is read.  So each integer goes through memory once.  Equal integers cannot be told apart, so the sort need not
 * be stable, and is not.
 */
#include "sort/radix.h"

#include <string.h>

#define NUMBER_INLINE static inline __attribute__((always_inline))

#define PART_BITS 13 /* the split aims at parts of 2^13 integers */

NUMBER_INLINE int64_t
number_at(const void *numbers, int64_t i, int size)
{
	return size == 8   ? ((const int64_t *) numbers)[i]
		   : size == 4 ? ((const int32_t *) numbers)[i]
					   : ((const int16_t *) numbers)[i];
}

NUMBER_INLINE void
number_put(void *numbers, int64_t i, int size, uint64_t x)
{
	if (size == 8)
		((uint64_t *) numbers)[i] = x;
	else if (size == 4)
		((uint32_t *) numbers)[i] = (uint32_t) x;
	else
		((uint16_t *) numbers)[i] = (uint16_t) x;
}

typedef struct Range
{
	uint64_t least;
	int		 bits; /* bits of the greatest distance from the least */
	bool	 in_order;
} Range;

NUMBER_INLINE Range
range_of(const void *in, int64_t n, int size, RadixTick tick)
{
	int64_t least = number_at(in, 0, size);
	int64_t limit = least;
	int64_t descents = 0;

	RADIX_STEPS (i, 1, n, tick)
	{
		int64_t x = number_at(in, i, size);

		descents += x < number_at(in, i - 1, size);
		least = x < least ? x : least;
		limit = x > limit ? x : limit;
	}
	return (Range){(uint64_t) least, bit_length((uint64_t) limit - (uint64_t) least), descents == 0};
}

/*
 * Moves each integer's distance from the least one to the part of its bits from `shift` on.  end[v] becomes the end of
 * part v.
 */
NUMBER_INLINE void
split(const void *in, int64_t n, int size, uint64_t least, int shift, int parts, int64_t *end, uint64_t *words,
	  RadixTick tick)
{
	memset(end, 0, parts * sizeof(int64_t));
	RADIX_STEPS (i, 0, n, tick)
		end[((uint64_t) number_at(in, i, size) - least) >> shift]++;
	radix_begins(end, parts);
	RADIX_STEPS (i, 0, n, tick)
	{
		uint64_t word = (uint64_t) number_at(in, i, size) - least;

		words[end[word >> shift]++] = word;
	}
}

NUMBER_INLINE void
sort_sized(const void *in, int64_t n, int size, void *out, uint64_t *words, uint64_t *spare, const WordSorter *sorter,
		   RadixTick tick)
{
	int64_t end[1 << RADIX_SPLIT_BITS] = {n};
	Range	range = range_of(in, n, size, tick);
	int		top = sorter->leaves(n, 8 * size, NULL) ? 0 : radix_split_bits(n, range.bits, PART_BITS);
	int		rest = range.bits - top;

	if (range.in_order)
	{
		radix_copy(out, in, (size_t) n * size, tick);
		return;
	}
	/* without parts there is nothing to split, and a shift by 64 bits would be undefined */
	if (top > 0)
		split(in, n, size, range.least, rest, 1 << top, end, words, tick);
	else
		RADIX_STEPS (i, 0, n, tick)
			words[i] = (uint64_t) number_at(in, i, size) - range.least;
	for (int64_t begin = 0, part = 0; part < 1 << top; begin = end[part++])
	{
		const uint64_t *sorted = words + begin;

		if (end[part] - begin > 1)
			sorted = sorter->sort(words + begin, spare, end[part] - begin, 0, rest, NULL, 64);
		RADIX_STEPS (i, begin, end[part], tick)
			number_put(out, i, size, sorted[i - begin] + range.least);
	}
}

void
integers_sort(const void *in, int64_t n, int size, void *out, uint64_t *words, uint64_t *spare,
			  const WordSorter *sorter, RadixTick tick)
{
	if (n == 0)
		return;
	if (size == 8)
		sort_sized(in, n, 8, out, words, spare, sorter, tick);
	else if (size == 4)
		sort_sized(in, n, 4, out, words, spare, sorter, tick);
	else
		sort_sized(in, n, 2, out, words, spare, sorter, tick);
}
