/*
 * filter.h: drops rows that are not wanted while they come in.
 */
#ifndef SCAN_NODE_INPUT_FILTER_H
#define SCAN_NODE_INPUT_FILTER_H

#include "postgres.h"

#include "column/rows.h"
#include "node/input/first_row.h"
#include "node/input/top_rows.h"
#include "node/input/window_keys.h"
#include "node/planned_window.h"

/* Where rows come from: appends some more of them; false: there are none. */
typedef struct RowSource
{
	bool (*append)(void *arg, Rows *rows);
	void *arg;
	int64 rows;		/* how many they are; 0: that is not known */
	bool  in_order; /* they come in the order of the window; only those of a range do */
} RowSource;

/* The input, and what stands between it and the rows in memory if not all rows are wanted. */
typedef struct Filter
{
	RowSource source;
	Top		 *top;		  /* NULL: all rows are wanted */
	FirstRow *first;	  /* takes the place of `top` while one row of each partition is wanted; or NULL */
	Rows	 *unfiltered; /* rows of the input that have not been filtered */
} Filter;

/*
 * Creates the filter of rows like `rows`, of which there are none yet, in a context below `parent`.  `expected`: the
 * number of rows in the input.
 */
extern Filter filter_create(WindowKeys *keys, TopRows wanted, RowSource source, const Rows *rows, double expected,
							MemoryContext parent);

extern void filter_free(Filter *filter);

/*
 * Appends some wanted rows of the input to those in memory, which may be replaced by copies; false: the input has
 * ended. Adds to *left_out how many were not wanted.
 */
extern bool filter_pull(Filter *filter, Rows **rows, int64 *left_out);

/* True if it is time to sort the rows in memory and drop those that are not wanted. */
extern bool filter_is_due(const Filter *filter, const Rows *rows);

/* Readies the rows in memory for a sort. */
extern void filter_settle(Filter *filter, Rows **rows);

/* Forgets the wanted rows of the partitions: they are not among those in memory any more. */
extern void filter_forget(Filter *filter);

/* The same, and filters rows to come as if more than one row of each partition were wanted. */
extern void filter_expect_more(Filter *filter, Rows **rows);

#endif /* SCAN_NODE_INPUT_FILTER_H */
