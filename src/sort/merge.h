/*
 * merge.h: stable sort of items by an expensive comparison.
 *
 * items.c and distinct.c call it with values that only their operator class can compare.  Plain C over plain arrays.
 */
#ifndef SCAN_SORT_MERGE_H
#define SCAN_SORT_MERGE_H

#include <stdint.h>

typedef struct MergeItem
{
	uint64_t value; /* what is compared: a number, or an address */
	uint64_t row;
} MergeItem;

/* Returns a number below 0, 0 or above 0, as `a` comes before, with or behind `b`.  May longjmp. */
typedef int (*MergeCompare)(const MergeItem *a, const MergeItem *b, void *arg);

/* Called between copies of many items, during which nothing is compared.  May longjmp. */
typedef void (*MergeTick)(void);

/* Sorts n items in place; `spare` has room for n / 2 items. */
extern void merge_sort(MergeItem *items, MergeItem *spare, int64_t n, MergeCompare compare, void *arg, MergeTick tick);

#endif /* SCAN_SORT_MERGE_H */
