/*
 * index_skip.c: builds the paths of IndexSkip, over the indexes that index_order.c finds.
 *
 * node/plan asks where only the first rows of each group are wanted: by a condition on the rank of a window, or by
 * DISTINCT ON.  Core must have a single table below the window step: then core's target for the step is the table's
 * own.  A partitioned table is read by a MergeAppend of its partitions' indexes, each of which the node has to go down
 * for each group, wherever the rows of the group lie.
 *
 * An extension that has a hook where core makes the paths of a table may keep rows of it elsewhere, so it is left
 * alone.
 *
 * Autovacuum does not analyse temporary and partitioned tables.  Where core has to assume a number of groups, the node
 * is not offered (index_order.c).
 *
 * A table whose rows may raise errors, or have side effects, is left to other paths (unread_rows.c).
 */
#include "postgres.h"

#include <float.h>

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "guc.h"
#include "node/level.h"
#include "node/skip/internal.h"

/* True if the node may read a relation. */
static bool
relation_may_skip(PlannerInfo *root, RelOptInfo *rel)
{
	const RangeTblEntry *entry;

	if (guc_index_skip == INDEX_SKIP_OFF || guc_prefixscan == PREFIXSCAN_OFF || rel->reloptkind != RELOPT_BASEREL ||
		rel->rtekind != RTE_RELATION || others_may_change_paths() || IS_DUMMY_REL(rel) || root->parse->hasTargetSRFs)
		return false;
	if (!enable_indexscan && guc_index_skip != INDEX_SKIP_FORCE)
		return false;
	entry = planner_rt_fetch(rel->relid, root);
	/* the rows of an inheritance tree get their target above the Append */
	return entry->tablesample == NULL && (!entry->inh || IS_PARTITIONED_REL(rel));
}

/* Returns the tables that have the rows of a relation: itself, or the partitions that may have rows of the query. */
static List *
leaves_of(RelOptInfo *rel, List *leaves)
{
	if (IS_DUMMY_REL(rel))
		return leaves;
	if (!IS_PARTITIONED_REL(rel))
		return lappend(leaves, rel);
	for (int i = bms_next_member(rel->live_parts, -1); i >= 0; i = bms_next_member(rel->live_parts, i))
		if (rel->part_rels[i] != NULL)
			leaves = leaves_of(rel->part_rels[i], leaves);
	return leaves;
}

/* Returns the path of a child of the node: an index scan, or one for each partition. */
static Path *
child_path(PlannerInfo *root, RelOptInfo *rel, const SkipOrder *order, const SkipStep *step, const SkipCost *cost)
{
	List *scans = NIL;
	Path *child;

	for (int i = 0; i < order->leaves; i++)
	{
		Path *scan = skip_step_path(root, order, &order->leaf[i], step);

		/* the node stops reading once it has the rows of a group: this is what EXPLAIN shows, and nobody else reads */
		scan->rows = clamp_row_est(cost->rows / cost->groups);
		scan->startup_cost = cost->startup / order->leaves;
		scan->total_cost = scan->startup_cost + (cost->total - cost->startup) / cost->groups / order->leaves;
		scans = lappend(scans, scan);
	}
	if (!IS_PARTITIONED_REL(rel))
		return (Path *) linitial(scans);
	child = (Path *) compat_merge_append_path(root, rel, scans, order->pathkeys);
	child->rows = clamp_row_est(cost->rows / cost->groups);
	return child;
}

bool
path_is_index_skip(const Path *path)
{
	return IsA(path, CustomPath) && ((const CustomPath *) path)->methods == &index_skip_path_methods;
}

/* True if a path reads nothing but indexes, from the first row to the last. */
static bool
reads_indexes(const Path *path)
{
	const List *below = NIL;

	if (IsA(path, ProjectionPath))
		return reads_indexes(((const ProjectionPath *) path)->subpath);
	if (IsA(path, MergeAppendPath))
		below = ((const MergeAppendPath *) path)->subpaths;
	else if (IsA(path, AppendPath))
		below = ((const AppendPath *) path)->subpaths;
	foreach_ptr (const Path, subpath, below)
		if (!reads_indexes(subpath))
			return false;
	return IsA(path, IndexPath) || below != NIL;
}

/*
 * True if a path sorts rows that a worker may read.  Core takes no sort of a window's rows for safe, since it has the
 * window itself run in one process.
 */
static bool
sorts_safe_rows(const Path *path)
{
	while (IsA(path, SortPath) || IsA(path, IncrementalSortPath))
		path = ((const SortPath *) path)->subpath;
	return path->parallel_safe;
}

/*
 * Returns the path of the child that starts anew, in the order of the node.  NULL: core's plan reads an index in that
 * order, and so can the node.  `divides`: a worker may run the path.
 */
static Path *
skip_path_anew(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const SkipRequest *request,
			   const SkipOrder *order, bool divides)
{
	Path *anew = request->anew, *safe = NULL;

	if (!equal(anew->pathtarget->exprs, input_rel->reltarget->exprs))
		anew = input_rel->cheapest_total_path;
	if (divides && !sorts_safe_rows(anew))
		safe = get_cheapest_parallel_safe_total_inner(input_rel->pathlist);
	if (safe != NULL)
		anew = safe;
	if (pathkeys_contained_in(order->pathkeys, anew->pathkeys))
		return reads_indexes(anew) ? NULL : anew;
	/* rows are not sorted twice */
	if (IsA(anew, SortPath))
		anew = ((SortPath *) anew)->subpath;
	return (Path *) create_sort_path(root, output_rel, anew, order->pathkeys, -1);
}

/* True if the child that starts anew is a PrefixScan that finds the first rows: it asks for the functions itself. */
static bool
asks_itself(const Path *anew, const RelOptInfo *output_rel)
{
	if (anew != NULL && IsA(anew, SortPath))
		anew = ((const SortPath *) anew)->subpath;
	return anew != NULL && anew->parent == output_rel && anew->pathtype == T_CustomScan;
}

static Path *
path_of_order(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const SkipRequest *request,
			  const SkipOrder *order, const SkipCost *cost, const SkipDivision *division)
{
	CustomPath *path = (CustomPath *) palloc(sizeof(CustomPath));
	List	   *steps = skip_steps(order), *numbers = NIL, *children = NIL, *counts;
	bool		divides = division->workers > 0, safe;
	Path	   *anew = skip_path_anew(root, input_rel, output_rel, request, order, division->workers > 0);

	if (steps == NIL)
		return NULL;
	if (divides)
		steps = skip_steps_to_bounds(steps);
	foreach_ptr (const SkipStep, step, steps)
	{
		children = lappend(children, child_path(root, input_rel, order, step, cost));
		numbers = list_concat(numbers, list_make3_int(step->kind, step->level, (int) step->nulls));
	}
	if (anew != NULL)
		children = lappend(children, anew);
	safe = input_rel->consider_parallel && (divides || output_rel->consider_parallel) &&
		   (anew == NULL || anew->parallel_safe || (divides && sorts_safe_rows(anew)));
	counts = list_concat(list_make5_int(request->top.limit, request->top.unit, order->levels,
										request->alone && !asks_itself(anew, output_rel),
										skip_rows_of_descent(order, cost)),
						 list_make2_int(anew == NULL ? 0 : skip_descents_in(order, cost, request->other),
										linitial_node(PathKey, order->pathkeys)->pk_nulls_first));
	*path = (CustomPath){.path = {.type = T_CustomPath,
								  .pathtype = T_CustomScan,
								  .parent = output_rel,
								  .pathtarget = input_rel->reltarget,
								  .pathkeys = order->pathkeys,
								  .parallel_safe = safe,
								  .parallel_aware = divides,
								  .parallel_workers = division->workers,
								  .rows = cost->rows,
								  .startup_cost = cost->startup,
								  .total_cost = cost->total},
						 .custom_paths = children,
						 .custom_private = list_make5(
							 numbers, counts, order->clauses,
							 divides ? list_make2_oid(division->behind, division->collation) : NIL, division->bounds),
						 .methods = &index_skip_path_methods};
	return &path->path;
}

/* Returns the path of a process, where several divide the groups of an order; NULL if that is not worth while. */
static Path *
divided_path(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const SkipRequest *request,
			 const SkipOrder *order, const SkipCost *cost)
{
	SkipDivision division = {0};
	SkipCost	 of_process;
	Path		*path;

	if (input_rel->consider_parallel)
		division = skip_division(root, input_rel, order, cost);
	if (division.workers == 0)
		return NULL;
	of_process = skip_cost_of_process(cost, &division);
	path = path_of_order(root, input_rel, output_rel, request, order, &of_process, &division);
	return path->parallel_safe ? path : NULL;
}

/* A path that costs so many times as much as another one is not taken, even if its order saves a sort of the groups. */
#define TOO_DEAR 1.1

/* Returns the most that a path may cost for the rows that are asked for: the cost of the cheapest path of the step. */
static Cost
dearest_path(const PlannerInfo *root, const List *rivals)
{
	Cost least = DBL_MAX;

	if (guc_index_skip == INDEX_SKIP_FORCE)
		return DBL_MAX;
	foreach_ptr (const Path, path, rivals)
	{
		if (!compat_is_disabled(path))
			least = Min(least, path->startup_cost +
								   (path->total_cost - path->startup_cost) * level_fraction(root, path->rows));
	}
	return least * TOO_DEAR;
}

SkipPaths
index_skip_paths(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, SkipRequest *request)
{
	List			*leaves, *orders;
	const SkipOrder *best_order = NULL;
	SkipCost		 best_cost;
	SkipPaths		 best = {0};

	if (!relation_may_skip(root, input_rel))
		return best;
	leaves = leaves_of(input_rel, NIL);
	request->dearest = dearest_path(root, request->rivals);
	orders = leaves == NIL ? NIL : skip_orders(root, input_rel, leaves, request);
	if (orders == NIL || unread_rows_may_matter(root, input_rel))
		return best;
	foreach_ptr (const SkipOrder, order, orders)
	{
		SkipCost cost = skip_cost(root, order, request);
		Path	*path;

		if (skip_is_too_dear(root, request, cost.groups, cost.startup, cost.total) ||
			(best.whole != NULL && best.whole->total_cost <= cost.total))
			continue;
		path = path_of_order(root, input_rel, output_rel, request, order, &cost, &(SkipDivision){0});
		if (path == NULL)
			continue;
		best.whole = path;
		best_order = order;
		best_cost = cost;
	}
	if (best.whole != NULL)
		best.partial = divided_path(root, input_rel, output_rel, request, best_order, &best_cost);
	return best;
}
