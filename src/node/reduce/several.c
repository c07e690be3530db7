/*
 * several.c: offers WindowReduce in several processes.
 *
 * offer.c calls it where core has partial paths of the subquery: paths in which several processes share the rows of the
 * PrefixScan.  There are two ways to put their results together.
 *
 *   - If each process has whole partitions, and GROUP BY has the columns of PARTITION BY alone, then each process has
 *     whole groups: a Gather above suffices.
 *   - Without GROUP BY, each process returns one row of transition values, which core's own Agg combines and finishes.
 *     So only aggregates are taken whose result is their transition value, and those of which aggregate/partial.c
 *     makes it.  Core's sums and averages of floats are left to core: their bits would hang on who took which row.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/planner.h"
#include "optimizer/prep.h"
#include "utils/fmgroids.h"
#include "utils/syscache.h"

#include "aggregate/aggregate_op.h"
#include "compat.h"
#include "node/reduce/internal.h"
#include "node/window_function.h"

/* ---- transition values that core combines ---- */

/* True if the node can return the transition value of an aggregate, and core can combine it with others. */
static bool
is_combined(const Aggref *aggref)
{
	HeapTuple  tuple;
	Oid		   stock;
	MovingKind kind;
	bool	   combined;

	if (aggref->aggfnoid == F_SUM_FLOAT4 || aggref->aggfnoid == F_SUM_FLOAT8)
		return false;
	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggref->aggfnoid));
	if (!HeapTupleIsValid(tuple))
		return false;
	aggregate_operation(aggref->aggfnoid, &stock, &kind);
	combined = (!OidIsValid(((Form_pg_aggregate) GETSTRUCT(tuple))->aggfinalfn) ||
				aggregate_partial_result(stock, kind) != NULL) &&
			   OidIsValid(((Form_pg_aggregate) GETSTRUCT(tuple))->aggcombinefn);
	ReleaseSysCache(tuple);
	return combined;
}

/* Returns the target of core's partial aggregation, if the node can compute it; else NULL. */
static PathTarget *
partial_target(PlannerInfo *root, const RelOptInfo *output_rel)
{
	RelOptInfo *partial_rel = fetch_upper_rel(root, UPPERREL_PARTIAL_GROUP_AGG, output_rel->relids);

	if (partial_rel->reltarget == NULL || partial_rel->reltarget->exprs == NIL)
		return NULL;
	foreach_ptr (const Aggref, aggref, partial_rel->reltarget->exprs)
		if (!IsA(aggref, Aggref) || !is_combined(aggref))
			return NULL;
	return partial_rel->reltarget;
}

/* Returns core's Agg over a Gather of a path that returns one row in each process. */
static Path *
combined_path(PlannerInfo *root, RelOptInfo *output_rel, Path *partial, List *having)
{
	AggClauseCosts costs = {0};
	double		   rows = partial->parallel_workers + 1;
	Path		  *gather = (Path *) create_gather_path(root, output_rel, partial, partial->pathtarget, NULL, &rows);

	get_agg_clause_costs(root, AGGSPLIT_FINAL_DESERIAL, &costs);
	return (Path *) create_agg_path(root, output_rel, gather, output_rel->reltarget, AGG_PLAIN, AGGSPLIT_FINAL_DESERIAL,
									NIL, having, &costs, 1);
}

/* ---- paths ---- */

List *
reduce_paths_in_several(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, List *having, double groups)
{
	PathTarget *combined = root->parse->groupClause == NIL ? partial_target(root, output_rel) : NULL;
	List	   *paths = NIL;

	if (!output_rel->consider_parallel)
		return NIL;
	foreach_ptr (const Path, input, input_rel->partial_pathlist)
	{
		const SubqueryScanPath *scan = reduce_scan(input);
		double					rows = groups;
		Path				   *path;

		if (scan == NULL)
			continue;
		if (combined != NULL)
		{
			path = reduce_aggregating_path(root, input_rel, output_rel, scan, combined, NIL, 1);
			paths = lappend(paths, combined_path(root, output_rel, path, having));
		}
		else if (root->parse->groupClause != NIL && !reduce_window(scan)->range_partitioned &&
				 reduce_groups_are_partitions(root, input_rel, scan))
		{
			path = reduce_aggregating_path(root, input_rel, output_rel, scan, output_rel->reltarget, having,
										   Max(groups / Max(scan->path.parallel_workers, 1), 1));
			paths = lappend(paths, create_gather_path(root, output_rel, path, path->pathtarget, NULL, &rows));
		}
	}
	return paths;
}
