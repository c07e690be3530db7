/*
 * items.h: rows in the order of a key's values, by comparing these.
 *
 * Fed by key.c with rows that are equal so far, where the numbers of a key do not tell all of its order.
 */
#ifndef SCAN_SORT_ITEMS_H
#define SCAN_SORT_ITEMS_H

#include "postgres.h"

#include "sort/merge.h"
#include "sort/normalize.h"

/*
 * Whether n items are in order already.  As far as they are, bit from + i of `peer` is set where item i
 * differs from the one before it, and cleared where it does not.
 */
extern bool items_in_order(const MergeItem *items, int64 n, SortKey *key, uint8 *peer, int64 from);

/* Sorts n items; of equal ones the row that comes first in the input is first.  `spare` is room for n / 2. */
extern void items_sort(MergeItem *items, MergeItem *spare, int64 n, SortKey *key);

#endif /* SCAN_SORT_ITEMS_H */
