/*
 * parallel_paths.c: PrefixScan in several processes.
 *
 * plan.c calls it when it has offered its other paths.  Core plans no window in parallel, since rows that tie
 * may come in another order then, as they may in any parallel plan.  Where the
 * input has partial paths, of which each process reads some rows, the node can repartition these out
 * so that each partition is with one process (exchange/repartition.h).  The path is a partial one again: what
 * stands above, an aggregate say, runs in the processes, too, and core puts a Gather there.  At
 * the top it puts none above windows, so the Gather is offered here.
 *
 * Where there are no partitions, or few, processes have ranges of the order instead, and functions whose state is
 * some bytes go on in one range from where they were at the end of the one before (node/input/order_ranges.c); frames
 * that move have some rows of the ranges beside.
 *
 * All windows of a query level go together: each has to go in one of the two ways, and have functions that
 * are safe in parallel.  One whose partitions are made of those of the one below, and whose order is
 * that one's, takes its rows as they come.
 */
#include "postgres.h"

#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"

#include "compat.h"
#include "guc.h"
#include "node/plan/parallel_blocker.h"
#include "node/plan/path.h"
#include "node/plan/plan.h"
#include "node/planned_window.h"

/* A path and how its rows lie in a process: whole partitions of `repartitioned`, each of them in the order of `inner`.
 */
typedef struct Partial
{
	Path *path;
	List *repartitioned;
	List *inner;
} Partial;

/* The node in the places of all windows of a path, over the partial path `input`; false: not in all. */
static bool
partial_chain(PlannerInfo *root, const RelOptInfo *output_rel, const WindowAggPath *window_path, Path *input,
			  Partial *result)
{
	List *functions = window_functions(window_path->path.pathtarget->exprs, window_path->winclause->winref);
	const WindowClause *window = window_path->winclause;
	List			   *partition = make_pathkeys_for_sortclauses(root, window->partitionClause, root->processed_tlist);
	List			   *keys = window_pathkeys(root, window);
	Partial				lower = {input, NIL, NIL};
	const WindowFunc   *about;
	Path			   *sort;
	Path			   *below = below_window(output_rel, window_path, &sort);
	ParallelSubject subject = {window, functions, window_path->path.pathtarget->exprs, window_conditions(window_path)};
	bool			sorts, range_partitioned;

	if (path_is_window(output_rel, below) &&
		!partial_chain(root, output_rel, (const WindowAggPath *) below, input, &lower))
		return false;
	sorts = lower.repartitioned == NIL || !pathkeys_contained_in(keys, lower.inner) ||
			!pathkeys_contained_in(lower.repartitioned, partition);
	if (parallel_blocker_of_window(root, &subject, input, &range_partitioned) != PARALLEL_OK ||
		window_verdict(root, unconstify(WindowAggPath *, window_path), functions, sorts, &about) != WINDOW_OFFERED)
		return false;
	range_partitioned = range_partitioned && sorts;
	result->path = prefix_scan_path(root, window_path, functions, lower.path, sorts);
	/* each process has ranges of the order, one after the other */
	result->path->pathkeys = range_partitioned ? keys : NIL;
	result->path->parallel_safe = true;
	result->path->parallel_aware = sorts;
	result->path->parallel_workers = input->parallel_workers;
	if (range_partitioned)
		((CustomPath *) result->path)->custom_private = lappend(((CustomPath *) result->path)->custom_private,
																makeInteger(true));
	result->repartitioned = range_partitioned ? NIL : sorts ? partition : lower.repartitioned;
	result->inner = sorts ? keys : lower.inner;
	if (sorts)
	{
		Cost cost = prefix_scan_repartition_cost(lower.path);

		result->path->startup_cost += cost;
		result->path->total_cost += cost;
	}
	return true;
}

Path *
parallel_path(PlannerInfo *root, const RelOptInfo *input_rel, const RelOptInfo *output_rel, double *rows)
{
	ListCell *cell;

	if (!guc_parallel || guc_prefixscan == PREFIXSCAN_OFF || parallel_blocker_of_rows(root, input_rel) != PARALLEL_OK)
		return NULL;
	foreach (cell, output_rel->pathlist)
	{
		const WindowAggPath *core = (const WindowAggPath *) lfirst(cell);
		Partial				 partial;

		*rows = core->path.rows;
		if (path_is_window(output_rel, &core->path) &&
			partial_chain(root, output_rel, core, (Path *) linitial(input_rel->partial_pathlist), &partial))
			return partial.path;
	}
	return NULL;
}

void
parallel_add(PlannerInfo *root, RelOptInfo *output_rel, Path *partial, double rows)
{
	Path *gather = (Path *) create_gather_path(root, output_rel, partial, partial->pathtarget, NULL, &rows);

	output_rel->consider_parallel = true;
	add_partial_path(output_rel, partial);
	add_path(output_rel, gather);
	if (partial->pathkeys != NIL)
		add_path(output_rel, (Path *) create_gather_merge_path(root, output_rel, partial, partial->pathtarget,
															   partial->pathkeys, NULL, &rows));
}
