/*
 * function_info.h: asks the catalog whether PrefixScan can evaluate a function of a window, and how.
 *
 * The catalog is asked once for each function of a query level (level.h).  The planner decides by the answer, and the
 * plan stores it.  exec/begin.c reads it from there and compares it with the catalog as it is when the plan starts.
 * evaluate/ chooses by it how the function is evaluated.
 */
#ifndef SCAN_NODE_FUNCTION_INFO_H
#define SCAN_NODE_FUNCTION_INFO_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "node/window_function.h"

/* True if a frame begins with the partition, ends with the row, its last peer or the partition, and excludes no row. */
extern bool frame_is_prefix(int options);

/* Asks the catalog about a function of a window that has these frame options. */
extern WindowFunctionInfo window_function_info(const WindowFunc *wfunc, int frame_options);

/* Returns the number of the argument, from 1, that keeps the node from evaluating a function; 0: something else does.
 */
extern int window_function_unknown_argument(const WindowFunc *wfunc);

/*
 * Tells a function with NEEDS_ANY that its offset is the same at each row, as it turns out when the plan starts.  It
 * then is what it would be with a constant, unless core treats the offset row by row.
 */
extern void window_function_set_offset(WindowFunctionInfo *info, int frame_options, int32 offset);

/* An info as a list of integers, which a plan can store and equal() can compare, and back. */
extern List				 *window_function_info_to_list(const WindowFunctionInfo *info);
extern WindowFunctionInfo window_function_info_from_list(const WindowFunc *wfunc, const List *stored);

/* True if a function returns a value of another row: lag, lead, first_value, last_value, nth_value. */
static inline bool
window_function_is_value(WindowFunctionKind kind)
{
	return kind >= FUNCTION_LAG && kind <= FUNCTION_NTH_VALUE;
}

/* ---- questions about functions outside of a window that is planned ---- */

/* True for a window function (not an aggregate) of ours, including those that are left to WindowAgg. */
extern bool window_function_is_ours(const WindowFunc *wfunc);

/*
 * Returns the parallel safety of a function (pg_proc.proparallel).  scan_fold is as safe as its op, and unsafe if the
 * op is not a constant.
 */
extern char window_function_parallel(const WindowFunc *wfunc);

/*
 * Returns the OIDs of the functions that a window function calls: those of an aggregate, some of which may be
 * InvalidOid, or the op of scan_fold if it is a constant.  The planner's decisions depend on these functions, too.
 */
extern List *window_function_parts(const WindowFunc *wfunc);

/* WindowFunctionInfo.may_error_or_side_effect of a function of any query level. */
extern bool window_function_itself_may_error_or_side_effect(const WindowFunc *wfunc);

#endif /* SCAN_NODE_FUNCTION_INFO_H */
