/*
 * read_ahead.c: tells where reading ahead could change what a user sees.
 *
 * plan.c, verdict.c and path.c ask.  WindowAgg computes only what the current row needs; the node pulls rows and
 * evaluates functions by the block.  The difference is observable only if something computed early raises an error or
 * has a side effect (may_error.c), and core would never have computed it.  Three things are done about it.  Arguments
 * that may fail are computed when their row is about to be emitted (column/late_arguments.c).  Rows below that may fail
 * are pulled one by one, unless all of them will be asked for (early_stop.c).  Windows that neither can save are left
 * to core.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "optimizer/paths.h"

#include "compat.h"
#include "node/error_timing/error_timing.h"
#include "node/planned_window.h"

bool
core_stops_reading(const WindowAggPath *window_path)
{
	return compat_run_condition(window_path) != NIL && window_path->winclause->partitionClause == NIL;
}

/*
 * Core computes the target list of a row before it checks the conditions on the window's results, and computes nothing
 * more of a partition once a row has failed them.  The node checks first and computes everything: where an error or a
 * volatile function could tell the difference, the window is left to core.
 */
bool
read_ahead_of_conditions_is_observable(const WindowAggPath *window_path, List *functions)
{
	bool stops = compat_run_condition(window_path) != NIL;

	if (stops)
	{
		if (window_frame_may_error_or_side_effect(window_path->winclause) &&
			window_frame_is_sliding(window_path->winclause, functions))
			return true;
		foreach_ptr (const WindowFunctionInfo, info, functions)
			if (window_function_may_error_or_side_effect(info))
				return true;
	}
	if (!window_path->topwindow || (!stops && window_path->qual == NIL))
		return false;
	foreach_ptr (Node, expr, window_path->path.pathtarget->exprs)
	{
		if (!IsA(expr, WindowFunc) && expression_may_error_or_side_effect(expr))
			return true;
	}
	return false;
}

/* True if a node above is likely to stop before the last row: at this level, or at one that has it as a subquery. */
static bool
may_stop_early(const PlannerInfo *root)
{
	if (root->tuple_fraction > 0)
		return true;
	for (root = root->parent_root; root != NULL; root = root->parent_root)
	{
		const Query *parse = root->parse;

		if (query_is_plain_aggregate(parse))
			return false; /* the aggregate reads all rows */
		/* if a level is planned after its subqueries, its fraction is not known yet */
		if (root->tuple_fraction > 0 || parse->limitCount != NULL)
			return true;
	}
	return false;
}

/* What is known of the rows of a path: whether one after the first may fail; [1]: the bounds of frames below count. */
typedef struct RowsBelow
{
	LevelAnswer may_error[2];
} RowsBelow;

static bool below_may_error_or_side_effect(QueryLevel *level, const Path *child, bool frames);

/*
 * Rows that are sorted, or groups that are hashed, are all computed before the first one is returned.  Others are
 * computed as they are asked for: their columns, with the window's keys, the windows below, and what the query reads.
 */
static bool
path_may_error_or_side_effect(QueryLevel *level, const Path *child, bool frames)
{
	if (IsA(child, SortPath))
		return false;
	if (row_expressions_may_error_or_side_effect((const Node *) child->pathtarget->exprs))
		return true;
	if (IsA(child, WindowAggPath))
		return (frames && window_frame_may_error_or_side_effect(((const WindowAggPath *) child)->winclause)) ||
			   below_may_error_or_side_effect(level, ((const WindowAggPath *) child)->subpath, frames);
	if (IsA(child, IncrementalSortPath))
		return below_may_error_or_side_effect(level, ((const IncrementalSortPath *) child)->spath.subpath, frames);
	if (IsA(child, AggPath) && ((const AggPath *) child)->aggstrategy == AGG_HASHED)
		return row_expressions_may_error_or_side_effect((const Node *) ((const AggPath *) child)->qual);
	return query_level_may_error_or_side_effect(level, frames);
}

/*
 * True if a path may raise an error or have a side effect after its first row.  `frames`: the bounds of frames below
 * count, too.  Each window asks about all paths below it, so the answer is remembered for each path.
 */
static bool
below_may_error_or_side_effect(QueryLevel *level, const Path *child, bool frames)
{
	RowsBelow *below;

	if (level->below == NULL)
		level->below = pointer_map_create(level->root->planner_cxt);
	below = (RowsBelow *) pointer_map_get(level->below, child);
	if (below == NULL)
	{
		below = (RowsBelow *) palloc0(sizeof(RowsBelow));
		pointer_map_set(level->below, child, below);
	}
	if (below->may_error[frames] == ANSWER_NOT_ASKED)
	{
		check_stack_depth();
		CHECK_FOR_INTERRUPTS();
		below->may_error[frames] = path_may_error_or_side_effect(level, child, frames) ? ANSWER_YES : ANSWER_NO;
	}
	return below->may_error[frames] == ANSWER_YES;
}

/*
 * RANGE frames over timestamps below the window are common, but fail only for values at the ends of the type.  So they
 * decide between plans only if core may not ask for all rows.
 */
bool
rows_below_may_error_or_side_effect(QueryLevel *level, const WindowAggPath *window_path, const Path *child)
{
	return below_may_error_or_side_effect(level, child, core_stops_reading(window_path) || !rows_are_wanted(level));
}

/* Where core reads all rows in any case, an error comes up in any case. */
bool
read_ahead_of_rows_is_observable(QueryLevel *level, const WindowAggPath *window_path, const Path *child)
{
	return rows_below_may_error_or_side_effect(level, window_path, child) &&
		   (core_stops_reading(window_path) || rows_wanted(level) != ROWS_WANTED_ALL ||
			query_level_may_have_side_effect(level));
}

/*
 * True if the node reads as far as WindowAgg does for a row of a sliding frame, where it reads row by row.  For an
 * aggregate, WindowAgg reads up to the first row after the frame.  For another function it may need the frame's start
 * alone, but where it keeps a position in the rows for the end of the frame, or of the peer group that EXCLUDE takes
 * out, it moves that on at each row.  It has such a position if peers matter, and there are some.  first_value() looks
 * at the row behind an excluded one, which the node does not read for it.
 */
static bool
frame_is_read_as_by_core(const WindowClause *window, const List *functions)
{
	int	 options = window->frameOptions;
	bool has_end = options & (FRAMEOPTION_END_CURRENT_ROW | FRAMEOPTION_END_OFFSET_PRECEDING);

	if ((options & (FRAMEOPTION_EXCLUDE_GROUP | FRAMEOPTION_EXCLUDE_TIES)) && window->orderClause == NIL)
		return false;
	if (!(options & FRAMEOPTION_ROWS))
		has_end = !(options & FRAMEOPTION_END_UNBOUNDED_FOLLOWING) && window->orderClause != NIL;
	foreach_ptr (const WindowFunctionInfo, info, functions)
	{
		WindowFunctionKind kind = info->kind;

		if (kind == FUNCTION_FIRST_VALUE && (options & FRAMEOPTION_EXCLUDE_CURRENT_ROW))
			return false;
		has_end = has_end || kind == FUNCTION_AGGREGATE;
	}
	return has_end;
}

/*
 * To read row by row is slow where frames are long, so it is left to WindowAgg unless it is unlikely: the plan asks for
 * all rows, and only the executor's caller may stop earlier.
 */
bool
read_ahead_of_frames_is_observable(QueryLevel *level, const WindowAggPath *window_path, List *functions)
{
	return read_ahead_of_rows_is_observable(level, window_path, window_path->subpath) &&
		   (core_stops_reading(window_path) || !rows_are_wanted(level) ||
			!frame_is_read_as_by_core(window_path->winclause, functions));
}

bool
rows_below_need_care(QueryLevel *level, const Path *child)
{
	return below_may_error_or_side_effect(level, child, true);
}

/*
 * lead() has its row read before core asks for it, and lag() its partition if its offset is no constant.  Of the frame
 * of nth_value(), core reads only the n-th row or, with IGNORE NULLS, no further than the n-th value; first_value()
 * with IGNORE NULLS is the same.  scan_compact() in WindowAgg reads no further than the next values that are kept,
 * scan_nocb() and scan_interpolate() no further than the next value.
 */
static bool
reads_further_than_core(const WindowFunctionInfo *info)
{
	WindowFunctionKind kind = info->kind;

	return (info->needs & NEEDS_ANY) || kind == FUNCTION_LEAD || kind == FUNCTION_NTH_VALUE || kind == FUNCTION_AHEAD ||
		   kind == FUNCTION_COMPACT ||
		   (kind == FUNCTION_FIRST_VALUE && compat_null_treatment(info->wfunc) == NULLS_IGNORED);
}

bool
read_ahead_of_functions_is_observable(QueryLevel *level, const WindowAggPath *window_path, List *functions,
									  const WindowFunc **function)
{
	foreach_ptr (const WindowFunctionInfo, info, functions)
	{
		if (!reads_further_than_core(info))
			continue;
		if (!read_ahead_of_rows_is_observable(level, window_path, window_path->subpath))
			return false;
		*function = info->wfunc;
		return true;
	}
	return false;
}

bool
read_ahead_of_order_is_observable(const PlannerInfo *root, const List *paths)
{
	const Path *first = (const Path *) linitial(paths);
	bool		differ = false;

	foreach_ptr (const Path, path, paths)
		differ = differ || compare_pathkeys(first->pathkeys, path->pathkeys) != PATHKEYS_EQUAL;
	if (!differ || !may_stop_early(root))
		return false;
	return row_expressions_may_error_or_side_effect((const Node *) first->pathtarget->exprs);
}
