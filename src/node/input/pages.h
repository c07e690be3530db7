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

/* Called after the child has been rescanned. */
extern void pages_rewind(Pages *pages);

#endif /* SCAN_NODE_INPUT_PAGES_H */
