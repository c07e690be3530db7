/*
 * error_timing.h: what the planner asks of this folder: may rows be read ahead without a user noticing (README.md)?
 *
 * early_stop.c is what a running node asks.
 */
#ifndef SCAN_NODE_ERROR_TIMING_ERROR_TIMING_H
#define SCAN_NODE_ERROR_TIMING_ERROR_TIMING_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"

#include "node/level.h"
#include "node/window_function.h"

/* ---- read_ahead.c: where reading ahead could change what a user sees ---- */

/* True if core stops reading at the first row that fails a condition, since all rows are one partition. */
extern bool core_stops_reading(const WindowAggPath *window_path);

/*
 * True if the conditions on a window's results keep core from computing something that may raise an error or have a
 * side effect; `functions`: the WindowFunctionInfo of each of the window's functions.
 */
extern bool read_ahead_of_conditions_is_observable(const WindowAggPath *window_path, List *functions);

/* True if a path below a window may raise an error or have a side effect after it has returned its first row. */
extern bool rows_below_may_error_or_side_effect(QueryLevel *level, const WindowAggPath *window_path, const Path *child);

/* True if a user could notice that the rows of a path below a window are read earlier than core would read them. */
extern bool read_ahead_of_rows_is_observable(QueryLevel *level, const WindowAggPath *window_path, const Path *child);

/* The same for a window whose frame slides; `functions`: the WindowFunctionInfo of each of its functions. */
extern bool read_ahead_of_frames_is_observable(QueryLevel *level, const WindowAggPath *window_path, List *functions);

/* The same for a plan that may be asked for fewer rows than it was made for: its rows are then read one by one. */
extern bool rows_below_need_care(QueryLevel *level, const Path *child);

/*
 * True if the node must read further ahead than core before it can emit a row, and the rows that it reads may raise an
 * error or have a side effect.  *function: the first one that reads ahead, only then.
 */
extern bool read_ahead_of_functions_is_observable(QueryLevel *level, const WindowAggPath *window_path, List *functions,
												  const WindowFunc **function);

/*
 * True if a plan that reads its rows in another order than core's could change what a user sees: the query stops early,
 * the rows that the windows emit may raise an error, and `paths`, core's for the top window, are of several orders.
 */
extern bool read_ahead_of_order_is_observable(const PlannerInfo *root, const List *paths);

/* ---- early_stop.c: tells whether all rows of a query level are certainly asked for ---- */

/* Returns how many of a level's rows are asked for. */
extern RowsWanted rows_wanted(QueryLevel *level);

/*
 * True if whatever asks for one row of a level's windows asks for all of them, unless the executor's caller stops
 * early, which only the executor can tell (early_stop.c).
 */
extern bool rows_are_wanted(QueryLevel *level);

/* True if a LIMIT of the level, or above it, may cut off rows. */
extern bool rows_are_limited(const QueryLevel *level);

/* ---- may_error.c: tells which expressions may raise an error or have a side effect ---- */

/*
 * True if evaluating an argument or a FILTER over a row of the child may raise an error or have a side effect.  Then it
 * must not be evaluated for a row for which core would not evaluate it.  Columns, constants, and aggregates and windows
 * that are computed below cannot fail.
 */
extern bool expression_may_error_or_side_effect(const Node *expr);

/*
 * True if evaluating such an expression may have a side effect.  If not, an error is all that can come of it, and
 * whoever evaluates it for a row for which core would not can catch the error.
 */
extern bool expression_may_side_effect(const Node *expr);

/* True if a window function may raise an error or have a side effect: the function itself, its arguments and its
 * FILTER. */
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

/*
 * Returns the subquery that a parameter has the result of, which is computed once; NULL: the parameter has another
 * value.
 */
extern const SubPlan *subquery_of_param(const PlannerInfo *root, const Param *param);

/*
 * True if some expression of a query level reads the result of such a subquery, and computing it may raise an error or
 * have a side effect.  A Gather computes it even if no row reads it, so the expression must stay above.  A comparison
 * that certainly reads the result at the first row does not count.
 */
extern bool query_level_reads_failing_subquery(PlannerInfo *root);

/* ---- early_stop.c: finds how many of a node's rows will be asked for ---- */

typedef enum NodeDemand
{
	DEMAND_UNKNOWN = 0, /* any number of rows: the next one may never be asked for */
	DEMAND_ALL_OR_ONE,	/* all rows, once a second row has been asked for */
	DEMAND_ALL,			/* all rows, once the first row has been asked for */
} NodeDemand;

/* Returns what the nodes above `plan` in the running plan ask of it, if ExecutorRun's caller asks for all rows. */
extern NodeDemand demand_in_plan(const EState *estate, const Plan *plan);

/* True if the caller of the innermost ExecutorRun asks for all rows; may change from one call to the next. */
extern bool demand_by_caller_is_all(void);

extern void demand_init(void);

#endif /* SCAN_NODE_ERROR_TIMING_ERROR_TIMING_H */
