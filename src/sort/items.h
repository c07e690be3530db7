/*
 * items.h: sorts rows by comparing the values of a key.
 *
 * key.c calls it for rows that are equal so far, where the numbers of a key do not tell its whole order.
 */
#ifndef SCAN_SORT_ITEMS_H
#define SCAN_SORT_ITEMS_H

#include "postgres.h"

#include "sort/merge.h"
#include "sort/normalize.h"

/*
 * Returns true if n items are in order already.  As far as they are, sets bit from + i of `peer` if item i differs from
 * the one before it, and clears it if not.
 */
extern bool items_in_order(const MergeItem *items, int64 n, SortKey *key, uint8 *peer, int64 from);

/* Sorts n items; items with equal values are sorted by their row's number.  `spare` has room for n / 2 items. */
extern void items_sort(MergeItem *items, MergeItem *spare, int64 n, SortKey *key);

#endif /* SCAN_SORT_ITEMS_H */
