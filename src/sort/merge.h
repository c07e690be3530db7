/*
 * merge.h: stable sort of items by a comparison that costs much.
 *
 * Fed by key.c and distinct.c with values that only their operator class can compare.
 * Plain C over plain arrays.
 */
#ifndef SCAN_SORT_MERGE_H
#define SCAN_SORT_MERGE_H

#include <stdint.h>

typedef struct MergeItem
{
	uint64_t value; /* to compare: a number, or an address */
	uint64_t row;
} MergeItem;

/* Below 0, 0, above 0 as `a` comes before, with or behind `b`.  May not return (longjmp). */
typedef int (*MergeCompare)(const MergeItem *a, const MergeItem *b, void *arg);

/* Called between copies of many items, which compare nothing; may not return. */
typedef void (*MergeTick)(void);

/* Sorts n items where they are; `spare` is room for n / 2. */
extern void merge_sort(MergeItem *items, MergeItem *spare, int64_t n, MergeCompare compare, void *arg, MergeTick tick);

#endif /* SCAN_SORT_MERGE_H */
