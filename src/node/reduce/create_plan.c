/*
 * create_plan.c: makes the plan of a WindowReduce from its path.
 *
 * Core calls it once the path is chosen, with the plan of the child: a SubqueryScan over a PrefixScan.  The conditions,
 * which core has put into the SubqueryScan, move to the node.  What is left of the SubqueryScan passes on all columns
 * of the subquery in their order, so setrefs.c removes it: then the PrefixScan itself is the child.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"

#include "library/build.h"
#include "node/reduce/reduce.h"

/* Returns a target list that passes on all columns of a subquery, as core's trivial_subqueryscan() wants it. */
static List *
all_columns(const SubqueryScan *scan)
{
	List	 *columns = NIL;
	ListCell *cell;

	foreach (cell, scan->subplan->targetlist)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);
		const Node		  *expr = (const Node *) entry->expr;
		Var *var = makeVar(scan->scan.scanrelid, entry->resno, exprType(expr), exprTypmod(expr), exprCollation(expr),
						   0);

		columns = lappend(columns, makeTargetEntry((Expr *) var, entry->resno, NULL, entry->resjunk));
	}
	return columns;
}

/* Returns custom_scan_tlist: the child's columns, then the aggregates.  A junk column has no name, and is not read. */
static List *
reduce_tlist(const List *child_tlist, List *aggregates)
{
	List		   *tlist = NIL;
	AttrNumber		place = 1;
	const ListCell *cell;

	foreach (cell, child_tlist)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);
		const Node		  *expr = (const Node *) entry->expr;
		Expr *column = entry->resjunk ? (Expr *) makeNullConst(exprType(expr), exprTypmod(expr), exprCollation(expr))
									  : (Expr *) copyObject(expr);

		tlist = lappend(tlist, makeTargetEntry(column, place++, NULL, false));
	}
	foreach (cell, aggregates)
		tlist = lappend(tlist, makeTargetEntry((Expr *) copyObject(lfirst(cell)), place++, NULL, false));
	return tlist;
}

/* ---- aggregates ---- */

/* Orders aggregates as core does: equal ones have the same number. */
static int
compare_aggregates(const ListCell *a, const ListCell *b)
{
	return lfirst_node(Aggref, a)->aggno - lfirst_node(Aggref, b)->aggno;
}

List *
reduce_aggregates(const List *exprs)
{
	List	 *aggregates = NIL, *once = NIL;
	ListCell *cell;

	foreach (cell, pull_var_clause((Node *) exprs,
								   PVC_INCLUDE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS | PVC_INCLUDE_PLACEHOLDERS))
		if (IsA(lfirst(cell), Aggref))
			aggregates = lappend(aggregates, lfirst(cell));
	list_sort(aggregates, compare_aggregates);
	foreach (cell, aggregates)
		if (once == NIL || llast_node(Aggref, once)->aggno != lfirst_node(Aggref, cell)->aggno)
			once = lappend(once, lfirst(cell));
	return once;
}

/* Returns the arguments of aggregates, and after those of each its FILTER. */
static List *
expressions_of(const List *aggregates)
{
	List		   *exprs = NIL;
	const ListCell *cell;

	foreach (cell, aggregates)
	{
		const Aggref *aggref = lfirst_node(Aggref, cell);

		exprs = list_concat(exprs, get_tlist_exprs(aggref->args, true));
		if (aggref->aggfilter != NULL)
			exprs = lappend(exprs, aggref->aggfilter);
	}
	return exprs;
}

/* Returns the lists REDUCE_KEYS to REDUCE_COLLATIONS. */
static List *
group_keys(const PlannerInfo *root, const List *groups)
{
	List		   *columns = NIL, *equals = NIL, *collations = NIL;
	const ListCell *cell;

	foreach (cell, groups)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, cell);
		const Var		*var = (const Var *) get_sortgroupclause_expr(clause, root->processed_tlist);

		columns = lappend_int(columns, var->varattno);
		equals = lappend_oid(equals, clause->eqop);
		collations = lappend_oid(collations, var->varcollid);
	}
	return list_make3(columns, equals, collations);
}

static Plan *
window_reduce_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *custom, List *tlist, List *clauses, List *children)
{
	const ReducePath *path = (const ReducePath *) custom;
	SubqueryScan	 *child = castNode(SubqueryScan, linitial(children));
	List			 *conditions = child->scan.plan.qual;
	List			 *aggregates = NIL;
	CustomScan		 *scan = makeNode(CustomScan);

	if (path->aggregates)
		aggregates = reduce_aggregates(list_concat_copy(custom->path.pathtarget->exprs, path->having));
	child->scan.plan.qual = NIL;
	child->scan.plan.targetlist = all_columns(child);
	scan->custom_private = list_make2(list_make2_int((int) (scan_build >> 32), (int) scan_build),
									  list_make5_int(list_length(child->scan.plan.targetlist), list_length(conditions),
													 list_length(aggregates), path->groups != NIL, path->by_partition));
	scan->custom_private = list_concat(scan->custom_private, group_keys(root, path->groups));
	scan->custom_plans = children;
	scan->custom_scan_tlist = reduce_tlist(child->scan.plan.targetlist, aggregates);
	scan->custom_exprs = list_concat(list_copy(conditions), copyObject(expressions_of(aggregates)));
	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = path->having;
	scan->flags = custom->flags;
	scan->methods = &window_reduce_methods;
	return &scan->scan.plan;
}

const CustomPathMethods window_reduce_path_methods = {.CustomName = WINDOW_REDUCE_NAME,
													  .PlanCustomPath = window_reduce_plan};
