/*
 * offer.c: offers WindowReduce to the planner.
 *
 * Core calls our hooks when it has the paths of a subquery (conditions alone), and when it has those of the grouping
 * step over one subquery (aggregates, with the subquery's conditions).  The paths stand beside core's, and cost what
 * core's cost below, without what a tuple costs.
 *
 * Where the grouping step reads a path with conditions of ours, it takes the subquery below that path: the new path
 * evaluates the conditions itself.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "column/type.h"
#include "compat.h"
#include "guc.h"
#include "node/plan/planning.h"
#include "node/reduce/internal.h"

static create_upper_paths_hook_type previous_upper_hook;
static set_rel_pathlist_hook_type	previous_rel_hook;

/* ---- paths ---- */

/* Returns the paths of the node that leave out the rows of core's paths of a subquery. */
static List *
paths_with_conditions(RelOptInfo *rel, const List *core, List **replaced)
{
	List *ours = NIL;

	foreach_ptr (Path, path, core)
	{
		const SubqueryScanPath *scan = IsA(path, SubqueryScanPath) ? reduce_scan(path) : NULL;

		if (scan == NULL)
			continue;
		*replaced = lappend(*replaced, path);
		ours = lappend(ours, reduce_filtering_path(rel, scan, path->rows));
	}
	return ours;
}

static void
add_paths_with_conditions(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *rte)
{
	List *ours, *partial, *replaced = NIL;

	if (previous_rel_hook)
		previous_rel_hook(root, rel, rti, rte);
	parallel_end_below(root, rel);
	count_rows_above(root, rel);
	if (guc_reduce == REDUCE_OFF || rel->baserestrictinfo == NIL || !reduce_reads(root, rel))
		return;
	/* add_path() may free core's paths, so nothing is added before all have been read */
	ours = paths_with_conditions(rel, rel->pathlist, &replaced);
	partial = paths_with_conditions(rel, rel->partial_pathlist, &replaced);
	if (guc_reduce == REDUCE_FORCE)
	{
		rel->pathlist = list_difference_ptr(rel->pathlist, replaced);
		rel->partial_pathlist = list_difference_ptr(rel->partial_pathlist, replaced);
	}
	foreach_ptr (Path, path, ours)
		add_path(rel, path);
	foreach_ptr (Path, path, partial)
		add_partial_path(rel, path);
}

/* ---- aggregates ---- */

static const Oid added_up[] = {
#define SCAN_STOCK(oid, function, type, values, line) oid,
#include "op/list.h"
};

static bool
is_added_up(Oid aggregate)
{
	MovingKind kind;

	aggregate_operation(aggregate, &aggregate, &kind);
	if (moving_kind_adds_up(kind))
		return true;
	for (int i = 0; i < lengthof(added_up); i++)
		if (added_up[i] == aggregate)
			return true;
	return false;
}

/* True if an aggregate is one that the node computes. */
static bool
is_taken(const Aggref *aggref)
{
	if (!is_added_up(aggref->aggfnoid) || aggref->aggdistinct != NIL || aggref->aggorder != NIL ||
		aggref->aggdirectargs != NIL || aggref->aggvariadic || aggref->agglevelsup > 0 ||
		aggref->aggsplit != AGGSPLIT_SIMPLE || contain_subplans((Node *) aggref))
		return false;
	foreach_ptr (const Var, var, pull_var_clause((Node *) aggref, PVC_RECURSE_AGGREGATES | PVC_INCLUDE_PLACEHOLDERS))
		if (!IsA(var, Var) || var->varattno <= 0)
			return false;
	return true;
}

/* True if the expressions of the grouping step are made of columns of GROUP BY, and of aggregates that are known. */
static bool
expressions_are_known(const List *exprs, const List *columns)
{
	foreach_ptr (
		const Node, expr,
		pull_var_clause((Node *) exprs, PVC_INCLUDE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS | PVC_INCLUDE_PLACEHOLDERS))
		if (IsA(expr, Aggref) ? !is_taken((const Aggref *) expr) : !list_member(columns, expr))
			return false;
	return true;
}

/* Returns the columns of GROUP BY; *plain: all are columns of the subquery. */
static List *
group_columns(const PlannerInfo *root, List *groups, Index rti, bool *plain)
{
	List *columns = NIL;

	*plain = true;
	foreach_node (SortGroupClause, clause, groups)
	{
		Node *expr = get_sortgroupclause_expr(clause, root->processed_tlist);

		*plain = *plain && IsA(expr, Var) && ((const Var *) expr)->varno == rti && ((const Var *) expr)->varattno > 0;
		columns = lappend(columns, expr);
	}
	return columns;
}

/* True if an aggregate gives the same in whatever order rows come, also if equal values differ. */
static bool
is_order_free(Oid aggregate)
{
	MovingKind kind;

	aggregate_operation(aggregate, &aggregate, &kind);
	return aggregate == F_COUNT_ANY || moving_kind_adds_up(kind);
}

/*
 * True if the result of a group is the same in whatever order its rows come: values that are equal are the same, and no
 * aggregate rounds.
 */
static bool
order_does_not_matter(const PlannerInfo *root, const List *exprs)
{
	foreach_node (SortGroupClause, clause, root->parse->groupClause)
		if (!type_equal_is_by_datum(get_opcode(clause->eqop)))
			return false;
	foreach_node (Aggref, aggref, reduce_aggregates(exprs))
		foreach_oid (type, aggref->aggargtypes)
			if (!is_order_free(aggref->aggfnoid) &&
				!type_equal_is_by_datum(lookup_type_cache(type, TYPECACHE_EQ_OPR_FINFO)->eq_opr_finfo.fn_oid))
				return false;
	return true;
}

/*
 * True if rows of equal groups lie side by side: the first keys of their order are those of GROUP BY.  Where the keys
 * have another order, core sorts or hashes the rows: what it adds up then comes in an order that nobody knows.
 */
static bool
rows_are_in_groups(const PlannerInfo *root, const Path *path, const List *exprs)
{
	int n = list_length(root->group_pathkeys);

	if (pathkeys_contained_in(root->group_pathkeys, path->pathkeys))
		return true;
	return list_length(path->pathkeys) >= n &&
		   list_difference_ptr(root->group_pathkeys, list_truncate(list_copy(path->pathkeys), n)) == NIL &&
		   order_does_not_matter(root, exprs);
}

/* True if the query groups the rows of a subquery in a way that the node can. */
static bool
grouping_is_known(PlannerInfo *root, const RelOptInfo *input_rel, const RelOptInfo *output_rel,
				  const GroupPathExtraData *extra)
{
	const Query *query = root->parse;
	List		*columns;
	bool		 plain;

	if (!reduce_reads(root, input_rel) || query->groupingSets != NIL || extra->patype != PARTITIONWISE_AGGREGATE_NONE ||
		(!query->hasAggs && query->groupClause == NIL) || !grouping_is_sortable(query->groupClause))
		return false;
	columns = group_columns(root, query->groupClause, input_rel->relid, &plain);
	return plain && expressions_are_known(output_rel->reltarget->exprs, columns) &&
		   expressions_are_known((const List *) extra->havingQual, columns);
}

static void
add_paths_with_aggregates(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel,
						  const GroupPathExtraData *extra)
{
	List  *having = (List *) extra->havingQual;
	List  *ours = NIL, *exprs;
	double rows;

	if (guc_reduce == REDUCE_OFF || output_rel->pathlist == NIL ||
		!grouping_is_known(root, input_rel, output_rel, extra))
		return;
	rows = ((const Path *) linitial(output_rel->pathlist))->rows;
	exprs = list_concat_copy(output_rel->reltarget->exprs, having);
	foreach_ptr (const Path, path, input_rel->pathlist)
	{
		const SubqueryScanPath *scan = reduce_scan(path);

		if (scan != NULL && rows_are_in_groups(root, &scan->path, exprs))
			ours = lappend(
				ours, reduce_aggregating_path(root, input_rel, output_rel, scan, output_rel->reltarget, having, rows));
	}
	ours = list_concat(ours, reduce_paths_in_several(root, input_rel, output_rel, having, rows));
	if (guc_reduce == REDUCE_FORCE && ours != NIL)
		output_rel->pathlist = output_rel->partial_pathlist = NIL;
	foreach_ptr (Path, path, ours)
		add_path(output_rel, path);
}

static void
add_upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel, RelOptInfo *output_rel, void *extra)
{
	if (previous_upper_hook)
		previous_upper_hook(root, stage, input_rel, output_rel, extra);
	if (stage == UPPERREL_GROUP_AGG && extra != NULL)
		add_paths_with_aggregates(root, input_rel, output_rel, (const GroupPathExtraData *) extra);
}

void
window_reduce_init(void)
{
	RegisterCustomScanMethods(&window_reduce_methods);
	previous_upper_hook = create_upper_paths_hook;
	create_upper_paths_hook = add_upper_paths;
	previous_rel_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = add_paths_with_conditions;
	own_rel_hook = previous_rel_hook == NULL ? add_paths_with_conditions : NULL;
}
