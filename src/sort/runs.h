/*
 * runs.h: sorted runs of rows on disk, and their merge.
 *
 * The plan node (node/input/sorted_input.c) writes as many rows at a time as it may keep in memory, sorted by key.c:
 * they become a run in a temporary file.  The runs are merged and returned as one stream.  Rows that are equal in all
 * keys keep the order in which they were written.
 */
#ifndef SCAN_SORT_RUNS_H
#define SCAN_SORT_RUNS_H

#include "postgres.h"

#include "sort/compare.h"
#include "sort/sort_order.h"

typedef struct Runs Runs;

/*
 * Creates an empty set of runs, of rows with such columns; constant columns are not written.  The runs are merged by
 * the caller's keys, within `budget` bytes if that is possible.  Memory comes from a new context below `parent`.  The
 * files belong to the current resource owner, which removes them after an error.
 */
extern Runs *runs_create(MemoryContext parent, const RowColumn *column, int columns, SortSupport key, int keys,
						 Size budget);

/* Writes one more run: rows in an order, an ORDER_ROWS.  Rows with equal keys come behind those of earlier runs. */
extern void runs_write(Runs *runs, const Rows *rows, const SortOrder *order);

/*
 * Appends the next rows in order to `rows`: at most `limit`, and it stops once their by-reference values exceed `bytes`
 * bytes.  Returns their number; 0: there are no more.
 */
extern int64 runs_pull(Runs *runs, Rows *rows, int64 limit, Size bytes);

/* Returns the bytes written, merged runs included. */
extern int64 runs_written(const Runs *runs);

/* Closes the files, and frees the runs and all of their memory. */
extern void runs_free(Runs *runs);

#endif /* SCAN_SORT_RUNS_H */
