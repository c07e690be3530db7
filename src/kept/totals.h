/*
 * totals.h: lets aggregate queries without a window read a kept scan.
 */
#ifndef SCAN_KEPT_TOTALS_H
#define SCAN_KEPT_TOTALS_H

#include "nodes/parsenodes.h"

/* Rewrites the levels of a query that a kept scan answers.  Returns whether there were any. */
extern bool kept_rewrite_totals(Query *query);

#endif /* SCAN_KEPT_TOTALS_H */
