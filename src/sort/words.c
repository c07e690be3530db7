/*
 * words.c: sorts rows by the first bits of their keys, which fit in a word with the row's number.
 *
 * key.c calls it with the bits of the keys.  The word of a row is made twice: once to count the words of each part,
 * which have their top digit in common, and once to put the word directly into its part.  Each part fits in the cache,
 * and is sorted there.  So one array of words is enough, where sorting words that lie in the order of the input needs a
 * second one, and each word goes through memory once less.  Keys that are packed for the second time are not read
 * again.
 *
 * A WordSorter that has words sorted elsewhere gets all of them as they are, and makes its own parts.
 */
#include "postgres.h"

#include "column/stretch.h"
#include "library/clock.h"
#include "sort/internal.h"

#define PARTS_LEAST 16384	/* rows; fewer fit in the cache without parts */
#define PART_BITS 11		/* the split aims at parts of 2^11 words */
#define PACKED_AT_ONCE 1024 /* rows packed key by key, in the first-level cache */
#define PACKED_ROWS 65536	/* rows per call of WordSort.packed */

/*
 * Packs some rows, at most PACKED_AT_ONCE, from position `from` on of n rows in `order` (NULL: the input's order).
 * Returns the position of the next ones.
 */
static int64
pack_some(const WordLayout *layout, const uint32 *order, int64 from, int64 n, uint64 *word)
{
	int some = (int) Min(n - from, PACKED_AT_ONCE);

	CHECK_FOR_INTERRUPTS();
	memset(word, 0, some * sizeof(uint64));
	for (int p = 0; p < layout->parts; p++)
		pack_add(&layout->part[p], order == NULL ? NULL : order + from, from, some, word);
	for (int i = 0; i < some; i++)
		word[i] = word[i] << layout->row_bits | (uint64) (from + i);
	return from + some;
}

void
words_pack(const WordLayout *layout, const uint32 *order, int64 n, uint64 *word)
{
	for (int64 from = 0; from < n;)
		from = pack_some(layout, order, from, n, word + from);
}

/* ---- all at once ---- */

static void
sort_whole(const WordSort *sort)
{
	int		low = sort->layout->row_bits, high = low + sort->layout->bits;
	int		partition = sort->order_bits == sort->layout->bits ? 64 : low + sort->order_bits;
	uint64 *spare = (uint64 *) pool_alloc(sort->pool, sort->n * sizeof(uint64));
	uint64 *sorted;

	words_pack(sort->layout, NULL, sort->n, sort->words);
	sorted = sort->sorter->sort(sort->words, spare, sort->n, low, high, sort->scans, partition);
	sort->sorted(sort->arg, sorted, 0, sort->n);
	pool_free(sort->pool, spare);
}

/* ---- in parts ---- */

/*
 * Counts the words of each part; a word's part is word >> shift.  end[] becomes the beginning of each part.  Returns
 * true if all words are in order already.
 */
static bool
count_parts(const WordSort *sort, int shift, int parts, int64 *end)
{
	uint64 word[PACKED_AT_ONCE];
	uint64 before = 0;
	int64  descents = 0;

	memset(end, 0, parts * sizeof(int64));
	for (int64 from = 0, to; from < sort->n; from = to)
	{
		to = pack_some(sort->layout, NULL, from, sort->n, word);
		for (int i = 0; i < to - from; i++)
		{
			end[word[i] >> shift]++;
			descents += word[i] < before;
			before = word[i];
		}
	}
	radix_begins(end, parts);
	return descents == 0;
}

/* Puts each word into its part; end[] becomes the end of each part. */
static void
scatter_words(const WordSort *sort, int shift, int64 *end)
{
	uint64	word[PACKED_AT_ONCE];
	uint64 *words = sort->words;

	for (int64 from = 0, to; from < sort->n; from = to)
	{
		to = pack_some(sort->layout, NULL, from, sort->n, word);
		for (int i = 0; i < to - from; i++)
			words[end[word[i] >> shift]++] = word[i];
		if (to % PACKED_ROWS == 0)
			sort->packed(sort->arg, to - PACKED_ROWS, to);
	}
}

static void
sort_parts(const WordSort *sort, const int64 *end, int parts, int high)
{
	int		low = sort->layout->row_bits;
	int64	n, largest = 0;
	uint64 *spare;

	for (int64 begin = 0, part = 0; part < parts; begin = end[part++])
		largest = Max(largest, end[part] - begin);
	spare = (uint64 *) pool_alloc(sort->pool, largest * sizeof(uint64));
	for (int64 begin = 0, part = 0; part < parts; begin = end[part++])
		if ((n = end[part] - begin) > 0)
			sort->sorted(sort->arg, radix_sort(sort->words + begin, spare, n, low, high, stretch_tick), begin, n);
	pool_free(sort->pool, spare);
}

/* Words that are in order already need not be stored before they are passed on. */
static void
take_in_order(const WordSort *sort)
{
	uint64 word[PACKED_AT_ONCE];

	for (int64 from = 0, to; from < sort->n; from = to)
	{
		to = pack_some(sort->layout, NULL, from, sort->n, word);
		sort->sorted(sort->arg, word, from, to - from);
	}
}

void
words_sort(const WordSort *sort)
{
	int64  end[1 << RADIX_SPLIT_BITS];
	int	   bits = radix_split_bits(sort->n, sort->layout->bits, PART_BITS);
	int	   shift = sort->layout->row_bits + sort->layout->bits - bits;
	double start;

	if (sort->n < PARTS_LEAST || sort->sorter->leaves(sort->n, sort->layout->bits, sort->scans))
	{
		sort_whole(sort);
		return;
	}
	start = clock_ns();
	if (count_parts(sort, shift, 1 << bits, end))
		take_in_order(sort);
	else
	{
		scatter_words(sort, shift, end);
		sort_parts(sort, end, 1 << bits, shift);
	}
	sort->sorter->stayed(sort->n, clock_ns() - start);
}
