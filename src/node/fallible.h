/*
 * fallible.h: which expressions may raise an error, or do something that shows.
 */
#ifndef SCAN_NODE_FALLIBLE_H
#define SCAN_NODE_FALLIBLE_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * Whether evaluating an argument or a FILTER over a row of the child may fail or show:
 * it must not be evaluated for a row that core would not evaluate it for.  Columns,
 * constants, and aggregates and windows that are computed below cannot.
 */
extern bool expression_may_error_or_side_effect(const Node *expr);

/* The same of a function of a window: itself, its arguments and its FILTER. */
extern bool window_function_may_error_or_side_effect(const WindowFunc *wfunc);

/* The same of expressions that the rows below are computed with: their aggregates and window functions count. */
extern bool row_expressions_may_error_or_side_effect(const Node *exprs);

/*
 * Whether computing a row of a level of the query may fail or show: its FROM and WHERE clauses,
 * its groups, and the subqueries that it reads, with the frames of their windows if `frames`.
 */
extern bool query_level_may_error_or_side_effect(const PlannerInfo *root, bool frames);

#endif /* SCAN_NODE_FALLIBLE_H */
