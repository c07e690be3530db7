/*
 * start_functions.c: starts the functions of a PrefixScan, once it is known that the user may call them.
 *
 * begin.c calls it when it has prepared the arguments.  What can raise an error comes in the order of core's
 * ExecInitWindowAgg(), so that of several errors the user sees the one that WindowAgg would raise: the arguments, the
 * functions that compare keys, and then one function after the other, each with the functions that it consists of
 * (aggregate/components.c).  The order in which the target list, the conditions and the plan below start is that of a
 * CustomScan: the target list comes first, where WindowAgg has it last.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "utils/regproc.h"

#include "compat.h"
#include "library/library.h"
#include "node/evaluate/function.h"
#include "node/exec/state.h"
#include "node/planned_window.h"

/*
 * Asks whether the user may compare some keys, in the order in which core's execTuplesMatchPrepare() asks.  Core asks
 * about the functions by which keys are equal, and not about those by which they are sorted or hashed.
 */
static void
check_keys(const WindowKeys *keys, int from, int to)
{
	for (int k = to - 1; k >= from; k--)
		check_execute(keys->key[k].equal.fn_oid, GetUserId());
}

/*
 * Raises an error if a function is not what it was when the plan was made.  A cached plan is made anew if one of its
 * functions changes (plan/create_plan.c).  This check is for a change between planning and start, and for one that a
 * parallel worker sees first.
 */
static void
check_is_as_planned(const WindowFunc *wfunc, const List *planned, int frame_options)
{
	WindowFunctionInfo now = window_function_info(wfunc, frame_options);

	if (!equal(window_function_info_to_list(&now), planned))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("function %s has changed since the query was planned", format_procedure(wfunc->winfnoid)),
				 errhint("Run the query again.")));
}

/*
 * Returns the numbers of the functions in the order in which core starts them: that of the target list.  The node's own
 * order is that in which core evaluates them at a row.
 */
static List *
functions_in_order(const PrefixScanState *state, const CustomScan *scan)
{
	List *order = NIL;

	foreach_node (Var, var,
				  pull_var_clause((Node *) scan->scan.plan.targetlist,
								  PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS | PVC_RECURSE_PLACEHOLDERS))
		if (var->varattno > state->child_columns)
			order = list_append_unique_int(order, var->varattno - state->child_columns - 1);
	for (int i = 0; i < state->functions; i++)
		order = list_append_unique_int(order, i);
	return order;
}

/*
 * Starts the functions, and asks before each whether the user may call it.  All that can raise an error comes in the
 * order of ExecInitWindowAgg(), so that the first error is core's: arguments, keys, and then function by function.
 */
void
prefix_scan_start_functions(PrefixScanState *state, const CustomScan *scan)
{
	const WindowKeys *keys = &state->reader.keys;
	const List		 *planned = planned_list(scan, PRIVATE_INFOS);

	check_keys(keys, 0, keys->partition);
	/* the Unique of DISTINCT ON compares no others */
	if (!state->distinct)
		check_keys(keys, keys->partition, keys->n);
	foreach_int (number, functions_in_order(state, scan))
	{
		RowFunction *f = function_at(state, number);

		check_execute(node_info(f)->wfunc->winfnoid, GetUserId());
		check_is_as_planned(node_info(f)->wfunc, (const List *) list_nth(planned, number), state->reader.frame.options);
		node_function_start(f);
	}
}
