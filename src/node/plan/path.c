/*
 * path.c: builds a path of PrefixScan in place of one of core's.
 *
 * plan.c and parallel_paths.c build their chains of such paths.
 */
#include "postgres.h"

#include "optimizer/paths.h"

#include "node/error_timing/read_ahead.h"
#include "node/plan/path.h"
#include "node/plan/planning.h"
#include "node/planned_window.h"

List *
window_pathkeys(PlannerInfo *root, const WindowClause *window)
{
	return make_pathkeys_for_sortclauses(root, list_concat_copy(window->partitionClause, window->orderClause),
										 root->processed_tlist);
}

/*
 * Sets the startup cost of a path so that it is at least that of core's path, if rows below may raise an error.  The
 * reason is that a hash join reads the input with the lower startup cost first, and does not read the other input if
 * the first one is empty.  With a lower startup cost, our path could be read, and raise an error, where core's is not.
 */
static void
start_as_core(QueryLevel *level, const WindowAggPath *window_path, const Path *child, Path *path)
{
	if (rows_below_may_error_or_side_effect(level, window_path, child))
	{
		path->startup_cost = Max(path->startup_cost, window_path->path.startup_cost);
		path->total_cost = Max(path->total_cost, path->startup_cost);
	}
}

/* Returns the pathkeys of a window's rows: those of core's sort, if it has one. */
static List *
keys_of_sort(PlannerInfo *root, const WindowAggPath *window_path)
{
	const Path *below = window_path->subpath;

	if (below->parent == window_path->path.parent && (IsA(below, SortPath) || IsA(below, IncrementalSortPath)))
		return below->pathkeys;
	return window_pathkeys(root, window_path->winclause);
}

Path *
prefix_scan_path(QueryLevel *level, const WindowAggPath *window_path, List *functions, Path *child, bool sorts)
{
	PlannerInfo	   *root = level->root;
	PrefixScanPath *ours = (PrefixScanPath *) newNode(sizeof(PrefixScanPath), T_CustomPath);
	CustomPath	   *custom = &ours->custom;

	custom->path.pathtype = T_CustomScan;
	custom->path.parent = window_path->path.parent;
	custom->path.pathtarget = window_path->path.pathtarget;
	custom->path.pathkeys = sorts ? keys_of_sort(root, window_path) : child->pathkeys;
	custom->path.parallel_safe = window_path->path.parallel_safe;
	custom->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	custom->custom_paths = list_make1(child);
	custom->methods = &prefix_scan_path_methods;
	ours->level = level;
	ours->window = window_path->winclause;
	ours->functions = functions;
	ours->conditions = window_conditions(window_path);
	ours->sorts = sorts;
	ours->may_error = !sorts && rows_below_need_care(level, window_path->subpath);
	prefix_scan_cost(root, &custom->path, window_path->winclause, functions, child, sorts);
	if (sorts)
		start_as_core(level, window_path, child, &custom->path);
	return &custom->path;
}

Path *
below_window(const RelOptInfo *output_rel, const WindowAggPath *window_path, Path **sort)
{
	Path *below = window_path->subpath;

	*sort = NULL;
	if ((IsA(below, SortPath) || IsA(below, IncrementalSortPath)) && below->parent == output_rel)
	{
		*sort = below;
		below = ((SortPath *) below)->subpath;
	}
	return below;
}

bool
path_is_window(const RelOptInfo *output_rel, const Path *path)
{
	return IsA(path, WindowAggPath) && path->parent == output_rel;
}
