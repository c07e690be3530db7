/*
 * filter.h: drops rows that are not wanted while they come in.
 */
#ifndef SCAN_NODE_INPUT_FILTER_H
#define SCAN_NODE_INPUT_FILTER_H

#include "postgres.h"

#include "column/rows.h"
#include "node/input/row_source.h"
#include "node/input/window_keys.h"
#include "node/planned_window.h"
#include "sort/sort_order.h"

/* The input, and what stands between it and the rows in memory if not all rows are wanted. */
typedef struct Filter Filter;

/* True if a row in memory may be replaced by one that comes before it. */
extern bool filter_replaces(const WindowKeys *keys, const TopRows *wanted, double expected);

/*
 * Creates the filter of rows like `rows`, of which there are none yet, in a context of its own below `parent`.
 * `expected`: the number of rows in the input.
 */
extern Filter *filter_create(WindowKeys *keys, TopRows wanted, RowSource source, const Rows *rows, double expected,
							 MemoryContext parent);

extern void filter_free(Filter *filter);

/* True if not all rows are wanted. */
extern bool filter_drops(const Filter *filter);

/* Returns the bytes of the table that has the row of each partition, if the rows are kept one by one. */
extern Size filter_bytes(const Filter *filter);

/*
 * Appends some rows of the input to those in memory, without those that are known not to be wanted; false: the input
 * has ended.  May replace *rows by a copy.  Adds to *left_out how many were left out.
 */
extern bool filter_pull(Filter *filter, Rows **rows, int64 *left_out);

/* True if it is time to sort the rows in memory and drop those that are not wanted. */
extern bool filter_is_due(const Filter *filter, const Rows *rows);

/* Readies the rows in memory for a sort, which must find rows that are equal in the order of the input. */
extern void filter_settle(Filter *filter, Rows **rows);

/* Drops the rows that are not wanted of their partition from an order, an ORDER_ROWS. */
extern void filter_order(const TopRows *wanted, SortOrder *order);

/*
 * If an order of the rows in memory, without the rows that are not wanted, has at most half of them: replaces *rows by
 * copies of those in the order, frees the old rows with all arrays of their pool, the order's among them, and returns
 * true.  Else returns false.
 */
extern bool filter_keep(Filter *filter, Rows **rows, const SortOrder *order);

/* Forgets the partitions: their rows are not among those in memory any more. */
extern void filter_forget(Filter *filter);

/* The same, and filters rows to come as if more than one row of each partition were wanted. */
extern void filter_expect_more(Filter *filter, Rows **rows, int64 *left_out);

#endif /* SCAN_NODE_INPUT_FILTER_H */
