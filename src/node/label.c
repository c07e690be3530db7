/*
 * label.c: what EXPLAIN prints where a node shows an answer of PrefixScan's.
 *
 * Every such place is a reference to custom_scan_tlist, and of that EXPLAIN prints the
 * expression.  A WindowFunc stands there, for setrefs.c to find.  But PostgreSQL 18
 * prints the name of its window, looks for the WindowAgg that has it, and raises an
 * error where there is none; before, all it could say of the window was "OVER (?)".
 * So, once setrefs.c is done, which is when the planner is, the WindowFunc gives way
 * to a call of the same function, in every version.  Nobody evaluates it: it is a
 * label.  For an aggregate it is an Aggref, which has the star and the FILTER.
 *
 * A statement whose own planning has loaded the library, the first of a connection,
 * went round the planner's hook.  Its labels are made when it starts: every node has
 * started before EXPLAIN prints the first.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"

#include "node/node.h"
#include "node/walk.h"

static Node *
aggregate_label(const WindowFunc *wfunc)
{
	Aggref	 *aggref = makeNode(Aggref);
	ListCell *cell;

	aggref->aggfnoid = wfunc->winfnoid;
	aggref->aggtype = wfunc->wintype;
	aggref->aggcollid = wfunc->wincollid;
	aggref->inputcollid = wfunc->inputcollid;
	foreach (cell, wfunc->args)
	{
		Expr *expr = (Expr *) lfirst(cell);

		aggref->aggargtypes = lappend_oid(aggref->aggargtypes, exprType((Node *) expr));
		aggref->args = lappend(aggref->args, makeTargetEntry(expr, foreach_current_index(cell) + 1, NULL, false));
	}
	aggref->aggfilter = wfunc->aggfilter;
	aggref->aggstar = wfunc->winstar;
	aggref->aggkind = AGGKIND_NORMAL;
	aggref->aggsplit = AGGSPLIT_SIMPLE;
	aggref->aggno = aggref->aggtransno = -1;
	aggref->location = wfunc->location;
	return (Node *) aggref;
}

static Node *
label_functions(Node *node, void *context)
{
	const WindowFunc *wfunc;

	if (node == NULL)
		return NULL;
	node = expression_tree_mutator(node, label_functions, context);
	if (!IsA(node, WindowFunc))
		return node;
	wfunc = (const WindowFunc *) node;
	if (wfunc->winagg)
		return aggregate_label(wfunc);
	return (Node *) makeFuncExpr(wfunc->winfnoid, wfunc->wintype, wfunc->args, wfunc->wincollid, wfunc->inputcollid,
								 COERCE_EXPLICIT_CALL);
}

static void
label_plan(Plan *plan, void *context)
{
	CustomScan *scan = (CustomScan *) plan;

	if (IsA(plan, CustomScan) && scan->methods->CreateCustomScanState == prefix_scan_create_state)
		scan->custom_scan_tlist = (List *) label_functions((Node *) scan->custom_scan_tlist, NULL);
}

void
prefix_scan_label(PlannedStmt *statement)
{
	walk_statement(statement, label_plan, NULL);
}

void
prefix_scan_label_late(CustomScan *scan)
{
	MemoryContext old;

	if (!IsA(llast_node(TargetEntry, scan->custom_scan_tlist)->expr, WindowFunc))
		return;
	/* where the plan is, which may be kept */
	old = MemoryContextSwitchTo(GetMemoryChunkContext(scan));
	label_plan(&scan->scan.plan, NULL);
	MemoryContextSwitchTo(old);
}
