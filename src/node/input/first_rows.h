/*
 * first_rows.h: keeps the first row of each partition while rows come in no order.
 */
#ifndef SCAN_NODE_INPUT_FIRST_ROWS_H
#define SCAN_NODE_INPUT_FIRST_ROWS_H

#include "postgres.h"

#include "column/rows.h"
#include "node/input/row_source.h"
#include "node/input/window_keys.h"

typedef struct FirstRows FirstRows;

/* True if so many partitions are expected, and so many rows, that keeping first rows is better than a sort. */
extern bool first_rows_suit(const WindowKeys *keys, double partitions, double rows);

/*
 * Creates a keeper of rows like `rows`, in memory of its own below `parent`.  window_keys_prepare() must have been
 * called.  `partitions`: how many are expected.
 */
extern FirstRows *first_rows_create(const WindowKeys *keys, const Rows *rows, double partitions, MemoryContext parent);

extern void first_rows_free(FirstRows *first);

/* False if there are so many partitions that sorting all rows is better. */
extern bool first_rows_pay(const FirstRows *first);

/* Returns the bytes that the table takes. */
extern Size first_rows_bytes(const FirstRows *first);

/* Forgets the partitions that were found. */
extern void first_rows_forget(FirstRows *first);

/* True if a batch may have the columns of the keys only. */
extern bool first_rows_read_keys(const FirstRows *first);

/*
 * Begins to fetch what first_rows_keep() reads for the batch into the processor's cache.  It need not be called, and
 * only may be if first_rows_read_keys().
 */
extern void first_rows_begin(FirstRows *first, const Rows *batch);

/*
 * Keeps each row of the batch that begins a partition, or that comes before the row of its partition, which it
 * replaces.  May replace *rows by a copy.  `source`: NULL if the batch has all columns; else it has those of the keys,
 * and the source is asked for the rows that are kept.
 */
extern void first_rows_keep(FirstRows *first, Rows **rows, const Rows *batch, const RowSource *source);

/* Puts rows back in the order of the input where the sort must find them so, and forgets the partitions. */
extern void first_rows_settle(FirstRows *first, Rows **rows);

#endif /* SCAN_NODE_INPUT_FIRST_ROWS_H */
