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
 * A reader of what `child` would give, where that is a sequential scan of a heap whose
 * columns go up as they are; else NULL.  attno[c] is the column of the child's row that
 * column c of the rows is filled from; 0: none.
 */
extern Pages *pages_create(PlanState *child, const AttrNumber *attno, int columns);

/*
 * Appends at most `most` rows, and at least one; 0: there are no more, and it must not be
 * called again before the child was rescanned and pages_rewind called.
 */
extern int64 pages_pull(Pages *pages, Rows *rows, int64 limit);

/* After the child was rescanned. */
extern void pages_rewind(Pages *pages);

#endif /* SCAN_NODE_INPUT_PAGES_H */
