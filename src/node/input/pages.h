/*
 * pages.h: reads the rows of a table a page at a time, without the executor in between.
 */
#ifndef SCAN_NODE_INPUT_PAGES_H
#define SCAN_NODE_INPUT_PAGES_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "column/rows.h"

typedef struct Pages Pages;

/*
 * Returns a reader of the rows of `child`, in the current context, or NULL if `child` is not a sequential scan of a
 * heap that returns the table's columns as they are.  attno[c] is the column of the child's row that column c of the
 * rows is filled from; 0: the column is not filled here.
 */
extern Pages *pages_create(PlanState *child, const AttrNumber *attno, int columns);

/*
 * Appends at least one and at most `limit` rows; returns their number.  0: there are no more rows, and it must not be
 * called again before the child has been rescanned and pages_rewind() called.
 */
extern int64 pages_pull(Pages *pages, Rows *rows, int64 limit);

/* Called after the child has been rescanned. */
extern void pages_rewind(Pages *pages);

#endif /* SCAN_NODE_INPUT_PAGES_H */
