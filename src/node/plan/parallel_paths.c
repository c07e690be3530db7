/*
 * parallel_paths.c: offers PrefixScan in several processes.
 *
 * plan.c calls it when it has built its other paths.  Core plans no window in parallel, since rows that tie may come in
 * another order then, as they may in any parallel plan.  If the input has partial paths, of which each process reads
 * some rows, the node can repartition the rows so that each partition is in one process (exchange/exchange.h).  The
 * path is a partial one again: what stands above, such as an aggregate, also runs in the processes, and core puts a
 * Gather there.  At the top core puts none above windows, so the Gather is offered here.
 *
 * If there are no partitions, or few, each process takes ranges of the order instead.  Functions that save state
 * continue in a range from their state at the end of the range before (input/order_ranges.c).  Sliding frames get the
 * overlap from the ranges beside.
 *
 * All windows of a query level go together: each has to work in one of the two ways, and have functions that are
 * parallel safe.  A window whose partitions lie within those of the window below, and whose order is a prefix of the
 * order below, takes its rows as they come.  The window below may be one of a subquery (whole_partitions.c).
 */
#include "postgres.h"

#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"

#include "compat.h"
#include "guc.h"
#include "node/error_timing/error_timing.h"
#include "node/level.h"
#include "node/plan/planning.h"
#include "node/planned_window.h"

/*
 * Returns the path of a window and of those below it, with the node in place of each, over the partial path `input`.
 * NULL: some window has to stay.
 */
static Path *
partial_chain(QueryLevel *level, const RelOptInfo *output_rel, const WindowAggPath *window_path, Path *input)
{
	PlannerInfo		   *root = level->root;
	const WindowClause *window = window_path->winclause;
	List			   *functions = level_functions(level, window_path->path.pathtarget->exprs, window->winref);
	List			   *partition = make_pathkeys_for_sortclauses(root, window->partitionClause, root->processed_tlist);
	List			   *keys = window_pathkeys(root, window);
	WholePartitions		whole;
	WindowFault			fault;
	PrefixScanPath	   *ours;
	Path			   *path, *sort;
	Path			   *lower = below_window(output_rel, window_path, &sort);
	ParallelSubject subject = {window, functions, window_path->path.pathtarget->exprs, window_conditions(window_path)};
	bool			sorts, range_partitioned;

	lower = path_is_window(output_rel, lower) ? partial_chain(level, output_rel, (const WindowAggPath *) lower, input)
											  : input;
	if (lower == NULL)
		return NULL;
	whole = whole_partitions(root, lower);
	sorts = whole.by == NIL || !pathkeys_contained_in(keys, whole.order) || !pathkeys_contained_in(whole.by, partition);
	if (parallel_blocker_of_window(level, &subject, input, &range_partitioned) != REASON_NONE ||
		window_verdict(level, unconstify(WindowAggPath *, window_path), functions, sorts, &fault) != REASON_NONE)
		return NULL;
	range_partitioned = range_partitioned && sorts;
	path = prefix_scan_path(level, window_path, functions, lower, sorts, 0);
	/* the ranges that a process takes come one after the other in the order */
	path->pathkeys = range_partitioned ? keys : NIL;
	path->parallel_safe = true;
	path->parallel_aware = sorts;
	path->parallel_workers = input->parallel_workers;
	ours = (PrefixScanPath *) path;
	ours->range_partitioned = range_partitioned;
	if (!sorts)
		ours->whole = whole;
	else if (!range_partitioned)
		ours->whole = (WholePartitions){.by = partition, .order = keys};
	if (sorts)
		prefix_scan_add_repartition(root, ours, lower);
	return path;
}

/* Returns the node's path over a partial path, in place of one of core's; NULL if a window has to stay in each. */
static Path *
parallel_path(QueryLevel *level, const RelOptInfo *output_rel, Path *input)
{
	Path *path = NULL;

	foreach_ptr (const Path, core, output_rel->pathlist)
		if (path == NULL && path_is_window(output_rel, core))
			path = partial_chain(level, output_rel, (const WindowAggPath *) core, input);
	return path;
}

/* Returns a partial path, as a copy that is marked as the input of a Gather of its query level if it is a window's. */
static Path *
gather_input_path(Path *partial)
{
	PrefixScanPath *copy;

	if (((const CustomPath *) partial)->methods != &prefix_scan_path_methods)
		return partial;
	copy = (PrefixScanPath *) palloc(sizeof(PrefixScanPath));
	*copy = *(const PrefixScanPath *) partial;
	copy->gathered = true;
	return &copy->custom.path;
}

List *
parallel_paths(QueryLevel *level, RelOptInfo *input_rel, const RelOptInfo *output_rel)
{
	List *paths = NIL;

	if (!guc_parallel || guc_prefixscan == PREFIXSCAN_OFF || parallel_blocker_of_rows(level, input_rel) != REASON_NONE)
		return NIL;
	foreach_ptr (Path, input, window_partial_inputs(level->root, input_rel))
	{
		Path *path = parallel_path(level, output_rel, input);

		if (path != NULL)
			paths = lappend(paths, path);
	}
	return paths;
}

static void
add_gather(PlannerInfo *root, RelOptInfo *output_rel, Path *partial)
{
	Path  *input = gather_input_path(partial);
	double rows = clamp_row_est(input->rows * level_processes(input->parallel_workers));

	add_path(output_rel, (Path *) create_gather_path(root, output_rel, input, input->pathtarget, NULL, &rows));
	if (input->pathkeys != NIL)
		add_path(output_rel, (Path *) create_gather_merge_path(root, output_rel, input, input->pathtarget,
															   input->pathkeys, NULL, &rows));
}

/*
 * add_partial_path() frees what is dominated, so a Gather is put over the paths that have stayed, after all others.
 */
void
parallel_add(PlannerInfo *root, RelOptInfo *output_rel, const List *paths)
{
	output_rel->consider_parallel = true;
	foreach_ptr (Path, path, paths)
		add_partial_path(output_rel, path);
	foreach_ptr (Path, path, output_rel->partial_pathlist)
		if (list_member_ptr(paths, path))
			add_gather(root, output_rel, path);
}

/* ---- what the level above puts on top ---- */

/* True if partial paths of a level are ours: core has none above a window or DISTINCT. */
static bool
partial_paths_are_ours(const PlannerInfo *root)
{
	if (root->parse->hasWindowFuncs || root->parse->distinctClause != NIL)
		return true;
	for (int i = 1; i < root->simple_rel_array_size; i++)
	{
		const RelOptInfo *rel = root->simple_rel_array[i];

		if (rel != NULL && rel->subroot != NULL && partial_paths_are_ours(rel->subroot))
			return true;
	}
	return false;
}

void
parallel_end_below(PlannerInfo *root, RelOptInfo *rel)
{
	if (rel->partial_pathlist != NIL && rel->subroot != NULL && partial_paths_are_ours(rel->subroot) &&
		query_level_reads_failing_subquery(root))
		rel->partial_pathlist = NIL;
}
