/*
 * words.c: rows in the order of the first bits of their keys, which fit in a word with the row's number.
 *
 * Fed by key.c with the bits of the keys.  A word a row is made twice: once to count the parts
 * that the words of a top digit make, and once to be put into its part at once.  Each part
 * fits in the cache, and is sorted there.  So there is one array of words, where a sort of words
 * that lie in the order of the input needs a second one, and each word goes through memory once
 * less.  What is packed for the second time is not looked at again.
 *
 * A device that sorts words has them as they are, and parts of its own.
 */
#include "postgres.h"

#include "portability/instr_time.h"

#include "column/stretch.h"
#include "sort/words.h"

#define PARTS_LEAST 16384 /* rows: fewer fit in the cache as they are */
#define PART_BITS 11	  /* words of a part that the split aims at: 2^11 */
#define PACKED_ROWS 65536 /* that are told of at once */

void
words_pack(const WordLayout *layout, const uint32 *rows, int64 from, int n, uint64 *word)
{
	memset(word, 0, n * sizeof(uint64));
	for (int p = 0; p < layout->parts; p++)
		pack_add(&layout->part[p], rows, from, n, word);
	for (int i = 0; i < n; i++)
		word[i] = word[i] << layout->row_bits | (uint64) (from + i);
}

/* The end of the rows from `from` on that are packed at once. */
static inline int64
packed_end(int64 from, int64 n)
{
	CHECK_FOR_INTERRUPTS();
	return Min(n, from + WORDS_PACKED);
}

/* ---- all at once ---- */

static void
sort_whole(const WordLayout *layout, int64 n, uint64 *words, Pool *pool, const WordSorter *sorter, WordsSorted sorted,
		   void *arg)
{
	uint64 *spare = (uint64 *) pool_alloc(pool, n * sizeof(uint64));

	for (int64 from = 0, to; from < n; from = to)
	{
		to = packed_end(from, n);
		words_pack(layout, NULL, from, (int) (to - from), words + from);
	}
	sorted(arg, sorter->sort(words, spare, n, layout->row_bits, layout->row_bits + layout->bits), 0, n);
	pool_free(pool, spare);
}

/* ---- in parts ---- */

/*
 * Counts the words of each part, which `shift` takes a word to; end[] gets where it begins.
 * Returns whether all words are in order.
 */
static bool
count_parts(const WordLayout *layout, int64 n, int shift, int parts, int64 *end)
{
	uint64 word[WORDS_PACKED];
	uint64 before = 0;
	int64  descents = 0;

	memset(end, 0, parts * sizeof(int64));
	for (int64 from = 0, to; from < n; from = to)
	{
		to = packed_end(from, n);
		words_pack(layout, NULL, from, (int) (to - from), word);
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

/* Puts each word into its part; end[] becomes the end of each. */
static void
scatter(const WordLayout *layout, int64 n, int shift, int64 *end, uint64 *words, WordsPacked packed, void *arg)
{
	uint64 word[WORDS_PACKED];

	for (int64 from = 0, to; from < n; from = to)
	{
		to = packed_end(from, n);
		words_pack(layout, NULL, from, (int) (to - from), word);
		for (int i = 0; i < to - from; i++)
			words[end[word[i] >> shift]++] = word[i];
		if (to % PACKED_ROWS == 0)
			packed(arg, to - PACKED_ROWS, to);
	}
}

static void
sort_parts(const WordLayout *layout, const int64 *end, int parts, int high, uint64 *words, Pool *pool,
		   WordsSorted sorted, void *arg)
{
	int64	largest = 0;
	uint64 *spare;

	for (int64 begin = 0, part = 0; part < parts; begin = end[part++])
		largest = Max(largest, end[part] - begin);
	spare = (uint64 *) pool_alloc(pool, largest * sizeof(uint64));
	for (int64 begin = 0, part = 0; part < parts; begin = end[part++])
		if (end[part] > begin)
			sorted(arg, radix_sort(words + begin, spare, end[part] - begin, layout->row_bits, high, stretch_tick),
				   begin, end[part] - begin);
	pool_free(pool, spare);
}

/* Words that are in order are sorted as they are made. */
static void
take_in_order(const WordLayout *layout, int64 n, WordsSorted sorted, void *arg)
{
	uint64 word[WORDS_PACKED];

	for (int64 from = 0, to; from < n; from = to)
	{
		to = packed_end(from, n);
		words_pack(layout, NULL, from, (int) (to - from), word);
		sorted(arg, word, from, to - from);
	}
}

void
words_sort_all(const WordLayout *layout, int64 n, uint64 *words, Pool *pool, const WordSorter *sorter,
			   WordsPacked packed, WordsSorted sorted, void *arg)
{
	int64	   end[1 << RADIX_SPLIT_BITS];
	int		   bits = radix_split_bits(n, layout->bits, PART_BITS);
	int		   shift = layout->row_bits + layout->bits - bits;
	instr_time start, stop;

	if (n < PARTS_LEAST || sorter->leaves(n, layout->bits))
	{
		sort_whole(layout, n, words, pool, sorter, sorted, arg);
		return;
	}
	INSTR_TIME_SET_CURRENT(start);
	if (count_parts(layout, n, shift, 1 << bits, end))
		take_in_order(layout, n, sorted, arg);
	else
	{
		scatter(layout, n, shift, end, words, packed, arg);
		sort_parts(layout, end, 1 << bits, shift, words, pool, sorted, arg);
	}
	INSTR_TIME_SET_CURRENT(stop);
	INSTR_TIME_SUBTRACT(stop, start);
	sorter->stayed(n, INSTR_TIME_GET_DOUBLE(stop) * 1e9);
}
