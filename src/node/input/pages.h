/*
 * pages.h: reads the rows of a table a page at a time, without the executor in between.
 */
#ifndef SCAN_NODE_INPUT_PAGES_H
#define SCAN_NODE_INPUT_PAGES_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "column/rows.h"
#include "node/input/origin.h"

typedef struct Pages Pages;

/*
 * Returns a reader of the rows of `child`, in the current context, or NULL if `child` is no sequential scan and no
 * index scan of a heap.  `origin`: where the columns of the rows come from, seen from `child`.
 */
extern Pages *pages_create(PlanState *child, const Origin *origin, int columns);

/*
 * Appends at least one and at most `limit` rows; returns their number.  0: there are no more rows, and it must not be
 * called again before the child has been rescanned and pages_rewind() called.  The caller rescans a child whose
 * parameters have changed.
 */
extern int64 pages_pull(Pages *pages, Rows *rows, int64 limit);

/*
 * Keys first: for a caller that wants few rows, and knows which once it has seen some columns, the keys.
 *
 * pages_may_look: true if the functions below may be called; is_key[c] says if column c of the rows is a key, and must
 * live as long as the reader.
 *
 * pages_look: appends at most `limit` rows, but fills in their keys only; returns their number.  0: as for
 * pages_pull().  -1: the next rows must be asked for by pages_pull().
 *
 * pages_take: appends those rows of the last pages_look() whose numbers, counted from 0, are in which[], with all
 * columns.  The same number may not occur twice.
 *
 * pages_ahead: fetches the rows of the next pages_look() into the processor's cache meanwhile, if the page has no more.
 */
extern bool	 pages_may_look(Pages *pages, const bool *is_key);
extern int64 pages_look(Pages *pages, Rows *rows, int64 limit);
extern void	 pages_take(Pages *pages, Rows *rows, const uint32 *which, int64 n);
extern void	 pages_ahead(Pages *pages);

/* Called after the child has been rescanned. */
extern void pages_rewind(Pages *pages);

#endif /* SCAN_NODE_INPUT_PAGES_H */
