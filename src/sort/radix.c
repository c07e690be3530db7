/*
 * radix.c: sorts words by the most significant digit first, until a part fits in the cache, and there by the least
 * significant digit first.
 *
 * Rejected: either one alone, which is slow.  From the lowest digit on, every pass moves all words through memory, to
 * 2048 positions at a time.  From the highest digit on, the last parts are so many and small that each has more
 * counters than words.  Together, a million words go through memory twice.  Bits that are the same in all words are
 * skipped, and words that are in order already are left as they are.
 *
 * Source: Knuth, TAOCP vol. 3, 5.2.5.
 */
#include "sort/radix.h"

#include <string.h>

#define DIGIT_BITS 10	   /* bits of a digit within the cache */
#define FEW_BITS 8		   /* bits of a digit in a part with fewer than MANY_COUNTERS words */
#define MANY_COUNTERS 1024 /* about as many words as a digit of DIGIT_BITS has counters */
#define DIGITS_MOST 8	   /* digits in 64 bits */
#define CACHED_WORDS 16384 /* words that fit in the second-level cache, with as many spare ones */
#define PART_BITS 11	   /* a split aims at parts of 2^11 words */
#define FEW_WORDS 32	   /* at most so many words are sorted by insertion */
#define SURE_BITS 4		   /* bits beyond those of n that tell most of n random words apart */
#define SAMPLE 32		   /* words sampled by words_differ() */
#define MOVES_MOST 4	   /* positions that a word may move in an insertion sort, on average */

/* Returns a mask of the bits from `low` to `high` - 1. */
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
 * Sorts few words, or words that are nearly in order, by the bits in `mask`.  Returns false as soon as words have moved
 * by more than `moves` positions in all: they are then only partly sorted.
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

/* Returns the number of digits for sorting n words by so many bits. */
static int
digits_of(int64_t n, int bits)
{
	int limit = n < MANY_COUNTERS ? FEW_BITS : DIGIT_BITS;

	return (bits + limit - 1) / limit;
}

/* Sorts words that fit in the cache, the least significant digit first.  Returns where they are: `words` or `spare`. */
static uint64_t *
sort_by_digits(uint64_t *words, uint64_t *spare, int64_t n, int low, int high)
{
	uint32_t count[DIGITS_MOST][1 << DIGIT_BITS];
	int		 digits = digits_of(n, high - low);
	int		 bits = (high - low + digits - 1) / digits; /* bits of a digit: all have equal width */
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

		/* skip a digit that all words have in common */
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

/* True if words sampled from the whole array all differ in the bits of a mask. */
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
 * As sort_by_digits().  But where it saves a pass, random words are sorted only by as many bits as nearly tell them
 * apart, and the few words that these bits do not tell apart are put in order by insertion.  Words in clusters would
 * move too far in that insertion: all of their bits are sorted.
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

/* Sorts words in place or, if `into_spare`, into the same positions of `spare`. */
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
