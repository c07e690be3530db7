/*
 * internal.h: what the files of sort/ share, and nobody else calls: a section for each file.
 */
#ifndef SCAN_SORT_INTERNAL_H
#define SCAN_SORT_INTERNAL_H

#include "postgres.h"

#include "utils/sortsupport.h"

#include "column/memory.h"
#include "column/type.h"
#include "sort/bit_pack.h"
#include "sort/merge.h"
#include "sort/order.h"
#include "sort/radix.h"

/* ---- words.c: sorts rows by the first bits of their keys, which fit in a word with the row's number ---- */

/* The layout of a word: `bits` bits of keys above the `row_bits` bits of a row's number. */
typedef struct WordLayout
{
	int		  parts;
	PackPart *part;
	int		  bits, row_bits;
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

/* ---- items.c: sorts rows by comparing the values of a key ---- */

/* key.c calls it for rows that are equal so far, where the numbers of a key do not tell its whole order. */

/*
 * Returns true if n items are in order already.  As far as they are, sets bit from + i of `peer` if item i differs from
 * the one before it, and clears it if not.
 */
extern bool items_in_order(const MergeItem *items, int64 n, SortSupport support, uint8 *peer, int64 from);

/* Sorts n items; items with equal values are sorted by their row's number.  `spare` has room for n / 2 items. */
extern void items_sort(MergeItem *items, MergeItem *spare, int64 n, SortSupport support);

/* ---- distinct.c: numbers values by their position among a column's distinct values ---- */

/*
 * Writes to `number`, for each row, the rank of its value in ascending order among the distinct values.  Returns false
 * if there are too many distinct values, or too few rows to gain anything.  The number of a NULL is undefined.
 */
extern bool distinct_number(const SortColumn *column, int64 n, SortSupport support, uint64 *number);

/* ---- string_key.c: turns strings of bytes into numbers, by the bytes that occur at each position ---- */

/*
 * Writes to `number`, for each row, a number in the order of its bytes.  If `weight` is not NULL, a byte counts as
 * weight[byte].  Strings that `bits` bits cannot tell apart share a number.  Returns true if no strings had to share
 * one and `weight` is NULL: the numbers then tell the whole order.  The number of a NULL is undefined.
 */
extern bool string_key_numbers(const SortColumn *column, int64 n, StringForm form, const uint8 *weight, int bits,
							   uint64 *number);

/* Returns weights by which a collation most likely orders bytes: a guess that must be verified. */
extern const uint8 *string_key_guess(void);

#endif /* SCAN_SORT_INTERNAL_H */
