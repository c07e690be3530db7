/*
 * verdict.c: decides whether PrefixScan is offered for a window, and if not, why.
 *
 * plan.c asks for each WindowAgg that core has planned, and declined.c keeps the answer for EXPLAIN; parallel_paths.c
 * asks, too.  A window is declined if the node cannot evaluate one of its functions or its frame byte for byte, if it
 * would be observable that the node reads ahead, or if core is better at it.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"

#include "column/type.h"
#include "compat.h"
#include "guc.h"
#include "node/error_timing/error_timing.h"
#include "node/plan/planning.h"
#include "node/planned_window.h"

/* Returns REASON_NONE if the node can find the bounds of sliding frames, else why not. */
static WindowReason
frame_verdict(const WindowClause *window)
{
	const Node *start = window->startOffset, *end = window->endOffset;

	if (contain_volatile_functions((Node *) start) || contain_volatile_functions((Node *) end))
		return REASON_VOLATILE;
	if (contain_subplans((Node *) start) || contain_subplans((Node *) end))
		return REASON_SUBSELECT;
	if ((window->frameOptions & FRAMEOPTION_RANGE) &&
		((start != NULL && type_info_of_in_range(window->startInRangeFunc)->range == RANGE_UNKNOWN) ||
		 (end != NULL && type_info_of_in_range(window->endInRangeFunc)->range == RANGE_UNKNOWN)))
		return REASON_RANGE;
	return REASON_NONE;
}

/* The most values that lag() keeps where NULLs are ignored. */
#define MAX_VALUES_KEPT 1000

/*
 * True if the node evaluates a function with IGNORE NULLS: the function looks back from the row, or from the end of a
 * frame that does not slide.  Its values must not raise errors, since core looks at no more of them than it needs.
 */
static bool
nulls_can_be_ignored(const WindowFunctionInfo *info)
{
	if ((info->needs & NEEDS_BOUNDS) || expression_may_error_or_side_effect((const Node *) info->wfunc->args))
		return false;
	if (info->kind == FUNCTION_LAG)
		return info->before <= MAX_VALUES_KEPT;
	return window_function_is_value(info->kind) && info->kind != FUNCTION_LEAD;
}

WindowReason
reason_of_reading_ahead(const QueryLevel *level)
{
	return rows_are_limited(level) ? REASON_MAY_FAIL_LIMIT : REASON_MAY_FAIL;
}

/* Returns the first argument of a function of which something is true, or its FILTER; PART_NONE: there is none. */
static int
part_of_function(const WindowFunc *wfunc, bool (*is_so)(Node *expr))
{
	foreach_ptr (Node, argument, wfunc->args)
		if (is_so(argument))
			return foreach_current_index(argument) + 1;
	return is_so((Node *) wfunc->aggfilter) ? PART_FILTER : PART_NONE;
}

static bool
may_fail(Node *expr)
{
	return expression_may_error_or_side_effect(expr);
}

/* Returns REASON_NONE if the node can evaluate a function of a window, else why not; *part: WindowFault.part. */
static WindowReason
function_verdict(QueryLevel *level, const WindowFunctionInfo *info, int *part)
{
	const WindowFunc  *wfunc = info->wfunc;
	WindowFunctionKind kind = info->kind;

	*part = PART_NONE;
	if (kind == FUNCTION_NONE)
	{
		*part = window_function_unknown_argument(wfunc);
		return REASON_FUNCTION;
	}
	if (!window_function_is_known(wfunc))
		return REASON_UNKNOWN;
	/* core then also raises the error of a function that allows neither clause */
	if ((compat_null_treatment(wfunc) == NULLS_IGNORED && !nulls_can_be_ignored(info)) ||
		(compat_null_treatment(wfunc) == NULLS_RESPECTED && !window_function_is_value(kind)))
		return REASON_NULLS;
	*part = part_of_function(wfunc, contain_volatile_functions);
	if (*part != PART_NONE)
		return REASON_VOLATILE;
	*part = part_of_function(wfunc, contain_subplans);
	if (*part != PART_NONE)
		return REASON_SUBSELECT;
	/* WindowAgg reads as many arguments as its next rows need; a partition beyond memory is read to its end here */
	if ((kind == FUNCTION_AHEAD || kind == FUNCTION_COMPACT || kind == FUNCTION_SPLIT_INDEX) &&
		expression_may_error_or_side_effect((const Node *) wfunc->args) && !rows_are_wanted(level))
	{
		*part = part_of_function(wfunc, may_fail);
		return reason_of_reading_ahead(level);
	}
	return REASON_NONE;
}

List *
window_conditions(const WindowAggPath *window_path)
{
	return window_path->topwindow ? list_concat_copy(window_path->qual, compat_run_condition(window_path)) : NIL;
}

/*
 * True if core stops reading early and saves more than the node can: not if the node sorts and keeps only the top rows.
 */
static bool
core_stops_early(const WindowAggPath *window_path, const List *functions, bool sorts)
{
	return guc_prefixscan != PREFIXSCAN_FORCE && core_stops_reading(window_path) &&
		   (!sorts || top_of_window(functions, window_conditions(window_path)).limit == 0);
}

WindowReason
window_verdict(QueryLevel *level, const WindowAggPath *window_path, List *functions, bool sorts, WindowFault *fault)
{
	const WindowClause *window = window_path->winclause;
	WindowReason		verdict = guc_prefixscan == PREFIXSCAN_OFF					   ? REASON_OFF
								  : functions == NIL								   ? REASON_FUNCTION
								  : !window_is_known(window)						   ? REASON_UNKNOWN
								  : window_forgets_grouping_nulls(level->root, window) ? REASON_GROUPING
																					   : REASON_NONE;

	*fault = (WindowFault){0};
	foreach_ptr (const WindowFunctionInfo, info, functions)
	{
		if (verdict != REASON_NONE)
			break;
		fault->function = info->wfunc;
		verdict = function_verdict(level, info, &fault->part);
	}
	if (verdict == REASON_NONE)
	{
		*fault = (WindowFault){0};
		if (window_frame_is_sliding(window, functions))
			verdict = frame_verdict(window);
		if (verdict == REASON_VOLATILE || verdict == REASON_SUBSELECT)
			fault->part = PART_FRAME;
		if (verdict != REASON_NONE)
			return verdict;
		if (planning_is_nested() && citus_takes_nodes_for_its_own())
			verdict = REASON_STEP;
		else if (!prefix_scan_offsets_fit(functions, window_path->subpath))
			verdict = REASON_MEMORY;
		else if (core_stops_early(window_path, functions, sorts))
			verdict = REASON_STOPS_EARLY;
		else if (read_ahead_of_conditions_is_observable(window_path, functions) ||
				 read_ahead_of_functions_is_observable(level, window_path, functions, &fault->function) ||
				 (!sorts && core_stops_reading(window_path) &&
				  rows_below_may_error_or_side_effect(level, window_path, window_path->subpath)) ||
				 (!sorts && window_frame_is_sliding(window, functions) &&
				  read_ahead_of_frames_is_observable(level, window_path, functions)))
			verdict = reason_of_reading_ahead(level);
	}
	return verdict;
}
