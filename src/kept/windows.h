/*
 * windows.h: lets queries with running windows begin from a kept scan.
 */
#ifndef SCAN_KEPT_WINDOWS_H
#define SCAN_KEPT_WINDOWS_H

#include "nodes/parsenodes.h"

/*
 * Rewrites the windows of a query that shows the last rows of an order, which always pays.  Returns whether it did; and
 * in *more whether kept_rewrite_windows() may find other windows to rewrite.
 */
extern bool kept_rewrite_last(Query *query, bool *more);

/*
 * Rewrites the other windows of a query.  Returns whether there were any.  The new query need not be cheaper, so the
 * caller plans both.
 */
extern bool kept_rewrite_windows(Query *query);

#endif /* SCAN_KEPT_WINDOWS_H */
