/*
 * ahead.c: what would show of the node's looking ahead.
 *
 * WindowAgg computes what it needs for the row that it gives; the node pulls rows and
 * answers them by the block.  Nobody can tell, unless something of it raises an error
 * or has a side effect, and core would not have come to it.  plan.c leaves such windows
 * to core.
 *
 * What cannot fail is told by the catalog: a leakproof function raises no error that
 * hangs on its arguments.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "node/ahead.h"
#include "node/late.h"
#include "node/node.h"

/*
 * Core computes the target list of a row before it asks the conditions on the window's
 * answers, and computes nothing more of a partition of which a row has failed them.
 * The node asks first and computes all: where errors or volatile functions could show
 * it, the window is core's.
 */
bool
ahead_conditions_show(const WindowAggPath *window_path, List *functions)
{
	bool	  stops = compat_run_condition(window_path) != NIL;
	ListCell *cell;

	if (stops)
		foreach (cell, functions)
			if (node_function_may_fail(lfirst_node(WindowFunc, cell)))
				return true;
	if (!window_path->topwindow || (!stops && window_path->qual == NIL))
		return false;
	foreach (cell, window_path->path.pathtarget->exprs)
	{
		Node *expr = (Node *) lfirst(cell);

		if (!IsA(expr, WindowFunc) && (late_is_needed(expr) || contain_volatile_functions(expr)))
			return true;
	}
	return false;
}

static bool
is_not_leakproof(Oid function, void *context)
{
	return !get_func_leakproof(function);
}

static bool
may_fail(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, WindowFunc))
		return node_function_may_fail((const WindowFunc *) node) || expression_tree_walker(node, may_fail, context);
	if (IsA(node, Aggref) && node_aggregate_is_safe(((const Aggref *) node)->aggfnoid))
		return expression_tree_walker(node, may_fail, context);
	if (check_functions_in_node(node, is_not_leakproof, NULL) || IsA(node, CoerceToDomain))
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, may_fail, context, 0);
	return expression_tree_walker(node, may_fail, context);
}

/* Whether somebody above is likely to stop before the last row: at this level, or at one that it is a subquery of. */
static bool
may_stop_early(const PlannerInfo *root)
{
	if (root->tuple_fraction > 0)
		return true;
	for (root = root->parent_root; root != NULL; root = root->parent_root)
	{
		const Query *parse = root->parse;

		if (parse->hasAggs && parse->groupClause == NIL && parse->groupingSets == NIL)
			return false; /* takes them all */
		/* the fraction of a level whose subqueries are planned before it is not known yet */
		if (root->tuple_fraction > 0 || parse->limitCount != NULL)
			return true;
	}
	return false;
}

/*
 * The node pulls rows ahead.  Where somebody is likely to stop before the last row, and
 * the rows are not sorted on the way, an error of a row below could come up that core
 * never reaches: in the FROM clause, in groups, or in a window of which these are the rows.
 */
bool
ahead_rows_show(PlannerInfo *root, const Path *child)
{
	Query	 *parse = root->parse;
	ListCell *cell;

	if (IsA(child, SortPath) || !may_stop_early(root))
		return false;
	foreach (cell, parse->rtable)
		if (lfirst_node(RangeTblEntry, cell)->rtekind == RTE_CTE)
			return true; /* of this level or of one above: its rows are computed as they are asked for */
	if (may_fail((Node *) parse->jointree, NULL) || range_table_walker(parse->rtable, may_fail, NULL, 0))
		return true;
	if ((parse->hasAggs || parse->groupClause != NIL) &&
		(may_fail((Node *) parse->targetList, NULL) || may_fail(parse->havingQual, NULL)))
		return true;
	for (; IsA(child, WindowAggPath); child = ((const WindowAggPath *) child)->subpath)
		if (may_fail((Node *) child->pathtarget->exprs, NULL))
			return true;
	return false;
}
