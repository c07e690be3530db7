/*
 * skip_paths.c: offers windows of which only the first rows of each partition are wanted, over an index that finds
 * them (node/skip/).
 *
 * plan.c calls it beside its other paths.  PrefixScan evaluates the functions and the conditions as it always does;
 * IndexSkip, below it, returns the rows that can meet the conditions and no others.  The query level must have one
 * window: a window below would need all rows.
 */
#include "postgres.h"

#include "optimizer/pathnode.h"

#include "guc.h"
#include "node/plan/path.h"
#include "node/plan/planning.h"
#include "node/skip/skip.h"

/* Returns a path of core's in which the level's only window has conditions; NULL if there is none. */
static WindowAggPath *
only_window(const RelOptInfo *output_rel)
{
	ListCell *cell;

	foreach (cell, output_rel->pathlist)
	{
		WindowAggPath *window_path = (WindowAggPath *) lfirst(cell);
		Path		  *sort;

		if (!path_is_window(output_rel, &window_path->path))
			continue;
		if (window_conditions(window_path) == NIL ||
			path_is_window(output_rel, below_window(output_rel, window_path, &sort)))
			return NULL;
		return window_path;
	}
	return NULL;
}

Path *
index_skip_window_path(QueryLevel *level, RelOptInfo *input_rel, RelOptInfo *output_rel)
{
	WindowAggPath	   *window_path = only_window(output_rel);
	const WindowClause *window;
	const WindowFunc   *about;
	List			   *functions;
	SkipRequest			request;
	Path			   *skip;

	if (window_path == NULL || guc_index_skip == INDEX_SKIP_OFF || guc_prefixscan == PREFIXSCAN_OFF)
		return NULL;
	window = window_path->winclause;
	functions = level_functions(level, window_path->path.pathtarget->exprs, window->winref);
	request.top = top_of_window(window, functions, window_conditions(window_path));
	if (request.top.limit == 0 || window_verdict(level, window_path, functions, false, &about) != REASON_NONE)
		return NULL;
	request.clauses = list_concat_copy(window->partitionClause, window->orderClause);
	request.groups = list_length(window->partitionClause);
	request.anew = window_path->subpath;
	request.other = window_path->path.total_cost;
	request.alone = false;
	skip = index_skip_path(level->root, input_rel, output_rel, &request);
	return skip == NULL ? NULL : prefix_scan_path(level, window_path, functions, skip, false);
}

void
add_index_skip_path(RelOptInfo *output_rel, Path *path)
{
	if (guc_index_skip == INDEX_SKIP_FORCE)
		output_rel->pathlist = output_rel->partial_pathlist = NIL;
	add_path(output_rel, path);
}
