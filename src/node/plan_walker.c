/*
 * plan_walker.c: walks the nodes of a finished plan.
 *
 * plan/declined.c looks for the WindowAggs that are left, plan/parallel_blocker.c for nodes that must run in one
 * process, deparse.c and error_timing/early_stop.c for our own node.  Core can walk expressions and running plan
 * states, but not plans.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "compat.h"
#include "node/plan_walker.h"

void
walk_each(const List *plans, PlanVisitor visit, void *context)
{
	foreach_ptr (Plan, plan, plans)
		if (plan != NULL)
			visit(plan, context);
}

void
walk_children(Plan *plan, PlanVisitor visit, void *context)
{
	switch (nodeTag(plan))
	{
		case T_Append:
			walk_each(((Append *) plan)->appendplans, visit, context);
			break;
		case T_MergeAppend:
			walk_each(((MergeAppend *) plan)->mergeplans, visit, context);
			break;
		case T_SubqueryScan:
			visit(((SubqueryScan *) plan)->subplan, context);
			break;
		case T_CustomScan:
			walk_each(((CustomScan *) plan)->custom_plans, visit, context);
			break;
		default: /* of other nodes, only BitmapAnd and BitmapOr have more children, and no window is below those */
			break;
	}
	if (outerPlan(plan) != NULL)
		visit(outerPlan(plan), context);
	if (innerPlan(plan) != NULL)
		visit(innerPlan(plan), context);
}

/* What walk_statement() passes down: the caller's visitor and its context. */
typedef struct Walk
{
	PlanVisitor visit;
	void	   *context;
} Walk;

static void
walk_plan(Plan *plan, void *context)
{
	Walk *all = (Walk *) context;

	check_stack_depth();
	all->visit(plan, all->context);
	walk_children(plan, walk_plan, all);
}

void
walk_statement(const PlannedStmt *statement, PlanVisitor visit, void *context)
{
	Walk all = {visit, context};

	walk_plan(statement->planTree, &all);
	walk_each(statement->subplans, walk_plan, &all);
}
