/*
 * key_numbers.h: what numbers tell of the order of rows, without a sort.
 */
#ifndef SCAN_NODE_INPUT_KEY_NUMBERS_H
#define SCAN_NODE_INPUT_KEY_NUMBERS_H

#include "postgres.h"

#include "column/rows.h"
#include "node/input/window_keys.h"
#include "sort/sort_order.h"

/*
 * Computes a number of key k for each of n rows from row `from` on.  Of two rows that are equal in keys 0 to k - 1, the
 * one that comes first in window order has the smaller number, or both numbers are equal.
 */
extern void number_rows(const WindowKeys *keys, int k, const Rows *rows, int64 from, int64 n, uint64 *number);

/* True if the rows are in window order.  window_keys_prepare() must have been called, here and below. */
extern bool rows_are_in_order(const WindowKeys *keys, const Rows *rows);

/* Fills in the order, as sort_rows() would, of rows that are in window order. */
extern void order_of_ordered_rows(const WindowKeys *keys, const Rows *rows, SortOrder *order);

#endif /* SCAN_NODE_INPUT_KEY_NUMBERS_H */
