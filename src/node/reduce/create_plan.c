/*
 * create_plan.c: makes the plan of a WindowReduce from its path.
 *
 * Core calls it once the path is chosen, with the plan of the child: a SubqueryScan over a PrefixScan.  The conditions,
 * which core has put into the SubqueryScan, move to the node.  What is left of the SubqueryScan passes on all columns
 * of the subquery in their order, so setrefs.c removes it: then the PrefixScan itself is the child.
 *
 * Expressions of the subquery's target list move to the node, too: the PrefixScan gets a target list of the columns
 * that they read.  In the node's own row these columns are Vars of the subquery behind its last column.  EXPLAIN would
 * not know their names, so it prints no expression that reads them.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"

#include "compat.h"
#include "library/build.h"
#include "node/plan/planning.h"
#include "node/planned_window.h"
#include "node/reduce/reduce.h"
#include "node/window_function.h"

/* Returns a target list that passes on all columns of a subquery, as core's trivial_subqueryscan() wants it. */
static List *
all_columns(const SubqueryScan *scan)
{
	List *columns = NIL;

	foreach_node (TargetEntry, entry, scan->subplan->targetlist)
	{
		columns = lappend(columns, makeTargetEntry((Expr *) makeVarFromTargetEntry((int) scan->scan.scanrelid, entry),
												   entry->resno, NULL, entry->resjunk));
	}
	return columns;
}

/* ---- computed columns ---- */

/* The columns of the PrefixScan's own row that the node reads, as they are collected. */
typedef struct Inputs
{
	List	  *scan_tlist; /* of the PrefixScan */
	Index	   varno;	   /* of the subquery */
	AttrNumber before;	   /* columns of the node's row before the inputs */
	List	  *tlist;	   /* the new target list of the PrefixScan */
} Inputs;

/* Returns the column of the new target list that an expression is, which is added if it is new; 0: it is none. */
static AttrNumber
input_column(Inputs *inputs, Expr *expr)
{
	TargetEntry *entry = tlist_member(expr, inputs->tlist);

	if (entry != NULL)
		return entry->resno;
	if (!IsA(expr, Const) && tlist_member(expr, inputs->scan_tlist) == NULL)
		return 0;
	inputs->tlist = lappend(inputs->tlist,
							makeTargetEntry((Expr *) copyObject(expr), list_length(inputs->tlist) + 1, NULL, false));
	return list_length(inputs->tlist);
}

static Var *
input_var(const Inputs *inputs, const TargetEntry *entry)
{
	const Node *expr = (const Node *) entry->expr;

	return makeVar(inputs->varno, inputs->before + entry->resno, exprType(expr), exprTypmod(expr), exprCollation(expr),
				   0);
}

/* Returns an expression of the subquery with Vars of the node's own row in the place of its inputs. */
static Node *
over_inputs(Node *node, void *context)
{
	Inputs	  *inputs = (Inputs *) context;
	AttrNumber column;

	if (node == NULL)
		return NULL;
	column = IsA(node, Const) ? 0 : input_column(inputs, (Expr *) node);
	if (column > 0)
		return (Node *) input_var(inputs, list_nth_node(TargetEntry, inputs->tlist, column - 1));
	return expression_tree_mutator(node, over_inputs, context);
}

/*
 * Takes the expressions out of the target list of the PrefixScan, and returns them over the inputs.  *sources: the list
 * REDUCE_SOURCES.  Where the subquery's plan is no PrefixScan after all, or computes nothing, it stays as it is.
 */
static List *
take_expressions(SubqueryScan *child, Inputs *inputs, List **sources)
{
	const CustomScan *window = planned_node(child->subplan, &prefix_scan_methods);
	List			 *exprs = NIL;

	*sources = NIL;
	if (window == NULL || window->scan.plan.qual != NIL)
		return NIL;
	inputs->scan_tlist = window->custom_scan_tlist;
	foreach_node (TargetEntry, entry, window->scan.plan.targetlist)
	{
		Expr *expr = entry->expr;
		int	  source = input_column(inputs, expr);

		if (source == 0)
		{
			exprs = lappend(exprs, over_inputs((Node *) expr, inputs));
			source = -list_length(exprs);
		}
		*sources = lappend_int(*sources, source);
	}
	if (exprs == NIL || inputs->tlist == NIL)
	{
		*sources = inputs->tlist = NIL;
		return NIL;
	}
	child->subplan->targetlist = inputs->tlist;
	return exprs;
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
	List *aggregates = NIL, *once = NIL;

	foreach_ptr (
		Node, expr,
		pull_var_clause((Node *) exprs, PVC_INCLUDE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS | PVC_INCLUDE_PLACEHOLDERS))
		if (IsA(expr, Aggref))
			aggregates = lappend(aggregates, expr);
	list_sort(aggregates, compare_aggregates);
	foreach_node (Aggref, aggref, aggregates)
		if (once == NIL || llast_node(Aggref, once)->aggno != aggref->aggno)
			once = lappend(once, aggref);
	return once;
}

/* Returns the arguments of aggregates, and after those of each its FILTER. */
static List *
expressions_of(const List *aggregates)
{
	List *exprs = NIL;

	foreach_node (Aggref, aggref, aggregates)
	{
		exprs = list_concat(exprs, get_tlist_exprs(aggref->args, true));
		if (aggref->aggfilter != NULL)
			exprs = lappend(exprs, aggref->aggfilter);
	}
	return exprs;
}

/*
 * Returns the node's own row: the subquery's columns, the aggregates, and the inputs.  A junk column has no name, and
 * is not read.
 */
static List *
own_row(const List *columns, const List *aggregates, const Inputs *inputs)
{
	List *exprs = NIL;

	foreach_node (TargetEntry, entry, columns)
	{
		const Var *var = (const Var *) entry->expr;

		exprs = lappend(exprs, entry->resjunk ? (Expr *) makeNullConst(var->vartype, var->vartypmod, var->varcollid)
											  : entry->expr);
	}
	exprs = list_concat(exprs, aggregates);
	foreach_node (TargetEntry, column, inputs->tlist)
		exprs = lappend(exprs, input_var(inputs, column));
	return planned_row(exprs);
}

/* Returns the list REDUCE_KEY_COLUMNS: each key of GROUP BY is a column of the subquery. */
static List *
key_columns(const PlannerInfo *root, List *groups)
{
	List *columns = NIL;

	foreach_node (SortGroupClause, clause, groups)
	{
		const Node *expr = get_sortgroupclause_expr(clause, root->processed_tlist);

		columns = lappend_int(columns, ((const Var *) expr)->varattno);
	}
	return columns;
}

static Plan *
window_reduce_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *custom, List *tlist, List *clauses, List *children)
{
	const ReducePath *path = (const ReducePath *) custom;
	SubqueryScan	 *child = castNode(SubqueryScan, linitial(children));
	List			 *conditions = child->scan.plan.qual;
	List			 *columns = all_columns(child);
	List			 *aggregates = NIL, *exprs, *computed, *sources, *numbers, *private;
	CustomScan		 *scan = (CustomScan *) palloc(sizeof(CustomScan));
	Inputs			  inputs = {.varno = child->scan.scanrelid};

	if (path->aggregates)
		aggregates = reduce_aggregates(list_concat_copy(custom->path.pathtarget->exprs, path->having));
	/* what an aggregate consists of tells whether the node computes it; none of core's ever changes */
	foreach_node (Aggref, aggref, aggregates)
		if (aggref->aggfnoid >= FirstUnpinnedObjectId)
			plan_depends_on(root, aggregate_parts(aggref->aggfnoid));
	inputs.before = list_length(columns) + list_length(aggregates);
	computed = take_expressions(child, &inputs, &sources);
	child->scan.plan.qual = NIL;
	child->scan.plan.targetlist = all_columns(child);
	numbers = list_make5_int(list_length(columns), list_length(conditions), list_length(aggregates),
							 path->groups != NIL, path->by_partition);
	private = list_make2(list_make2_int((int) (scan_build >> 32), (int) scan_build),
						 lappend_int(numbers, list_length(computed)));
	private = list_concat(private, list_make3(key_columns(root, path->groups), path->groups, sources));
	exprs = list_concat(list_copy(conditions), copyObject(expressions_of(aggregates)));
	*scan = (CustomScan){.scan.plan = {.type = T_CustomScan, .targetlist = tlist, .qual = path->having},
						 .flags = custom->flags,
						 .custom_plans = children,
						 .custom_exprs = list_concat(exprs, computed),
						 .custom_private = private,
						 .custom_scan_tlist = own_row(columns, aggregates, &inputs),
						 .methods = &window_reduce_methods};
	return &scan->scan.plan;
}

const CustomPathMethods window_reduce_path_methods = {.CustomName = WINDOW_REDUCE_NAME,
													  .PlanCustomPath = window_reduce_plan};
