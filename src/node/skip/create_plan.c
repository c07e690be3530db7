/*
 * create_plan.c: makes the plan of an IndexSkip from its path.
 *
 * Core calls it once the path is chosen, with the plans of the children.  Their rows have the node's target, so the
 * node passes them on.  Each column of the groups gets an executor parameter, which the children's conditions refer to
 * once the node has started (internal.h).
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/paramassign.h"
#include "optimizer/tlist.h"

#include "compat.h"
#include "library/build.h"
#include "node/skip/internal.h"

static Plan *
index_skip_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *children)
{
	const List *numbers = (const List *) list_nth(path->custom_private, SKIP_PATH_NUMBERS);
	const Plan *child = (const Plan *) linitial(children);
	CustomScan *scan = (CustomScan *) palloc(sizeof(CustomScan));
	List	   *columns = NIL, *equals = NIL, *collations = NIL, *parameters = NIL;

	foreach_node (SortGroupClause, clause, (List *) list_nth(path->custom_private, SKIP_PATH_CLAUSES))
	{
		TargetEntry *entry = get_sortgroupclause_tle(clause, child->targetlist);

		columns = lappend_int(columns, entry->resno);
		equals = lappend_oid(equals, clause->eqop);
		collations = lappend_oid(collations, exprCollation((Node *) entry->expr));
	}
	for (int level = 0; level < list_nth_int(numbers, SKIP_NUMBER_LEVELS); level++)
		parameters = lappend_int(parameters, assign_special_exec_param(root));
	*scan = (CustomScan){
		.scan.plan = {.type = T_CustomScan, .targetlist = tlist},
		.flags = path->flags,
		.custom_plans = children,
		.custom_exprs = (List *) list_nth(path->custom_private, SKIP_PATH_BOUNDS),
		.custom_private = list_concat(list_make5(list_make2_int((int) (scan_build >> 32), (int) scan_build),
												 list_copy(numbers), columns, equals, collations),
									  list_make3(parameters, list_nth(path->custom_private, SKIP_PATH_STEPS),
												 list_nth(path->custom_private, SKIP_PATH_BEHIND_BOUND))),
		.custom_scan_tlist = planned_row(get_tlist_exprs(child->targetlist, true)),
		.methods = &index_skip_methods};
	return &scan->scan.plan;
}

const CustomPathMethods index_skip_path_methods = {.CustomName = INDEX_SKIP_NAME, .PlanCustomPath = index_skip_plan};
