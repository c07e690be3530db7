/*
 * key_parts.h: sorts rows by comparing the values of a key.
 *
 * key.c calls it for rows that are equal so far, where the numbers of a key do not tell its whole order.
 */
#ifndef SCAN_SORT_KEY_PARTS_H
#define SCAN_SORT_KEY_PARTS_H

#include "postgres.h"

#include "utils/sortsupport.h"

#include "column/type.h"
#include "sort/merge.h"
#include "sort/normalize.h"
#include "sort/sort_column.h"

/*
 * Returns true if n items are in order already.  As far as they are, sets bit from + i of `peer` if item i
 * differs from the one before it, and clears it if not.
 */
extern bool items_in_order(const MergeItem *items, int64 n, SortKey *key, uint8 *peer, int64 from);

/* Sorts n items; items with equal values are sorted by their row's number.  `spare` has room for n / 2 items. */
extern void items_sort(MergeItem *items, MergeItem *spare, int64 n, SortKey *key);

/* ---- distinct.c: numbers values by their position among a column's distinct values ---- */

/*
 * Writes to `number`, for each row, the rank of its value in ascending order among the distinct values.
 * Returns false if there are too many distinct values, or too few rows to gain anything.  The number of a NULL
 * is undefined.
 */
extern bool distinct_number(const SortColumn *column, int64 n, SortSupport support, uint64 *number);

/* ---- string_key.c: turns strings of bytes into numbers, by the bytes that occur at each position ---- */

/*
 * Writes to `number`, for each row, a number in the order of its bytes.  If `weight` is not NULL, a byte counts
 * as weight[byte].  Strings that `bits` bits cannot tell apart share a number.  Returns true if no strings had
 * to share one and `weight` is NULL: the numbers then tell the whole order.  The number of a NULL is undefined.
 */
extern bool string_key_numbers(const SortColumn *column, int64 n, StringForm form, const uint8 *weight, int bits,
							   uint64 *number);

/* Returns weights by which a collation most likely orders bytes: a guess that must be verified. */
extern const uint8 *string_key_guess(void);

#endif /* SCAN_SORT_KEY_PARTS_H */
