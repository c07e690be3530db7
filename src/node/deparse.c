/*
 * deparse.c: makes the functions of a PrefixScan printable for EXPLAIN.
 *
 * plan/declined.c calls it for every finished plan, exec/begin.c for plans that our planner hook has missed.  Where the
 * plan uses a result of the window, it has a reference to custom_scan_tlist, and EXPLAIN prints the expression that it
 * finds there.  During planning this expression has to be a WindowFunc, so that setrefs.c finds it.  But for a
 * WindowFunc PostgreSQL 18 prints the name of its window, looks for the WindowAgg of that window, and raises an error
 * if there is none; earlier versions can only print "OVER (?)".  So, in every version, the WindowFunc is replaced by a
 * plain call of the same function once setrefs.c is done.  The call is never evaluated.  For an aggregate the call is
 * an Aggref, which can print the star and the FILTER.
 *
 * A statement whose own planning has loaded the library (the first one of a connection) was planned without our hook.
 * Its functions are replaced when the plan starts: every node has started before EXPLAIN prints the first.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"

#include "compat.h"
#include "node/plan_walker.h"
#include "node/planned_window.h"
#include "node/text.h"

static Node *
deparse_aggregate(const WindowFunc *wfunc)
{
	Aggref *aggref = (Aggref *) palloc(sizeof(Aggref));

	*aggref = (Aggref){.xpr.type = T_Aggref,
					   .aggfnoid = wfunc->winfnoid,
					   .aggtype = wfunc->wintype,
					   .aggcollid = wfunc->wincollid,
					   .inputcollid = wfunc->inputcollid,
					   .aggfilter = wfunc->aggfilter,
					   .aggstar = wfunc->winstar,
					   .aggkind = AGGKIND_NORMAL,
					   .aggsplit = AGGSPLIT_SIMPLE,
					   .aggno = -1,
					   .aggtransno = -1,
					   .location = wfunc->location};
	foreach_ptr (Expr, expr, wfunc->args)
	{
		aggref->aggargtypes = lappend_oid(aggref->aggargtypes, exprType((Node *) expr));
		aggref->args = lappend(aggref->args, makeTargetEntry(expr, foreach_current_index(expr) + 1, NULL, false));
	}
	return (Node *) aggref;
}

static Node *
deparse_function(const WindowFunc *wfunc)
{
	return wfunc->winagg ? deparse_aggregate(wfunc)
						 : (Node *) makeFuncExpr(wfunc->winfnoid, wfunc->wintype, wfunc->args, wfunc->wincollid,
												 wfunc->inputcollid, COERCE_EXPLICIT_CALL);
}

/* The functions are columns of the list, and none has another one in an argument. */
static void
deparse_plan(Plan *plan, void *context)
{
	CustomScan *scan = (CustomScan *) planned_node(plan, &prefix_scan_methods);

	if (scan == NULL)
		return;
	foreach_node (TargetEntry, column, scan->custom_scan_tlist)
	{
		if (IsA(column->expr, WindowFunc))
			column->expr = (Expr *) deparse_function((const WindowFunc *) column->expr);
	}
}

void
prefix_scan_deparse(PlannedStmt *statement)
{
	walk_statement(statement, deparse_plan, NULL);
}

void
prefix_scan_deparse_late(CustomScan *scan)
{
	MemoryContext old;

	if (!IsA(llast_node(TargetEntry, scan->custom_scan_tlist)->expr, WindowFunc))
		return;
	/* the plan may be cached: the new expressions have to live as long as it does */
	old = MemoryContextSwitchTo(GetMemoryChunkContext(scan));
	deparse_plan(&scan->scan.plan, NULL);
	MemoryContextSwitchTo(old);
}
