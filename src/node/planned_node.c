/*
 * planned_node.c: what the plans of our nodes have in common: the methods that a node of a plan is known by, the
 * columns of its row, and how its execution begins.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"

#include "compat.h"
#include "library/library.h"
#include "node/planned_node.h"

CustomScanMethods prefix_scan_methods = {.CustomName = PREFIX_SCAN_NAME};
CustomScanMethods window_reduce_methods = {.CustomName = WINDOW_REDUCE_NAME};

List *
planned_row(const List *exprs)
{
	List *columns = NIL;

	foreach_ptr (Node, expr, exprs)
		columns = lappend(columns,
						  makeTargetEntry((Expr *) copyObject(expr), foreach_current_index(expr) + 1, NULL, false));
	return columns;
}

Node *
planned_state(const CustomScan *scan, Size size, const CustomExecMethods *methods)
{
	CustomScanState *state = (CustomScanState *) newNode(size, T_CustomScanState);

	library_check_plan(scan);
	state->methods = methods;
	return (Node *) state;
}
