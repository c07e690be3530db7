/*
 * walk.c: the nodes of a finished plan.  Core has a walker of plans that run only.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "node/walk.h"

static void walk(Plan *plan, PlanVisitor visit, void *context);

static void
walk_all(const List *plans, PlanVisitor visit, void *context)
{
	ListCell *cell;

	foreach (cell, plans)
		walk((Plan *) lfirst(cell), visit, context);
}

static void
walk(Plan *plan, PlanVisitor visit, void *context)
{
	if (plan == NULL)
		return;
	check_stack_depth();
	visit(plan, context);
	switch (nodeTag(plan))
	{
		case T_Append:
			walk_all(((Append *) plan)->appendplans, visit, context);
			break;
		case T_MergeAppend:
			walk_all(((MergeAppend *) plan)->mergeplans, visit, context);
			break;
		case T_SubqueryScan:
			walk(((SubqueryScan *) plan)->subplan, visit, context);
			break;
		case T_CustomScan:
			walk_all(((CustomScan *) plan)->custom_plans, visit, context);
			break;
		default: /* of the others only bitmaps have more, and those have no windows below them */
			break;
	}
	walk(outerPlan(plan), visit, context);
	walk(innerPlan(plan), visit, context);
}

void
walk_statement(const PlannedStmt *statement, PlanVisitor visit, void *context)
{
	walk(statement->planTree, visit, context);
	walk_all(statement->subplans, visit, context);
}
