/*
 * first_row.h: keeps the first row of each partition, of input that is not in order.
 */
#ifndef SCAN_NODE_INPUT_FIRST_ROW_H
#define SCAN_NODE_INPUT_FIRST_ROW_H

#include "postgres.h"

#include "column/rows.h"
#include "node/input/window_keys.h"

typedef struct FirstRow FirstRow;

/* True if so many partitions are expected, and so many rows, that a table is better than a sort. */
extern bool first_row_suits(int64 partitions, double rows);

/*
 * Creates the state for input with such keys, whose comparisons are prepared, and no rows yet.  `partitions`:
 * how many are expected.  The state is allocated in a context of its own below `parent`.
 */
extern FirstRow *first_row_create(const WindowKeys *keys, int64 partitions, MemoryContext parent);

extern void first_row_free(FirstRow *first);

/*
 * Appends each row of `batch` to *rows that begins a partition, and replaces the partition's row by each that comes
 * before it in the order.  May replace *rows by a copy that takes less memory.  Returns the number of rows appended.
 */
extern int64 first_row_append(FirstRow *first, Rows **rows, const Rows *batch);

/* False if there are so many partitions that sorting all rows is better; then first_row_append() is not called again.
 */
extern bool first_row_pays(const FirstRow *first);

/* Readies the rows for a sort, which must find them in the order of the input, and forgets the partitions. */
extern void first_row_settle(FirstRow *first, Rows **rows);

/* Forgets the partitions: their rows go elsewhere. */
extern void first_row_forget(FirstRow *first);

#endif /* SCAN_NODE_INPUT_FIRST_ROW_H */
