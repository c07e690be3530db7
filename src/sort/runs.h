/*
 * runs.h: sorted rows on disk, and the way back to one order.
 *
 * Fed by the plan node (node/sorted.c) with as many rows at a time as it may hold: each
 * batch, sorted in memory by key.c, becomes a run in a temporary file.  Merged they come
 * back as one stream.  Rows that are equal in all keys keep the order in which they were
 * written.
 */
#ifndef SCAN_SORT_RUNS_H
#define SCAN_SORT_RUNS_H

#include "postgres.h"

#include "sort/compare.h"

typedef struct Runs Runs;

/*
 * No runs yet, of rows with such columns (of which constant ones are not written), to be
 * merged by the caller's keys, within `budget` bytes as far as that can be.  All else is in a context of its own
 * under `parent`; the files belong to the current resource owner, which removes them after
 * an error.
 */
extern Runs *runs_create(MemoryContext parent, const RowColumn *column, int columns, SortSupport key, int keys,
						 Size budget);

/* One more run: n of the rows, in that order.  It comes behind those before it where keys are equal. */
extern void runs_write(Runs *runs, const Rows *rows, const uint32 *order, int64 n);

/* Appends the next rows, at most `most`, or so many as have `bytes` beside their Datums; 0: there are none. */
extern int64 runs_pull(Runs *runs, Rows *rows, int64 limit, Size bytes);

/* What was written, in bytes. */
extern int64 runs_written(const Runs *runs);

/* Closes the files and gives everything back. */
extern void runs_free(Runs *runs);

#endif /* SCAN_SORT_RUNS_H */
