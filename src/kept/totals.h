/*
 * totals.h: lets aggregate queries without a window read a kept scan.
 */
#ifndef SCAN_KEPT_TOTALS_H
#define SCAN_KEPT_TOTALS_H

#include "nodes/params.h"
#include "nodes/parsenodes.h"

/*
 * Rewrites the levels of a query that a kept scan answers.  Returns whether there were any.  Where is_range is not
 * NULL, the highest level is left as it is if it has bounds whose values are known, and *is_range is set: the range
 * between them may have so few rows that reading the table is faster.
 */
extern bool kept_rewrite_totals(Query *query, ParamListInfo parameters, bool *is_range);

#endif /* SCAN_KEPT_TOTALS_H */
