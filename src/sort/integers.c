/*
 * integers.c: integers in order, by radix.
 *
 * Fed by array_radix_sort (call/place.c).  What is sorted is how far each integer is
 * above the least one: that has no sign, and no more digits than the range has.  (To
 * flip the sign bit, as one mostly does, makes all 64 bits of -1 and 0 differ, and
 * takes six passes for what needs one.)
 */
#include "sort/integers.h"

#define NUMBER_INLINE static inline __attribute__((always_inline))

NUMBER_INLINE int64_t
number_at(const void *numbers, int64_t i, int size)
{
	return size == 8   ? ((const int64_t *) numbers)[i]
		   : size == 4 ? ((const int32_t *) numbers)[i]
					   : ((const int16_t *) numbers)[i];
}

/* The least number, and in how many bits the others are above it. */
NUMBER_INLINE int64_t
number_least(const void *in, int64_t n, int size, int *bits)
{
	int64_t least = number_at(in, 0, size);
	int64_t most = least;

	for (int64_t i = 1; i < n; i++)
	{
		int64_t x = number_at(in, i, size);

		least = x < least ? x : least;
		most = x > most ? x : most;
	}
	*bits = most == least ? 0 : 64 - __builtin_clzll((uint64_t) most - (uint64_t) least);
	return least;
}

NUMBER_INLINE void
sort_sized(const void *in, int64_t n, int size, void *out, uint64_t *words, uint64_t *spare, RadixSort sort)
{
	int		  bits;
	uint64_t  least = (uint64_t) number_least(in, n, size, &bits);
	uint64_t *sorted;

	for (int64_t i = 0; i < n; i++)
		words[i] = (uint64_t) number_at(in, i, size) - least;
	sorted = sort(words, spare, n, 0, bits);
	for (int64_t i = 0; i < n; i++)
		if (size == 8)
			((uint64_t *) out)[i] = sorted[i] + least;
		else if (size == 4)
			((uint32_t *) out)[i] = (uint32_t) (sorted[i] + least);
		else
			((uint16_t *) out)[i] = (uint16_t) (sorted[i] + least);
}

void
integers_sort(const void *in, int64_t n, int size, void *out, uint64_t *words, uint64_t *spare, RadixSort sort)
{
	if (n == 0)
		return;
	if (size == 8)
		sort_sized(in, n, 8, out, words, spare, sort);
	else if (size == 4)
		sort_sized(in, n, 4, out, words, spare, sort);
	else
		sort_sized(in, n, 2, out, words, spare, sort);
}
