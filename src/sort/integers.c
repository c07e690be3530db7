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

/* numbers[i] := value, as far as it fits. */
NUMBER_INLINE void
number_put(void *numbers, int64_t i, int size, uint64_t value)
{
	if (size == 8)
		((uint64_t *) numbers)[i] = value;
	else if (size == 4)
		((uint32_t *) numbers)[i] = (uint32_t) value;
	else
		((uint16_t *) numbers)[i] = (uint16_t) value;
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

/* out[i] := in[i] + by, modulo 2 to the number of bits; `in` may be `out`. */
NUMBER_INLINE void
number_shift(const void *in, int64_t n, int size, uint64_t by, void *out)
{
	for (int64_t i = 0; i < n; i++)
		number_put(out, i, size, (uint64_t) number_at(in, i, size) + by);
}

NUMBER_INLINE void
integers_sort_sized(const void *in, int64_t n, int size, void *out, void *spare, RadixTick tick)
{
	int			bits;
	int64_t		least = number_least(in, n, size, &bits);
	const void *sorted;

	number_shift(in, n, size, -(uint64_t) least, out);
	if (size == 8)
		sorted = radix_sort_words((uint64_t *) out, (uint64_t *) spare, n, 0, bits, tick);
	else
		sorted = radix_sort_narrow(out, spare, n, size, bits, tick);
	number_shift(sorted, n, size, (uint64_t) least, out);
}

void
integers_sort(const void *in, int64_t n, int size, void *out, void *spare, RadixTick tick)
{
	if (n == 0)
		return;
	if (size == 8)
		integers_sort_sized(in, n, 8, out, spare, tick);
	else if (size == 4)
		integers_sort_sized(in, n, 4, out, spare, tick);
	else
		integers_sort_sized(in, n, 2, out, spare, tick);
}
