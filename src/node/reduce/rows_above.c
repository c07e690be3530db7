/*
 * rows_above.c: corrects the rows that core expects of a subquery whose windows PrefixScan runs.
 *
 * offer.c calls it from set_rel_pathlist_hook, after core has made the paths of the relation and before it plans
 * joins.  Of `WHERE n = 1` on a row_number() n, core makes a run condition of the window, `n <= 1`, and keeps the
 * condition itself above the subquery.  Core's WindowAgg is estimated to return all rows, and a row to meet `n = 1`
 * with a chance of 1 : 200.  PrefixScan is estimated to return the rows that meet the run condition (cost.c); so above
 * it the chance of `n = 1` is 1, and that of `n = k` 1 : k.  Core estimates the rows of a relation from its subquery's
 * cheapest path, but no path returns more rows than another: if one path of the subquery has counted the rows, the
 * number holds for all.
 *
 * Rejected: rows of a PrefixScan that come out right when core multiplies them by 1 : 200.  Then core charges for 200
 * rows above the node where there is one.
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "node/plan/planning.h"
#include "node/reduce/internal.h"

/*
 * Returns the PrefixScan whose rows are those of a path, and which has counted them; NULL if there is none.  The paths
 * that may be between begin alike.
 */
static const PrefixScanPath *
counting_path(const Path *path)
{
	const PrefixScanPath *window;

	while (IsA(path, ProjectionPath) || IsA(path, SortPath) || IsA(path, IncrementalSortPath) ||
		   IsA(path, GatherPath) || IsA(path, GatherMergePath))
		path = ((const SortPath *) path)->subpath;
	window = (const PrefixScanPath *) path;
	return IsA(path, CustomPath) && window->custom.methods == &prefix_scan_path_methods && window->counted > 0 ? window
																											   : NULL;
}

/* Returns the argument of an operator that is a node of a kind; NULL if there is none. */
static const Node *
argument_of(const Node *expr, NodeTag tag)
{
	if (IsA(expr, OpExpr))
		foreach_ptr (const Node, argument, ((const OpExpr *) expr)->args)
			if (nodeTag(argument) == tag)
				return argument;
	return NULL;
}

/*
 * True if a condition on a subquery's column is `rank = constant`, and core has made a condition of the window of it. A
 * function that ranks has no arguments, so its OID and its window tell which it is.
 */
static bool
is_counted(const RelOptInfo *rel, const Node *clause, const PrefixScanPath *window)
{
	const Var		 *column = (const Var *) argument_of(clause, T_Var);
	const Node		 *constant = argument_of(clause, T_Const);
	const WindowFunc *rank, *another;

	if (column == NULL || column->varattno <= 0 || constant == NULL ||
		get_oprrest(((const OpExpr *) clause)->opno) != F_EQSEL)
		return false;
	rank = (const WindowFunc *) get_tle_by_resno(rel->subroot->parse->targetList, column->varattno)->expr;
	foreach_ptr (const Node, condition, window->conditions)
	{
		another = (const WindowFunc *) argument_of(condition, T_WindowFunc);
		if (IsA(rank, WindowFunc) && another != NULL && rank->winfnoid == another->winfnoid &&
			rank->winref == another->winref && equal(constant, argument_of(condition, T_Const)))
			return true;
	}
	return false;
}

/* Sets the rows of a path of a relation, in each process, to what is expected of the relation now. */
static void
count_rows_of_path(PlannerInfo *root, RelOptInfo *rel, Path *path)
{
	ParamPathInfo *outer = path->param_info;

	if (outer != NULL)
		outer->ppi_rows = get_parameterized_baserel_size(root, rel, outer->ppi_clauses);
	path->rows = clamp_row_est((outer != NULL ? outer->ppi_rows : rel->rows) / level_processes(path->parallel_workers));
}

void
count_rows_above(PlannerInfo *root, RelOptInfo *rel)
{
	const PrefixScanPath *window = NULL;

	if (rel->rtekind != RTE_SUBQUERY || IS_DUMMY_REL(rel))
		return;
	/* core has added up the arms of a UNION ALL before they were corrected; its Append is made afterwards */
	foreach_ptr (const Path, path, rel->pathlist)
		if (IsA(path, AppendPath) && path->param_info == NULL)
			rel->rows = path->rows;
	foreach_ptr (const Path, path,
				 rel->subroot == NULL ? NIL : fetch_upper_rel(rel->subroot, UPPERREL_FINAL, NULL)->pathlist)
		if (window == NULL)
			window = counting_path(path);
	if (window == NULL)
		return;
	rel->tuples = clamp_row_est(window->custom.path.rows * level_processes(window->custom.path.parallel_workers));
	foreach_node (RestrictInfo, info, rel->baserestrictinfo)
		if (is_counted(rel, (const Node *) info->clause, window))
			info->norm_selec = 1.0 / window->counted;
	set_baserel_size_estimates(root, rel);
	foreach_ptr (Path, path, list_concat_copy(rel->pathlist, rel->partial_pathlist))
		count_rows_of_path(root, rel, path);
}
