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

#define DIGIT_BITS 10	   /* of a digit within the cache, */
#define FEW_BITS 8		   /* or where a part has hardly more words than that has counters */
#define MANY_COUNTERS 1024 /* words, then */
#define DIGITS_MOST 8	   /* of 64 bits */
#define CACHED_WORDS 16384 /* and as many spare ones: in the second cache */
#define PART_BITS 11	   /* words of a part that a split aims at: 2^11 */
#define FEW_WORDS 32	   /* that are inserted one by one */
#define SURE_BITS 4		   /* more than the number of words has: then few random words have a neighbour's */
#define SAMPLE 32		   /* words that are looked at before */
#define MOVES_MOST 4	   /* places that a word moves when it is inserted, on the average */

/* Bits from `low` to `high` - 1. */
static uint64_t
bits_between(int low, int high)
{
	return high <= low ? 0 : (~UINT64_C(0) >> (64 - (high - low))) << low;
}

void
radix_copy(void *to, const void *from, size_t size, RadixTick tick)
{
	for (size_t begin = 0, stop; begin < size; begin = stop)
	{
		stop = (size_t) radix_step_end((int64_t) begin, (int64_t) size, tick);
		memcpy((char *) to + begin, (const char *) from + begin, stop - begin);
	}
}

/*
 * Few words, or words that are nearly in order, by insertion; `mask`: the bits that count.
 * False once words have moved by more than so many places: they are in no order then.
 */
static bool
sort_by_insertion(uint64_t *words, int64_t n, uint64_t mask, int64_t moves)
{
	for (int64_t i = 1; i < n && moves >= 0; i++)
	{
		uint64_t word = words[i];
		int64_t	 place = i;

		for (; place > 0 && (words[place - 1] & mask) > (word & mask); place--)
			words[place] = words[place - 1];
		words[place] = word;
		moves -= i - place;
	}
	return moves >= 0;
}

/* How many digits to sort so many words by so many bits. */
static int
digits_of(int64_t n, int bits)
{
	int limit = n < MANY_COUNTERS ? FEW_BITS : DIGIT_BITS;

	return (bits + limit - 1) / limit;
}

/* What fits in the cache, the least significant digit first. */
static uint64_t *
sort_by_digits(uint64_t *words, uint64_t *spare, int64_t n, int low, int high)
{
	uint32_t count[DIGITS_MOST][1 << DIGIT_BITS];
	int		 digits = digits_of(n, high - low);
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

/* Whether words taken from all over all differ in the bits of a mask. */
static bool
words_differ(const uint64_t *words, int64_t n, uint64_t mask)
{
	uint64_t sample[SAMPLE];

	for (int i = 0; i < SAMPLE; i++)
		sample[i] = words[i * n / SAMPLE] & mask;
	(void) sort_by_insertion(sample, SAMPLE, mask, SAMPLE * SAMPLE);
	for (int i = 1; i < SAMPLE; i++)
		if (sample[i] == sample[i - 1])
			return false;
	return true;
}

/*
 * The same; but where that saves a pass, random words are sorted by so many bits only as
 * nearly tell them apart, and the few that they do not are put in order by insertion.
 * Words that come in clusters would move too far: all their bits are sorted.
 */
static uint64_t *
sort_cached(uint64_t *words, uint64_t *spare, int64_t n, int low, int high)
{
	int		  sure = bit_length((uint64_t) n) + SURE_BITS;
	uint64_t *sorted = words;

	if (digits_of(n, sure) < digits_of(n, high - low) && words_differ(words, n, bits_between(high - sure, high)))
	{
		sorted = sort_by_digits(words, spare, n, high - sure, high);
		if (sort_by_insertion(sorted, n, bits_between(low, high), MOVES_MOST * n))
			return sorted;
	}
	return sort_by_digits(sorted, sorted == words ? spare : words, n, low, high);
}

void
radix_split(const uint64_t *words, uint64_t *to, int64_t n, int shift, int bits, int64_t *end, RadixTick tick)
{
	uint64_t values = bits_between(0, bits);

	memset(end, 0, ((size_t) 1 << bits) * sizeof(int64_t));
	RADIX_STEPS (i, 0, n, tick)
		end[words[i] >> shift & values]++;
	radix_begins(end, 1 << bits);
	RADIX_STEPS (i, 0, n, tick)
		to[end[words[i] >> shift & values]++] = words[i];
}

/* Sorts words into themselves or, at the same places, into `spare`. */
static void
sort_part(uint64_t *words, uint64_t *spare, int64_t n, int low, int high, bool into_spare, RadixTick tick)
{
	int64_t	  end[1 << RADIX_SPLIT_BITS];
	uint64_t *sorted = words;
	int		  bits;

	if (high <= low || n <= FEW_WORDS)
		(void) sort_by_insertion(words, high <= low ? 0 : n, bits_between(low, high), FEW_WORDS * FEW_WORDS);
	else if (n <= CACHED_WORDS)
		sorted = sort_cached(words, spare, n, low, high);
	else
	{
		bits = radix_split_bits(n, high - low, PART_BITS);
		radix_split(words, spare, n, high - bits, bits, end, tick);
		for (int64_t begin = 0, part = 0; part < 1 << bits; begin = end[part++])
			if (end[part] > begin)
				sort_part(spare + begin, words + begin, end[part] - begin, low, high - bits, !into_spare, tick);
		return;
	}
	if (into_spare && sorted == words)
		radix_copy(spare, words, (size_t) n * sizeof(uint64_t), tick);
	else if (!into_spare && sorted == spare)
		radix_copy(words, spare, (size_t) n * sizeof(uint64_t), tick);
}

bool
radix_narrow(const uint64_t *words, int64_t n, int *low, int *high, RadixTick tick)
{
	uint64_t mask = bits_between(*low, *high);
	uint64_t different = 0;
	uint64_t before = 0;
	bool	 in_order = true;

	RADIX_STEPS (i, 0, n, tick)
	{
		uint64_t key = words[i] & mask;

		in_order = in_order & (before <= key);
		different |= key ^ (words[0] & mask);
		before = key;
	}
	if (in_order)
		return false;
	*low = __builtin_ctzll(different);
	*high = bit_length(different);
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
