/*
 * radix.c: most significant digit first, until a part fits in the cache; there the
 * least significant first.
 *
 * Alone, either is slow: from the lowest digit on, every pass moves all words through
 * memory, to 2048 places at a time; from the highest on, the last parts are so many
 * and small that each pays for more counters than it has words.  Together, a million
 * words go through memory twice.  Bits that are the same in all words are passed over,
 * and words that are in order already are left as they are.
 *
 * Source: Knuth, TAOCP vol. 3, 5.2.5.
 */
#include "sort/radix.h"

#include <string.h>

#define SPLIT_BITS 10	   /* of a digit that splits: caches have lines for so many places to write to */
#define DIGIT_BITS 10	   /* of a digit within the cache, */
#define FEW_BITS 8		   /* or where a part has hardly more words than that has counters */
#define MANY_COUNTERS 1024 /* words, then */
#define DIGITS_MOST 8	   /* of 64 bits */
#define CACHED_WORDS 8192  /* and as many spare ones: in the second cache */
#define PART_BITS 11	   /* words of a part that a split aims at: 2^11 */
#define FEW_WORDS 32	   /* that are inserted one by one */
#define TICK_WORDS 1048576 /* a millisecond or two */

/* Bits from `low` to `high` - 1. */
static uint64_t
bits_between(int low, int high)
{
	return high <= low ? 0 : (~UINT64_C(0) >> (64 - (high - low))) << low;
}

static int
highest_bit(uint64_t x)
{
	return x == 0 ? 0 : 64 - __builtin_clzll(x);
}

/* The end of a step between two ticks. */
static int64_t
step_end(int64_t begin, int64_t n)
{
	return n - begin > TICK_WORDS ? begin + TICK_WORDS : n;
}

static void
copy(uint64_t *to, const uint64_t *from, int64_t n)
{
	memcpy(to, from, (size_t) n * sizeof(uint64_t));
}

/* Few words, by insertion; `mask`: the bits that count. */
static void
sort_few(uint64_t *words, int64_t n, uint64_t mask)
{
	for (int64_t i = 1; i < n; i++)
	{
		uint64_t word = words[i];
		int64_t	 place = i;

		for (; place > 0 && (words[place - 1] & mask) > (word & mask); place--)
			words[place] = words[place - 1];
		words[place] = word;
	}
}

/* What fits in the cache, the least significant digit first. */
static uint64_t *
sort_cached(uint64_t *words, uint64_t *spare, int64_t n, int low, int high)
{
	uint32_t count[DIGITS_MOST][1 << DIGIT_BITS];
	int		 most = n < MANY_COUNTERS ? FEW_BITS : DIGIT_BITS;
	int		 digits = (high - low + most - 1) / most;
	int		 bits = (high - low + digits - 1) / digits; /* of equal width */
	uint64_t values = bits_between(0, bits);
	uint64_t mask = bits_between(low, high);

	for (int digit = 0; digit < digits; digit++)
		memset(count[digit], 0, sizeof(count[digit][0]) << bits);
	for (int64_t i = 0; i < n; i++)
	{
		uint64_t rest = (words[i] & mask) >> low;

		for (int digit = 0; digit < digits; digit++)
		{
			count[digit][rest & values]++;
			rest >>= bits;
		}
	}
	for (int digit = 0; digit < digits; digit++)
	{
		int		  shift = low + digit * bits;
		uint64_t  digit_mask = values & mask >> shift;
		uint32_t  place = 0;
		uint64_t *swap = words;

		/* a digit that all have in common */
		if (count[digit][words[0] >> shift & digit_mask] == n)
			continue;
		for (int v = 0; v < 1 << bits; v++)
		{
			uint32_t here = count[digit][v];

			count[digit][v] = place;
			place += here;
		}
		for (int64_t i = 0; i < n; i++)
			spare[count[digit][words[i] >> shift & digit_mask]++] = words[i];
		words = spare;
		spare = swap;
	}
	return words;
}

void
radix_split(const uint64_t *words, uint64_t *to, int64_t n, int shift, int bits, int64_t *end, RadixTick tick)
{
	uint64_t values = bits_between(0, bits);
	int64_t	 place = 0;

	memset(end, 0, ((size_t) 1 << bits) * sizeof(int64_t));
	for (int64_t begin = 0; begin < n; begin += TICK_WORDS)
	{
		int64_t stop = step_end(begin, n);

		tick();
		for (int64_t i = begin; i < stop; i++)
			end[words[i] >> shift & values]++;
	}
	for (int v = 0; v < 1 << bits; v++)
	{
		int64_t here = end[v];

		end[v] = place;
		place += here;
	}
	for (int64_t begin = 0; begin < n; begin += TICK_WORDS)
	{
		int64_t stop = step_end(begin, n);

		tick();
		for (int64_t i = begin; i < stop; i++)
			to[end[words[i] >> shift & values]++] = words[i];
	}
}

/* Sorts words into themselves or, at the same places, into `spare`. */
static void
sort_part(uint64_t *words, uint64_t *spare, int64_t n, int low, int high, bool into_spare, RadixTick tick)
{
	int64_t	  end[1 << SPLIT_BITS];
	uint64_t *sorted = words;
	int		  bits;

	if (high <= low || n <= FEW_WORDS)
		sort_few(words, high <= low ? 0 : n, bits_between(low, high));
	else if (n <= CACHED_WORDS)
		sorted = sort_cached(words, spare, n, low, high);
	else
	{
		bits = highest_bit((uint64_t) n) - PART_BITS;
		bits = bits > SPLIT_BITS ? SPLIT_BITS : bits;
		bits = bits > high - low ? high - low : bits;
		radix_split(words, spare, n, high - bits, bits, end, tick);
		for (int64_t begin = 0, part = 0; part < 1 << bits; begin = end[part++])
			if (end[part] > begin)
				sort_part(spare + begin, words + begin, end[part] - begin, low, high - bits, !into_spare, tick);
		return;
	}
	if (into_spare && sorted == words)
		copy(spare, words, n);
	else if (!into_spare && sorted == spare)
		copy(words, spare, n);
}

bool
radix_narrow(const uint64_t *words, int64_t n, int *low, int *high, RadixTick tick)
{
	uint64_t mask = bits_between(*low, *high);
	uint64_t different = 0;
	uint64_t before = 0;
	bool	 in_order = true;

	for (int64_t begin = 0; begin < n; begin += TICK_WORDS)
	{
		int64_t stop = step_end(begin, n);

		tick();
		for (int64_t i = begin; i < stop; i++)
		{
			uint64_t key = words[i] & mask;

			in_order = in_order & (before <= key);
			different |= key ^ (words[0] & mask);
			before = key;
		}
	}
	if (in_order)
		return false;
	*low = __builtin_ctzll(different);
	*high = highest_bit(different);
	return true;
}

uint64_t *
radix_sort(uint64_t *words, uint64_t *spare, int64_t n, int low, int high, RadixTick tick)
{
	if (!radix_narrow(words, n, &low, &high, tick))
		return words;
	if (n > FEW_WORDS && n <= CACHED_WORDS)
		return sort_cached(words, spare, n, low, high);
	sort_part(words, spare, n, low, high, false, tick);
	return words;
}
