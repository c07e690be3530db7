/*
 * path.c: builds a path of PrefixScan in place of one of core's.
 *
 * plan.c and parallel_paths.c build their chains of such paths.
 */
#include "postgres.h"

#include "optimizer/pathnode.h"
#include "optimizer/paths.h"

#include "compat.h"
#include "guc.h"
#include "node/error_timing/error_timing.h"
#include "node/plan/planning.h"
#include "node/planned_window.h"
#include "node/skip/skip.h"

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
	Path *sort;

	(void) below_window(window_path->path.parent, window_path, &sort);
	return sort != NULL ? sort->pathkeys : window_pathkeys(root, window_path->winclause);
}

Path *
prefix_scan_path(QueryLevel *level, const WindowAggPath *window_path, List *functions, Path *child, bool sorts,
				 int presorted)
{
	PlannerInfo	   *root = level->root;
	PrefixScanPath *ours = (PrefixScanPath *) palloc(sizeof(PrefixScanPath));
	Path		   *path = &ours->custom.path;

	*ours = (PrefixScanPath){.custom = {.path = {.type = T_CustomPath,
												 .pathtype = T_CustomScan,
												 .parent = window_path->path.parent,
												 .pathtarget = window_path->path.pathtarget,
												 .pathkeys = sorts ? keys_of_sort(root, window_path) : child->pathkeys,
												 .parallel_safe = window_path->path.parallel_safe},
										.flags = CUSTOMPATH_SUPPORT_PROJECTION,
										.custom_paths = list_make1(child),
										.methods = &prefix_scan_path_methods},
							 .level = level,
							 .window = window_path->winclause,
							 .functions = functions,
							 .conditions = window_conditions(window_path),
							 .sorts = sorts,
							 .presorted = presorted,
							 .may_error = !sorts && rows_below_need_care(level, window_path->subpath)};
	prefix_scan_cost(root, ours, child);
	if (presorted > 0)
		prefix_scan_scattered_cost(root, path, child, window_path->path.total_cost);
	if (sorts)
		start_as_core(level, window_path, child, path);
	return path;
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

/*
 * Offers windows of which only the first rows of each partition are wanted, over an index that finds them (node/skip/).
 *
 * plan.c calls it beside its other paths.  PrefixScan evaluates the functions and the conditions as it always does;
 * IndexSkip, below it, returns the rows that can meet the conditions and no others.  The query level must have one
 * window: a window below would need all rows.
 */

/* Returns a path of core's in which the level's only window has conditions; NULL if there is none. */
static WindowAggPath *
only_window(const RelOptInfo *output_rel)
{
	foreach_ptr (WindowAggPath, window_path, output_rel->pathlist)
	{
		Path *sort;

		if (!path_is_window(output_rel, &window_path->path))
			continue;
		if (window_conditions(window_path) == NIL ||
			path_is_window(output_rel, below_window(output_rel, window_path, &sort)))
			return NULL;
		return window_path;
	}
	return NULL;
}

/*
 * Returns a path of the window in several processes, over a partial path that finds the first rows; NULL if the window
 * cannot run so.  Each process has whole partitions, in the order of the window.
 */
static Path *
divided_window_path(QueryLevel *level, const RelOptInfo *input_rel, const WindowAggPath *window_path, List *functions,
					Path *skip)
{
	PlannerInfo		   *root = level->root;
	const WindowClause *window = window_path->winclause;
	ParallelSubject subject = {window, functions, window_path->path.pathtarget->exprs, window_conditions(window_path)};
	PrefixScanPath *path;
	bool			range_partitioned;

	if (skip == NULL || parallel_blocker_of_rows(level, input_rel) != REASON_NONE ||
		parallel_blocker_of_window(level, &subject, skip, &range_partitioned) != REASON_NONE)
		return NULL;
	path = (PrefixScanPath *) prefix_scan_path(level, window_path, functions, skip, false, 0);
	path->custom.path.parallel_safe = true;
	path->custom.path.parallel_workers = skip->parallel_workers;
	path->whole.by = make_pathkeys_for_sortclauses(root, window->partitionClause, root->processed_tlist);
	path->whole.order = window_pathkeys(root, window);
	return &path->custom.path;
}

SkipPaths
index_skip_window_paths(QueryLevel *level, RelOptInfo *input_rel, RelOptInfo *output_rel, const List *ours)
{
	WindowAggPath	   *window_path = only_window(output_rel);
	const WindowClause *window;
	WindowFault			fault;
	List			   *functions;
	SkipRequest			request;
	SkipPaths			skip = {0};

	if (window_path == NULL || guc_index_skip == INDEX_SKIP_OFF || guc_prefixscan == PREFIXSCAN_OFF)
		return skip;
	window = window_path->winclause;
	functions = level_functions(level, window_path->path.pathtarget->exprs, window->winref);
	request = (SkipRequest){.clauses = list_concat_copy(window->partitionClause, window->orderClause),
							.groups = list_length(window->partitionClause),
							.top = top_of_window(functions, window_conditions(window_path)),
							.anew = window_path->subpath,
							.other = window_path->path.total_cost,
							.rivals = list_concat_copy(output_rel->pathlist, ours)};
	if (request.top.limit == 0 || window_verdict(level, window_path, functions, false, &fault) != REASON_NONE)
		return skip;
	skip = index_skip_paths(level->root, input_rel, output_rel, &request);
	if (skip.whole != NULL)
		skip.whole = prefix_scan_path(level, window_path, functions, skip.whole, false, 0);
	skip.partial = divided_window_path(level, input_rel, window_path, functions, skip.partial);
	return skip;
}

void
add_index_skip_path(RelOptInfo *output_rel, Path *path)
{
	if (guc_index_skip == INDEX_SKIP_FORCE)
		output_rel->pathlist = output_rel->partial_pathlist = NIL;
	add_path(output_rel, path);
}
