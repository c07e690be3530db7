/*
 * words.h: sorts rows by the first bits of their keys, which fit in a word with the row's number.
 */
#ifndef SCAN_SORT_WORDS_H
#define SCAN_SORT_WORDS_H

#include "postgres.h"

#include "column/memory.h"
#include "sort/bit_pack.h"
#include "sort/radix.h"

/* The layout of a word: `bits` bits of keys above the `row_bits` bits of a row's number. */
typedef struct WordLayout
{
	int		  parts;
	PackPart *part;
	int		  bits;
	int		  row_bits;
} WordLayout;

/* Receives n sorted words: those of the rows at positions `from` to from + n - 1 of the order. */
typedef void (*WordsSorted)(void *arg, const uint64 *sorted, int64 from, int64 n);

/* Called when the rows from `from` to `to` - 1 have been packed for the last time. */
typedef void (*WordsPacked)(void *arg, int64 from, int64 to);

/*
 * A sort of n rows.  `sorted` is called for all positions in ascending order.  Its words may lie in `words` or not; it
 * may overwrite `words` from the beginning, with at most a word for each row that it has received.
 */
typedef struct WordSort
{
	const WordLayout  *layout;
	int64			   n;
	uint64			  *words; /* memory for one word per row */
	Pool			  *pool;  /* for working memory */
	const WordSorter  *sorter;
	struct FusedScans *scans;	   /* scans that `sorter` may run over the rows in the words' order; NULL: none */
	int				   order_bits; /* how many of a word's key bits, the lowest, are not of PARTITION BY keys */
	WordsPacked		   packed;
	WordsSorted		   sorted;
	void			  *arg;
} WordSort;

/* Packs the n rows in `order` or, if it is NULL, the first n rows.  The row number in word i is i. */
extern void words_pack(const WordLayout *layout, const uint32 *order, int64 n, uint64 *word);

extern void words_sort(const WordSort *sort);

#endif /* SCAN_SORT_WORDS_H */
