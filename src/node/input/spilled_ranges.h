/*
 * spilled_ranges.h: rows beyond memory, divided into ranges of the PARTITION BY keys.
 */
#ifndef SCAN_NODE_INPUT_SPILLED_RANGES_H
#define SCAN_NODE_INPUT_SPILLED_RANGES_H

#include "postgres.h"

#include "column/rows.h"
#include "node/input/window_keys.h"

typedef struct SpilledRanges SpilledRanges;

/* True if rows with such keys can be divided. */
extern bool spilled_ranges_suit(const WindowKeys *keys);

/*
 * Finds ranges by the rows in memory, of `expected_rows` rows that all of them may become.  `sort_bytes`: bytes of a
 * row that the sort takes.  The state is allocated in a context of its own below `parent`.  NULL: rows cannot be
 * divided, or are in order already.
 */
extern SpilledRanges *spilled_ranges_create(MemoryContext parent, const WindowKeys *keys, const Rows *rows,
											double expected_rows, double sort_bytes);

/*
 * Moves the rows that are not of the first ranges, which stay in memory, to files; `full`: and has fewer ranges stay if
 * memory does not suffice otherwise.  Rows that stay keep their order.
 */
extern void spilled_ranges_put(SpilledRanges *ranges, Rows *rows, bool full);

/* True if so many rows have come since the last call that they should be put. */
extern bool spilled_ranges_due(const SpilledRanges *ranges, const Rows *rows);

/* Called after the last row has been put.  Returns the bytes written. */
extern int64 spilled_ranges_finish(SpilledRanges *ranges);

/* Has spilled_ranges_append() return the rows of the next ranges that fit in memory; false: there are none. */
extern bool spilled_ranges_next(SpilledRanges *ranges);

/* A RowSource's function: appends some rows; false: there are no more in these ranges. */
extern bool spilled_ranges_append(void *ranges, Rows *rows);

/* Closes the files and frees all memory. */
extern void spilled_ranges_free(SpilledRanges *ranges);

#endif /* SCAN_NODE_INPUT_SPILLED_RANGES_H */
