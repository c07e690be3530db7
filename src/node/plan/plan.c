/*
 * plan.c: offers PrefixScan to the planner wherever a WindowAgg stands.
 *
 * Core calls the hook of the window step when it has built its WindowAgg paths.  Each is a
 * chain with the last window on top, and with a Sort below a window whose order the rows do
 * not have yet.  For each chain a path with our node is built: the rows of the windows and
 * their order are the same, but the node does the sorting.  Windows that the node cannot
 * evaluate byte for byte stay WindowAggs, one by one.
 */
#include "postgres.h"

#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"

#include "compat.h"
#include "guc.h"
#include "node/error_timing/read_ahead.h"
#include "node/plan/declined.h"
#include "node/plan/level.h"
#include "node/plan/parallel_blocker.h"
#include "node/plan/path.h"
#include "node/plan/plan.h"
#include "node/plan/planning.h"
#include "node/planned_window.h"

static create_upper_paths_hook_type previous_hook;

/* ---- paths ---- */

/* Returns a copy of a path of core's over another child, with the costs that follow. */
static Path *
put_over(const Path *path, Path *child)
{
	Size		size = IsA(path, WindowAggPath)			? sizeof(WindowAggPath)
					   : IsA(path, IncrementalSortPath) ? sizeof(IncrementalSortPath)
														: sizeof(SortPath);
	bool		stores = IsA(path, SortPath);
	Path	   *copy = (Path *) memcpy(palloc(size), path, size);
	Path	  **subpath = IsA(path, WindowAggPath) ? &((WindowAggPath *) copy)->subpath : &((SortPath *) copy)->subpath;
	const Path *before = *subpath;

	*subpath = child;
	copy->startup_cost += stores ? child->total_cost - before->total_cost : child->startup_cost - before->startup_cost;
	copy->total_cost += child->total_cost - before->total_cost;
	compat_disabled_nodes(copy, before, child);
	return copy;
}

/*
 * Returns what the functions of a window's path are: a list of WindowFunctionInfo.  If scan.prefixscan is off, nobody
 * has to know.
 */
static List *
functions_of(QueryLevel *level, const WindowAggPath *window_path)
{
	if (guc_prefixscan == PREFIXSCAN_OFF)
		return NIL;
	return level_functions(level, window_path->path.pathtarget->exprs, window_path->winclause->winref);
}

/*
 * Returns the path of a window and of those below it, with the node wherever it can be; the path itself if it can be
 * nowhere.  `declined`: it can be nowhere, since reading in another order is observable (error_timing/read_ahead.h).
 */
static Path *
window_chain(QueryLevel *level, const RelOptInfo *output_rel, WindowAggPath *window_path, bool declined)
{
	List			 *functions = functions_of(level, window_path);
	const WindowFunc *about;
	Path			 *sort;
	Path			 *below = below_window(output_rel, window_path, &sort);
	Path			 *lower = below;
	bool			  sorts = sort != NULL && IsA(sort, SortPath);
	WindowReason	  verdict = window_verdict(level->root, window_path, functions, sorts, &about);

	if (declined && verdict == REASON_NONE)
		verdict = REASON_MAY_FAIL;
	declined_note(window_path, verdict, about);
	if (path_is_window(output_rel, below))
		lower = window_chain(level, output_rel, (WindowAggPath *) below, declined);

	if (verdict == REASON_NONE && sorts)
		return prefix_scan_path(level->root, window_path, functions, lower, true);
	if (lower != below && sort != NULL)
		lower = put_over(sort, lower);
	else if (sort != NULL)
		lower = sort;
	if (verdict == REASON_NONE)
		return prefix_scan_path(level->root, window_path, functions, lower, false);
	return lower == window_path->subpath ? &window_path->path : put_over(&window_path->path, lower);
}

/*
 * Like window_chain() for a path in which core reads its rows in order, by an index for example, which it prefers to
 * its sort: our sort may be cheaper, over the cheapest input.  Returns NULL if core sorts or reads the cheapest input
 * already, or if some window has to stay core's.
 */
static Path *
sorting_chain(QueryLevel *level, const RelOptInfo *output_rel, WindowAggPath *window_path, Path *cheapest)
{
	List			 *functions = functions_of(level, window_path);
	const WindowFunc *about;
	Path			 *sort;
	Path			 *below = below_window(output_rel, window_path, &sort);
	List			 *keys = window_pathkeys(level->root, window_path->winclause);
	Path			 *lower = cheapest;
	bool			  sorts;

	if (window_verdict(level->root, window_path, functions, false, &about) != REASON_NONE ||
		(sort != NULL && !IsA(sort, SortPath)))
		return NULL;
	if (path_is_window(output_rel, below))
		lower = sorting_chain(level, output_rel, (WindowAggPath *) below, cheapest);
	else if (sort != NULL || below == cheapest)
		return NULL;
	if (lower == NULL)
		return NULL;
	sorts = !pathkeys_contained_in(keys, lower->pathkeys);
	return prefix_scan_path(level->root, window_path, functions, lower, sorts);
}

/* Returns the path that core would take without us, as far as can be told at this step. */
static const Path *
choice_of_core(const PlannerInfo *root, const List *paths)
{
	const Path *best = NULL;
	ListCell   *cell;

	foreach (cell, paths)
	{
		Path  *path = (Path *) lfirst(cell);
		double fraction = root->tuple_fraction;

		if (fraction >= 1)
			fraction /= Max(path->rows, 1);
		if (best == NULL || compare_fractional_path_costs(path, (Path *) best, fraction) < 0)
			best = path;
	}
	return best;
}

/* True if the windows of a path read rows one by one that may raise an error or have a side effect. */
static bool
reads_with_care(const PlannerInfo *root, const Path *path)
{
	const WindowAggPath *window_path = (const WindowAggPath *) path;

	return IsA(path, WindowAggPath) && rows_below_may_error_or_side_effect(root, window_path, window_path->subpath);
}

/*
 * Returns the node's paths that replace core's; adds core's to *replaced.  `careful`: core would read rows that may
 * raise an error as they are asked for.  Then only paths that do so, too, are returned: a sort reads all rows.
 */
static List *
replacements(QueryLevel *level, RelOptInfo *input_rel, RelOptInfo *output_rel, bool careful, bool declined,
			 List **replaced)
{
	List	 *ours = NIL;
	ListCell *cell;

	foreach (cell, output_rel->pathlist)
	{
		Path *core = (Path *) lfirst(cell);
		Path *path;

		if (!IsA(core, WindowAggPath))
			continue;
		path = window_chain(level, output_rel, (WindowAggPath *) core, declined);
		if (path == core)
			continue;
		*replaced = lappend(*replaced, core);
		if (!careful || reads_with_care(level->root, core))
			ours = lappend(ours, path);
		if (careful)
			continue;
		path = sorting_chain(level, output_rel, (WindowAggPath *) core, input_rel->cheapest_total_path);
		if (path != NULL)
			ours = lappend(ours, path);
	}
	return ours;
}

static void
prefix_scan_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel, RelOptInfo *output_rel,
				  void *extra)
{
	QueryLevel level = {root, NIL};
	List	  *ours, *replaced = NIL;
	Path	  *partial = NULL, *skip;
	double	   rows;
	bool	   careful, declined;
	ListCell  *cell;

	if (previous_hook)
		previous_hook(root, stage, input_rel, output_rel, extra);
	if (stage == UPPERREL_DISTINCT)
		add_distinct_paths(root, input_rel, output_rel);
	if (stage != UPPERREL_WINDOW || output_rel->pathlist == NIL)
		return;
	plan_depends(root);
	plan_warn_of_frames(root);

	/* add_path() frees dominated paths, maybe some that have not been read yet, so nothing is added before this */
	careful = reads_with_care(root, choice_of_core(root, output_rel->pathlist));
	declined = read_ahead_of_order_is_observable(root, output_rel);
	ours = replacements(&level, input_rel, output_rel, careful, declined, &replaced);
	skip = index_skip_window_path(&level, input_rel, output_rel);
	if (!careful && !declined)
		partial = parallel_path(&level, input_rel, output_rel, &rows);
	if (guc_prefixscan == PREFIXSCAN_FORCE)
		output_rel->pathlist = list_difference_ptr(output_rel->pathlist, replaced);
	foreach (cell, ours)
		add_path(output_rel, (Path *) lfirst(cell));
	if (partial != NULL)
		parallel_add(root, output_rel, partial, rows);
	if (skip != NULL)
		add_index_skip_path(output_rel, skip);
}

void
plan_init(void)
{
	declined_init();
	explain_declined_init();
	parallel_blocker_init();
	previous_hook = create_upper_paths_hook;
	create_upper_paths_hook = prefix_scan_paths;
}
