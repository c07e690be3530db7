/*
 * planned_node.c: what the plans of PrefixScan and WindowReduce have in common: the methods that a node of a plan is
 * known by, and the columns of its row.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"

#include "compat.h"
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
