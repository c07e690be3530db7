/*
 * radix.c: least significant digit first.
 *
 * One pass over the items counts all digits; digits that are the same in every item
 * are skipped, and input that is in order already is left as it is.  Digits have at
 * most 11 bits: 2048 counters fit in the first cache, and so many places to write to
 * are about what its lines can hold.
 *
 * Source: Knuth, TAOCP vol. 3, 5.2.5.
 */
#include "sort/radix.h"

#include <string.h>

#define DIGIT_BITS 11
#define DIGIT_VALUES (1 << DIGIT_BITS)
#define DIGITS_MOST 6	   /* of 64 bits */
#define TICK_ITEMS 1048576 /* a millisecond or two */

#define RADIX_INLINE static inline __attribute__((always_inline))

/* How items of one kind are read and moved. */
typedef struct RadixKind
{
	size_t size;
	uint64_t (*key)(const void *items, int64_t i);
} RadixKind;

static inline uint64_t
key_of_word(const void *items, int64_t i)
{
	return ((const uint64_t *) items)[i];
}

static inline uint64_t
key_of_half(const void *items, int64_t i)
{
	return ((const uint32_t *) items)[i];
}

static inline uint64_t
key_of_quarter(const void *items, int64_t i)
{
	return ((const uint16_t *) items)[i];
}

static inline uint64_t
key_of_item(const void *items, int64_t i)
{
	return ((const RadixItem *) items)[i].key;
}

/* Places of the digits: as few as will do, of equal width. */
typedef struct RadixDigits
{
	int n;
	int low;
	int bits;
	int last; /* bits of the highest one */
} RadixDigits;

static RadixDigits
digits_of(int low, int high)
{
	RadixDigits d;

	d.n = (high - low + DIGIT_BITS - 1) / DIGIT_BITS;
	d.low = low;
	d.bits = d.n == 0 ? 0 : (high - low + d.n - 1) / d.n;
	d.last = d.n == 0 ? 0 : high - low - d.bits * (d.n - 1);
	return d;
}

RADIX_INLINE uint64_t
digit_at(const RadixDigits *d, uint64_t key, int digit)
{
	int bits = digit == d->n - 1 ? d->last : d->bits;

	return key >> (d->low + digit * d->bits) & ((UINT64_C(1) << bits) - 1);
}

/* Counts all digits; returns whether the items are in order already. */
RADIX_INLINE bool
radix_count(const RadixKind *kind, const RadixDigits *d, const void *items, int64_t n,
			int64_t count[DIGITS_MOST][DIGIT_VALUES], int low, int high)
{
	uint64_t mask = high - low == 64 ? ~UINT64_C(0) : ((UINT64_C(1) << (high - low)) - 1) << low;
	uint64_t before = 0;
	bool	 in_order = true;

	memset(count, 0, (size_t) d->n * sizeof(count[0]));
	for (int64_t i = 0; i < n; i++)
	{
		uint64_t key = kind->key(items, i) & mask;

		in_order = in_order && before <= key;
		before = key;
		for (int digit = 0; digit < d->n; digit++)
			count[digit][digit_at(d, key, digit)]++;
	}
	return in_order;
}

/* One pass: the items by one digit, from one array into the other. */
RADIX_INLINE void
radix_pass(const RadixKind *kind, const RadixDigits *d, int digit, const void *from, void *to, int64_t n,
		   int64_t count[DIGIT_VALUES], RadixTick tick)
{
	int64_t place = 0;

	for (int v = 0; v < DIGIT_VALUES; v++)
	{
		int64_t here = count[v];

		count[v] = place;
		place += here;
	}
	for (int64_t begin = 0; begin < n; begin += TICK_ITEMS)
	{
		int64_t end = begin + TICK_ITEMS < n ? begin + TICK_ITEMS : n;

		tick();
		for (int64_t i = begin; i < end; i++)
		{
			int64_t to_place = count[digit_at(d, kind->key(from, i), digit)]++;

			memcpy((char *) to + to_place * kind->size, (const char *) from + i * kind->size, kind->size);
		}
	}
}

RADIX_INLINE void *
radix_sort(const RadixKind *kind, void *items, void *spare, int64_t n, int low, int high, RadixTick tick)
{
	static int64_t count[DIGITS_MOST][DIGIT_VALUES];
	RadixDigits	   d = digits_of(low, high);

	if (n <= 1 || radix_count(kind, &d, items, n, count, low, high))
		return items;
	for (int digit = 0; digit < d.n; digit++)
	{
		void *swap = items;

		/* a digit that all have in common */
		if (count[digit][digit_at(&d, kind->key(items, 0), digit)] == n)
			continue;
		radix_pass(kind, &d, digit, items, spare, n, count[digit], tick);
		items = spare;
		spare = swap;
	}
	return items;
}

uint64_t *
radix_sort_words(uint64_t *items, uint64_t *spare, int64_t n, int low, int high, RadixTick tick)
{
	static const RadixKind kind = {sizeof(uint64_t), key_of_word};

	return (uint64_t *) radix_sort(&kind, items, spare, n, low, high, tick);
}

void *
radix_sort_narrow(void *items, void *spare, int64_t n, int size, int high, RadixTick tick)
{
	static const RadixKind half = {sizeof(uint32_t), key_of_half};
	static const RadixKind quarter = {sizeof(uint16_t), key_of_quarter};

	return size == sizeof(uint32_t) ? radix_sort(&half, items, spare, n, 0, high, tick)
									: radix_sort(&quarter, items, spare, n, 0, high, tick);
}

RadixItem *
radix_sort_items(RadixItem *items, RadixItem *spare, int64_t n, int low, int high, RadixTick tick)
{
	static const RadixKind kind = {sizeof(RadixItem), key_of_item};

	return (RadixItem *) radix_sort(&kind, items, spare, n, low, high, tick);
}
