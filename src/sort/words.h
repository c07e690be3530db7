/*
 * words.h: rows in the order of the first bits of their keys, which fit in a word with the row's number.
 */
#ifndef SCAN_SORT_WORDS_H
#define SCAN_SORT_WORDS_H

#include "postgres.h"

#include "column/pool.h"
#include "sort/bit_pack.h"
#include "sort/radix.h"

/* How a word is made: `bits` bits of keys, above the number of a row. */
typedef struct WordLayout
{
	int		  parts;
	PackPart *part;
	int		  bits;
	int		  row_bits;
} WordLayout;

/* Gets n of the words, in order, which are those of the rows' places from `from` on. */
typedef void (*WordsSorted)(void *arg, const uint64 *sorted, int64 from, int64 n);

/* Called when the rows from `from` to `to` - 1 have been packed for the last time. */
typedef void (*WordsPacked)(void *arg, int64 from, int64 to);

/*
 * A sort of all rows from 0 on.  What `sorted` gets may lie in `words` or not: so it may write
 * there what takes no more than a word a row, from the start on.
 */
typedef struct WordSort
{
	const WordLayout   *layout;
	int64				n;
	uint64			   *words; /* room for one a row */
	Pool			   *pool;  /* for more */
	const WordSorter   *sorter;
	struct SortedScans *scans;		/* for the sorter, over the rows in the order of the words; NULL: there are none */
	int					order_bits; /* of a word's bits of keys, those that do not make a partition */
	WordsPacked			packed;
	WordsSorted			sorted;
	void			   *arg;
} WordSort;

/* Packs the n rows of an order, or, where that is NULL, the first n rows; the number is i for the i-th of them. */
extern void words_pack(const WordLayout *layout, const uint32 *order, int64 n, uint64 *word);

extern void words_sort(const WordSort *sort);

#endif /* SCAN_SORT_WORDS_H */
