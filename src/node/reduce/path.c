/*
 * path.c: makes the paths of WindowReduce, with their costs.
 *
 * offer.c and several.c call it.  A path costs what the subquery below costs, and a part of what core charges for
 * conditions and transitions.  Only a row that is returned costs what a tuple does.
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/prep.h"

#include "compat.h"
#include "node/reduce/internal.h"
#include "node/reduce/reduce.h"

/* What a condition, or a transition, costs over columns: a part of what core's costs. */
#define COLUMN_COST_FACTOR 0.25

/* Returns a path of the node over a copy of a subquery scan: add_path() may free core's. */
static ReducePath *
reduce_path(RelOptInfo *parent, const SubqueryScanPath *scan, PathTarget *target, double rows, Cost cost_per_row)
{
	ReducePath		 *path = (ReducePath *) palloc(sizeof(ReducePath));
	SubqueryScanPath *child = (SubqueryScanPath *) memcpy(palloc(sizeof(*child)), scan, sizeof(*child));
	const Path		 *below = scan->subpath;
	Cost			  run = below->rows * cost_per_row + rows * (cpu_tuple_cost + target->cost.per_tuple);

	*path = (ReducePath){.custom = {.path = {.type = T_CustomPath,
											 .pathtype = T_CustomScan,
											 .parent = parent,
											 .pathtarget = target,
											 .parallel_safe = parent->consider_parallel && scan->path.parallel_safe,
											 .parallel_workers = scan->path.parallel_workers,
											 .rows = rows,
											 .startup_cost = below->startup_cost + target->cost.startup,
											 .total_cost = below->total_cost + target->cost.startup + run,
											 .pathkeys = scan->path.pathkeys},
									.flags = CUSTOMPATH_SUPPORT_PROJECTION,
									.custom_paths = list_make1(child),
									.methods = &window_reduce_path_methods},
						 .scan = child};
	compat_disabled_nodes(&path->custom.path, NULL, below);
	return path;
}

/* Returns what the conditions of a relation cost for a row of the subquery. */
static Cost
conditions_cost(const RelOptInfo *rel)
{
	return rel->baserestrictcost.per_tuple * COLUMN_COST_FACTOR;
}

Path *
reduce_filtering_path(RelOptInfo *rel, const SubqueryScanPath *scan, double rows)
{
	return &reduce_path(rel, scan, rel->reltarget, rows, conditions_cost(rel))->custom.path;
}

/* Returns what the transitions and conditions cost for a row of the subquery. */
static Cost
reduce_cost(PlannerInfo *root, const RelOptInfo *input_rel, const List *groups)
{
	AggClauseCosts costs = {0};

	if (root->parse->hasAggs)
		get_agg_clause_costs(root, AGGSPLIT_SIMPLE, &costs);
	return conditions_cost(input_rel) +
		   (costs.transCost.per_tuple + list_length(groups) * cpu_operator_cost) * COLUMN_COST_FACTOR;
}

Path *
reduce_aggregating_path(PlannerInfo *root, const RelOptInfo *input_rel, RelOptInfo *output_rel,
						const SubqueryScanPath *scan, PathTarget *target, List *having, double rows)
{
	List	   *groups = root->parse->groupClause;
	ReducePath *path = reduce_path(output_rel, scan, target, rows, reduce_cost(root, input_rel, groups));

	path->aggregates = true;
	path->groups = groups;
	path->having = having;
	path->by_partition = groups != NIL && reduce_groups_are_partitions(root, input_rel, scan);
	/* the keys that order rows within a group are gone */
	path->custom.path.pathkeys = list_truncate(list_copy(scan->path.pathkeys), list_length(root->group_pathkeys));
	/* no group is there before all rows are */
	if (groups == NIL)
		path->custom.path.startup_cost = path->custom.path.total_cost;
	return &path->custom.path;
}
