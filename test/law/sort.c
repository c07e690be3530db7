/*
 * sort.c: laws of the radix sort, of integers in order, and of the merge sort, by qsort.
 *
 * Words carry their place in bits that do not count, so that stability is seen; the oracle is qsort by the bits that
 * count and then by place.
 *
 *   sort NAME [few]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "law.h"
#include "sort/merge.h"
#include "sort/radix.h"

#define LARGEST 3000000
#define GUARD UINT64_C(0xA5A5A5A5A5A5A5A5) /* after the arrays: nobody may write there */

typedef enum Shape
{
	RANDOM,
	ALL_EQUAL,
	SORTED,
	REVERSE,
	FEW_DISTINCT,
	CONSTANT_DIGITS, /* in the middle, at the top and at the bottom */
	SKEWED,			 /* nearly all in one part, and again within it */
	NEARLY_SORTED,
	CLUSTERS, /* close together, and far from the next */
	LURE,	  /* random where the sort looks for clusters, and one in reverse order else */
	SHAPES,
} Shape;

static const int64_t sizes[] = {0,	  1,	2,	  3,	6,	  7,	13,	  31,	32,	  33,	 63,	64,	   65,
								1023, 1024, 1025, 2047, 2048, 2049, 8191, 8192, 8193, 16383, 16384, 16385, 100000};
static const int ranges[][2] = {{0, 1},	  {0, 8},	{0, 10},  {0, 11},	{0, 21},  {0, 64}, {63, 64}, {20, 20}, {20, 21},
								{20, 30}, {20, 31}, {20, 42}, {20, 64}, {44, 64}, {1, 64}, {22, 23}, {17, 50}};

static uint64_t words[LARGEST + 1], spare[LARGEST + 1], oracle[LARGEST];
static uint64_t mask;
static int64_t	ticks, compares;
static int		checked;

static void
tick(void)
{
	ticks++;
}

static void
fail(const char *what, int shape, int64_t n, int low, int high)
{
	char line[200];

	snprintf(line, sizeof(line), "%s: shape %d, %" PRId64 " items, bits %d to %d", what, shape, n, low, high);
	law_report(false, line);
	exit(1);
}

/* The bits of a key, as a shape has them. */
static uint64_t
key_of(Shape shape, int64_t i, int64_t n, int bits)
{
	uint64_t random = law_random();

	switch (shape)
	{
		case ALL_EQUAL:
			return UINT64_C(0x123456789ABCDEF5);
		case SORTED:
			return (uint64_t) i >> 1;
		case REVERSE:
			return (uint64_t) (n - i);
		case FEW_DISTINCT:
			return (random >> 20) % 3 * UINT64_C(0x0123456789ABCDE7);
		case CONSTANT_DIGITS:
			return (random & UINT64_C(0x00FF00000FF000FF)) | UINT64_C(0x5500000000005500);
		case SKEWED:
			return random % 16 != 0 ? random >> 40 & 1023 : (random % 256 != 0 ? random >> 40 & 0xFFFFF : random);
		case NEARLY_SORTED:
			return random % 100 == 0 ? random >> 30 : (uint64_t) i;
		case CLUSTERS:
			return (random % 60 << 30 | (random >> 40 & 0xFFFF)) << 8;
		case LURE:
			return (i * 32 + n - 1) / n * n < (i + 1) * 32 ? random : (UINT64_C(5) << 45) + (uint64_t) (n - i);
		default:
			return random >> (law_random() & 1 ? 0 : 64 - (bits > 0 ? bits : 1));
	}
}

static int
compare_words(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *) a & mask, y = *(const uint64_t *) b & mask;
	uint64_t p = *(const uint64_t *) a & ~mask, q = *(const uint64_t *) b & ~mask;

	return x != y ? (x < y ? -1 : 1) : p < q ? -1 : p > q;
}

/* Words with their place in what bits do not count: below, and above where that is too few. */
static void
radix_holds(Shape shape, int64_t n, int low, int high)
{
	int64_t	  before = ticks;
	uint64_t *sorted;

	mask = high == low ? 0 : ~UINT64_C(0) >> (64 - (high - low)) << low;
	for (int64_t i = 0; i < n; i++)
	{
		uint64_t place = low == 0 ? 0 : (uint64_t) i & ((UINT64_C(1) << low) - 1);

		if (high < 64)
			place |= low == 0 ? (uint64_t) i << high : (uint64_t) i >> low << high;
		words[i] = (key_of(shape, i, n, high - low) << low & mask) | place;
	}
	memcpy(oracle, words, (size_t) n * sizeof(uint64_t));
	words[n] = spare[n] = GUARD;
	/* places come in ascending order only where they fit */
	if (high == 64 && low < 22 && n > (int64_t) 1 << low)
		for (int64_t i = 0; i < n; i++)
			oracle[i] = words[i] &= mask;
	qsort(oracle, (size_t) n, sizeof(uint64_t), compare_words);
	sorted = radix_sort(words, spare, n, low, high, tick);
	if (sorted != words && sorted != spare)
		fail("the radix sort's answer is in one of its arrays", shape, n, low, high);
	if (memcmp(sorted, oracle, (size_t) n * sizeof(uint64_t)) != 0)
		fail("the radix sort is qsort by bits, stable", shape, n, low, high);
	if (words[n] != GUARD || spare[n] != GUARD)
		fail("the radix sort stays in its arrays", shape, n, low, high);
	/* looks at the words, counts them and moves them */
	if (n >= 20000 && shape == RANDOM && high > low && ticks - before < 3 * (n / 262144 + 1))
		fail("the radix sort ticks", shape, n, low, high);
	checked++;
}

static int
compare_integers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

	return x < y ? -1 : x > y;
}

static uint64_t *
sort_words(uint64_t *w, uint64_t *v, int64_t n, int low, int high, struct FusedScans *scans, int partition)
{
	return radix_sort(w, v, n, low, high, tick);
}

static bool
sorted_whole(int64_t n, int bits, struct FusedScans *scans)
{
	return true;
}

static bool
sorted_in_parts(int64_t n, int bits, struct FusedScans *scans)
{
	return false;
}

/* Integers of `size` bytes, so far above the least there are of that size as the shape says. */
static void
integers_hold(Shape shape, int64_t n, int size)
{
	int64_t *wanted = (int64_t *) oracle;
	char	*in = malloc((size_t) n * size + 1), *out = size == 8 ? (char *) words : malloc((size_t) n * size + 1);

	for (int64_t i = 0; i < n; i++)
	{
		uint64_t key = key_of(shape, i, n, 8 * size);

		wanted[i] = size == 8 ? (int64_t) (key ^ UINT64_C(1) << 63) : size == 4 ? (int32_t) key : (int16_t) key;
		memcpy(in + i * size, &wanted[i], (size_t) size); /* the lowest byte comes first */
	}
	qsort(wanted, (size_t) n, sizeof(int64_t), compare_integers);
	words[n] = spare[n] = GUARD;
	for (int whole = 0; whole <= 1; whole++)
	{
		WordSorter sorter = {whole ? sorted_whole : sorted_in_parts, sort_words, NULL};

		memset(out, 0, (size_t) n * size);
		integers_sort(in, n, size, out, words, spare, &sorter, tick);
		for (int64_t i = 0; i < n; i++)
			if (memcmp(out + i * size, &wanted[i], (size_t) size) != 0)
				fail("integers in order are qsort", shape, n, 0, 8 * size);
	}
	if (words[n] != GUARD || spare[n] != GUARD)
		fail("the sort of integers stays in its arrays", shape, n, 0, 8 * size);
	free(in);
	if (size != 8)
		free(out);
	checked++;
}

static int
compare_items(const MergeItem *a, const MergeItem *b, void *arg)
{
	compares++;
	if (arg != &compares)
		fail("the merge sort hands on its argument", 0, 0, 0, 0);
	return a->value < b->value ? -1 : a->value > b->value;
}

static int
compare_pairs(const void *a, const void *b)
{
	const MergeItem *x = a, *y = b;

	return x->value != y->value ? (x->value < y->value ? -1 : 1) : x->row < y->row ? -1 : x->row > y->row;
}

static void
merge_holds(Shape shape, int64_t n)
{
	MergeItem *items = malloc(((size_t) n + 1) * sizeof(MergeItem));
	MergeItem *half = malloc(((size_t) n / 2 + 1) * sizeof(MergeItem));
	MergeItem *expected = malloc(((size_t) n + 1) * sizeof(MergeItem));
	double	   max = n < 2 ? 0 : (double) n * (log2((double) n) + 0.5);

	for (int64_t i = 0; i < n; i++)
		items[i] = (MergeItem){key_of(shape, i, n, 64), (uint64_t) i};
	items[n] = half[n / 2] = (MergeItem){GUARD, GUARD};
	memcpy(expected, items, (size_t) n * sizeof(MergeItem));
	qsort(expected, (size_t) n, sizeof(MergeItem), compare_pairs);
	compares = 0;
	merge_sort(items, half, n, compare_items, &compares, tick);
	if (memcmp(items, expected, (size_t) n * sizeof(MergeItem)) != 0)
		fail("the merge sort is qsort, stable", shape, n, 0, 0);
	if (items[n].value != GUARD || half[n / 2].value != GUARD)
		fail("the merge sort stays in its arrays", shape, n, 0, 0);
	if ((double) compares > max)
		fail("the merge sort compares n log n times at most", shape, n, 0, 0);
	if ((shape == SORTED || shape == ALL_EQUAL) && compares > n)
		fail("the merge sort compares items in order once", shape, n, 0, 0);
	free(items);
	free(half);
	free(expected);
	checked++;
}

int
main(int argc, char **argv)
{
	bool few = argc > 2 && strcmp(argv[2], "few") == 0;
	char line[200];

	for (int shape = 0; shape < SHAPES; shape++)
	{
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		{
			if (few && sizes[s] > 10000)
				continue;
			for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++)
				radix_holds((Shape) shape, sizes[s], ranges[r][0], ranges[r][1]);
			for (int size = 2; size <= 8; size *= 2)
				integers_hold((Shape) shape, sizes[s], size);
			merge_holds((Shape) shape, sizes[s]);
		}
		/* parts that have to be split again */
		radix_holds((Shape) shape, few ? 20001 : LARGEST, 22, 64);
		radix_holds((Shape) shape, few ? 20001 : LARGEST, 22, 40);
		integers_hold((Shape) shape, few ? 20001 : LARGEST, 8);
	}
	/* so many that a half of them is copied in pieces */
	merge_holds(RANDOM, 600000);
	snprintf(line, sizeof(line), "%s: %d sorts by radix, of integers and by merging", argc > 1 ? argv[1] : "sort",
			 checked);
	law_report(true, line);
	return law_failures != 0;
}
