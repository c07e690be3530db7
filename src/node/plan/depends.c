/*
 * depends.c: records what a plan with windows depends on beside what its expressions name.
 *
 * plan.c calls it for every query level that has windows.  If a function changes that a cached plan's expressions
 * call, core makes the plan anew.  Whether PrefixScan takes a window, and in how many processes it runs, also depends
 * on the functions of an aggregate (none may be volatile) and on the op of scan_fold (its parallel safety), which to
 * core is a constant of type regprocedure.  These functions are recorded where core records the others.
 */
#include "postgres.h"

#include "access/transam.h"
#include "optimizer/optimizer.h"
#include "optimizer/planmain.h"

#include "node/function_info.h"
#include "node/plan/planning.h"

void
plan_depends(PlannerInfo *root)
{
	List	 *all = pull_var_clause((Node *) root->processed_tlist,
									PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_WINDOWFUNCS | PVC_INCLUDE_PLACEHOLDERS);
	ListCell *cell, *part;

	/* no function of an aggregate of core's ever changes */
	foreach (cell, all)
		if (IsA(lfirst(cell), WindowFunc) && lfirst_node(WindowFunc, cell)->winfnoid >= FirstUnpinnedObjectId)
			foreach (part, window_function_parts(lfirst_node(WindowFunc, cell)))
				if (OidIsValid(lfirst_oid(part)))
					record_plan_function_dependency(root, lfirst_oid(part));
}
