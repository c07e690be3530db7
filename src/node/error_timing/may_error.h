/*
 * may_error.h: tells which expressions may raise an error or have a side effect.
 */
#ifndef SCAN_NODE_ERROR_TIMING_MAY_ERROR_H
#define SCAN_NODE_ERROR_TIMING_MAY_ERROR_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "node/function_info.h"
#include "node/level.h"

/*
 * True if evaluating an argument or a FILTER over a row of the child may raise an error or have a side effect.  Then
 * it must not be evaluated for a row for which core would not evaluate it.  Columns, constants, and aggregates and
 * windows that are computed below cannot fail.
 */
extern bool expression_may_error_or_side_effect(const Node *expr);

/* The same for a window function: the function itself, its arguments and its FILTER. */
extern bool window_function_may_error_or_side_effect(const WindowFunctionInfo *info);

/*
 * The same for expressions with which the rows below are computed: their aggregates and window functions count, too.
 */
extern bool row_expressions_may_error_or_side_effect(const Node *exprs);

/*
 * True if a bound of a RANGE frame may raise an error at some row: a timestamp out of range, or a negative offset,
 * which core's in_range functions check at the first row that is not NULL.
 */
extern bool window_frame_may_error_or_side_effect(const WindowClause *window);

/*
 * True if computing a row of a query level may raise an error or have a side effect.  This covers its FROM and WHERE
 * clauses, its groups, the subqueries that it reads, and, if `frames`, the frames of these subqueries' windows.
 */
extern bool query_level_may_error_or_side_effect(QueryLevel *level, bool frames);

/*
 * True if computing the rows of a query level may have a side effect: whoever computes all of them may do so earlier
 * than core where an error is all that can come of it.
 */
extern bool query_level_may_have_side_effect(QueryLevel *level);

#endif /* SCAN_NODE_ERROR_TIMING_MAY_ERROR_H */
