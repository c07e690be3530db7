/*
 * windows.h: lets queries with running windows begin from a kept scan.
 */
#ifndef SCAN_KEPT_WINDOWS_H
#define SCAN_KEPT_WINDOWS_H

#include "nodes/parsenodes.h"

/*
 * Rewrites the windows of a query that shows the last rows of an order, which always pays.  Returns whether it did, and
 * sets *more if there may be other windows to rewrite.  If `more` is NULL, rewrites these.  The new query need not
 * be cheaper, so the caller plans both.
 */
extern bool kept_rewrite_windows(Query *query, bool *more);

#endif /* SCAN_KEPT_WINDOWS_H */
