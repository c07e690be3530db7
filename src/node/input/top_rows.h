/*
 * top_rows.h: keeps, of input that is not in order, the rows that can be among the first ones of their partition.
 */
#ifndef SCAN_NODE_INPUT_TOP_ROWS_H
#define SCAN_NODE_INPUT_TOP_ROWS_H

#include "postgres.h"

#include "column/rows.h"
#include "node/input/window_keys.h"
#include "node/planned_window.h"
#include "sort/sort_order.h"

typedef struct Top Top;

/*
 * Creates the state for input with such keys, whose comparisons are prepared.  The state is allocated in a context of
 * its own below `parent`.
 */
extern Top *top_create(const WindowKeys *keys, TopRows wanted, MemoryContext parent);

extern void top_free(Top *top);

/* Drops the rows that are not wanted of their partition from an order, an ORDER_ROWS. */
extern void top_of_order(const TopRows *wanted, SortOrder *order);

/* Returns how many rows to gather before they are sorted and the wanted ones kept. */
extern int64 top_due(const Top *top);

/*
 * If the order has at most half of the rows: replaces *rows by copies of those in the order, frees the old rows with
 * all arrays of their pool, the order's among them, and returns true.  Else returns false.
 */
extern bool top_keep(Top *top, Rows **rows, const SortOrder *order);

/* True if the last wanted rows of some partitions are known, so that top_append() can leave rows out. */
extern bool top_filters(const Top *top);

/* Appends the rows of `batch` that may be wanted; returns how many they are.  Only if top_filters(). */
extern int64 top_append(Top *top, Rows *rows, const Rows *batch);

/* Forgets the last wanted rows of the partitions: the rows that were kept go elsewhere. */
extern void top_forget(Top *top);

#endif /* SCAN_NODE_INPUT_TOP_ROWS_H */
