/*
 * source.c: tells which rows a WindowReduce can read: those of a subquery that are the blocks of a PrefixScan.
 *
 * offer.c asks, and several.c for the rows of several processes.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"

#include "compat.h"
#include "node/plan/planning.h"
#include "node/reduce/internal.h"

/* Returns the window of a path; NULL if the path is not the node PrefixScan's, or returns rows that are no blocks. */
static const PrefixScanPath *
window_of_path(const Path *path)
{
	const PrefixScanPath *window = (const PrefixScanPath *) path;

	if (!IsA(path, CustomPath) || window->custom.methods != &prefix_scan_path_methods)
		return NULL;
	/* DISTINCT ON has no functions; conditions of its own have the node make tuples */
	return window->functions == NIL || window->conditions != NIL ? NULL : window;
}

const PrefixScanPath *
reduce_window(const SubqueryScanPath *scan)
{
	const Path *path = scan->subpath;

	while (IsA(path, ProjectionPath))
		path = ((const ProjectionPath *) path)->subpath;
	return window_of_path(path);
}

/* True if the node may not compute an expression of the subquery: it belongs to the subquery's own plan. */
static bool
belongs_below(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return (IsA(node, Param) && ((const Param *) node)->paramkind != PARAM_EXTERN) || IsA(node, SubPlan) ||
		   IsA(node, AlternativeSubPlan) || expression_tree_walker(node, belongs_below, context);
}

/*
 * True if the rows of a subquery are the blocks of a PrefixScan, with no node between, and the node can compute what
 * the target list has beside columns of the blocks.
 */
static bool
rows_are_blocks(const SubqueryScanPath *scan)
{
	const PrefixScanPath *window = reduce_window(scan);
	const Path			 *below;

	if (window == NULL)
		return false;
	below = (const Path *) linitial(window->custom.custom_paths);
	foreach_ptr (Node, expr, scan->subpath->pathtarget->exprs)
	{
		if (IsA(expr, Var) || IsA(expr, Const) ||
			(IsA(expr, WindowFunc) && ((const WindowFunc *) expr)->winref == window->window->winref) ||
			list_member(below->pathtarget->exprs, expr))
			continue;
		if (contain_volatile_functions(expr) || belongs_below(expr, NULL))
			return false;
	}
	return true;
}

/*
 * True if the query reads whole rows of the subquery: PrefixScan has columns only.  The relation's target says it, and
 * not attr_needed, which does not tell of an expression below an outer join (PlaceHolderVar) that is computed here.
 */
static bool
whole_rows_are_needed(const RelOptInfo *rel)
{
	Bitmapset *attnos = NULL;

	pull_varattnos((Node *) rel->reltarget->exprs, rel->relid, &attnos);
	foreach_node (RestrictInfo, info, rel->baserestrictinfo)
		pull_varattnos((Node *) info->clause, rel->relid, &attnos);
	return bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, attnos);
}

/*
 * True if a relation is a subquery with windows whose columns are read, and no whole row.  Core must not check a row of
 * the subquery again (EvalPlanQual), and the subquery must not read columns of other relations (LATERAL).
 */
static bool
is_plain_subquery(const PlannerInfo *root, const RelOptInfo *rel)
{
	return rel->reloptkind == RELOPT_BASEREL && rel->rtekind == RTE_SUBQUERY && rel->subroot != NULL &&
		   rel->subroot->parse->hasWindowFuncs && rel->lateral_relids == NULL && root->rowMarks == NIL &&
		   !whole_rows_are_needed(rel);
}

static bool
conditions_are_known(const RelOptInfo *rel)
{
	foreach_node (RestrictInfo, info, rel->baserestrictinfo)
	{
		if (info->pseudoconstant || contain_subplans((Node *) info->clause))
			return false;
	}
	return true;
}

const SubqueryScanPath *
reduce_scan(const Path *path)
{
	const SubqueryScanPath *scan;

	if (IsA(path, ProjectionPath))
		path = ((const ProjectionPath *) path)->subpath;
	if (IsA(path, CustomPath) && ((const CustomPath *) path)->methods == &window_reduce_path_methods)
		return ((const ReducePath *) path)->scan;
	scan = (const SubqueryScanPath *) path;
	return IsA(path, SubqueryScanPath) && path->param_info == NULL && rows_are_blocks(scan) ? scan : NULL;
}

bool
reduce_reads(const PlannerInfo *root, const RelOptInfo *rel)
{
	return is_plain_subquery(root, rel) && conditions_are_known(rel);
}

/* ---- groups ---- */

/* True if GROUP BY compares a column of the subquery as PARTITION BY compares it. */
static bool
is_grouped_by(const PlannerInfo *root, AttrNumber attno, Oid equal)
{
	foreach_node (SortGroupClause, clause, root->parse->groupClause)
	{
		const Var *var = (const Var *) get_sortgroupclause_expr(clause, root->processed_tlist);

		if (var->varattno == attno && clause->eqop == equal)
			return true;
	}
	return false;
}

bool
reduce_groups_are_partitions(const PlannerInfo *root, const RelOptInfo *input_rel, const SubqueryScanPath *scan)
{
	const List *partition = reduce_window(scan)->window->partitionClause;

	if (list_length(partition) != list_length(root->parse->groupClause))
		return false;
	foreach_node (SortGroupClause, clause, partition)
	{
		const TargetEntry *entry = get_sortgroupclause_tle(clause, input_rel->subroot->processed_tlist);

		if (entry->resjunk || !is_grouped_by(root, entry->resno, clause->eqop))
			return false;
	}
	return true;
}
