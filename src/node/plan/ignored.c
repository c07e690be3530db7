/*
 * ignored.c: warns of calls that mean something else than users expect.
 *
 * plan.c calls it if a function of ours is given a frame, which it ignores.  scan_sum and our other window functions
 * are about all rows of the partition up to the current one, as rank() is, whatever frame their window has.  SQL
 * defines window functions so, but users do not expect it.  A user who writes ROWS 6 PRECEDING over scan_sum wants
 * something else, which an aggregate gives.  The planner's hook is the first place that sees function and frame
 * together, once per statement that is planned.
 *
 * A window ORDER BY at DESC makes one session of all rows: scan_session begins another one after a step forward only.
 *
 * declined.c calls it for calls scan_change(a, b).  A user who writes that wants to number the runs of both columns,
 * but b is `reset`.  Only the query as it was written tells b from reset => b, so the planner's hook asks before the
 * query is planned.  The statement that loads the library, a session's first one, has been past that hook.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "node/plan/planning.h"
#include "node/planned_window.h"
#include "node/text.h"
#include "node/window_function.h"

/* True for frames that agree with the functions: they begin with the partition, and end with the row or its peers. */
static bool
frame_is_so_far(int options)
{
	return (options & FRAMEOPTION_START_UNBOUNDED_PRECEDING) && (options & FRAMEOPTION_END_CURRENT_ROW) &&
		   !(options & FRAMEOPTION_EXCLUSION);
}

/*
 * Returns the aggregate that does over a frame what scan_X does from the partition's first row on: mostly core's
 * aggregate X.  NULL if there is none.
 */
static const char *
aggregate_instead(const WindowFunc *wfunc, const char *name)
{
	Oid type = wfunc->args == NIL ? InvalidOid : exprType((const Node *) linitial(wfunc->args));

	if (strcmp(name, "scan_count") == 0)
		return "count(*) FILTER (WHERE ...)"; /* scan_count counts what is true, not what is not NULL */
	if (strcmp(name, "scan_sum") == 0 && (type == FLOAT4OID || type == FLOAT8OID))
		return "exact_sum";
	return strncmp(name, "scan_", 5) == 0 && aggregate_is_stock(name + 5) ? name + 5 : NULL;
}

static void
warn_ignored(const WindowFunc *wfunc)
{
	const char *name = name_of_function(wfunc->winfnoid);
	const char *instead = aggregate_instead(wfunc, name);

	ereport(
		WARNING,
		(errmsg("the frame has no effect on function %s", name),
		 instead != NULL
			 ? errhint("To compute over a frame, use the aggregate %s. Otherwise leave out the frame clause.", instead)
			 : errhint("Leave out the frame clause.")));
}

/* True for scan_session(at, ...) OVER (ORDER BY at DESC). */
static bool
runs_backwards(const PlannerInfo *root, const WindowClause *window, const WindowFunc *wfunc)
{
	const SortGroupClause *first;
	bool				   descending = false;
	Oid					   equal_op;

	if (window->orderClause == NIL || strcmp(name_of_function(wfunc->winfnoid), "scan_session") != 0)
		return false;
	first = linitial_node(SortGroupClause, window->orderClause);
	equal_op = get_equality_op_for_ordering_op(first->sortop, &descending);
	return OidIsValid(equal_op) && descending &&
		   equal(get_sortgroupclause_expr(unconstify(SortGroupClause *, first), root->processed_tlist),
				 linitial(wfunc->args));
}

void
plan_warn_of_windows(const PlannerInfo *root)
{
	List *looked_at = NIL;

	foreach_node (WindowClause, window, root->parse->windowClause)
	{
		foreach_node (WindowFunc, wfunc, window_calls(root->processed_tlist, window->winref))
		{
			if (!window_function_is_ours(wfunc) || list_member(looked_at, wfunc))
				continue;
			looked_at = lappend(looked_at, wfunc);
			if (!frame_is_so_far(window->frameOptions))
				warn_ignored(wfunc);
			if (runs_backwards(root, window, wfunc))
				ereport(WARNING, (errmsg("all rows are one session where \"at\" of scan_session runs backwards"),
								  errhint("Order the window by \"at\" without DESC.")));
		}
	}
}

/* True for scan_change(a, b), where b is a column. */
static bool
resets_by_column(const WindowFunc *wfunc)
{
	const Node *second = list_length(wfunc->args) == 2 ? (const Node *) lsecond(wfunc->args) : NULL;

	return second != NULL && IsA(second, Var) && exprType(second) == BOOLOID && window_function_is_ours(wfunc) &&
		   strcmp(name_of_function(wfunc->winfnoid), "scan_change") == 0;
}

static bool
warn_of_resets(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return walk_window_levels((Query *) node, warn_of_resets, context);
	if (IsA(node, WindowFunc) && resets_by_column((const WindowFunc *) node))
		ereport(WARNING,
				(errmsg("the second argument of scan_change is \"reset\", and not a second value"),
				 errhint("To number the runs of two columns, write scan_change(ROW(a, b)). To begin anew where the "
						 "column is true, write reset => b.")));
	return expression_tree_walker(node, warn_of_resets, context);
}

void
plan_warn_of_resets(Query *query)
{
	warn_of_resets((Node *) query, NULL);
}
