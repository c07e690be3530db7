/*
 * plan_walker.h: walks the nodes of a finished plan.
 */
#ifndef SCAN_NODE_PLAN_WALKER_H
#define SCAN_NODE_PLAN_WALKER_H

#include "postgres.h"

#include "nodes/plannodes.h"

typedef void (*PlanVisitor)(Plan *plan, void *context);

/* Visits the children of a node. */
extern void walk_children(Plan *plan, PlanVisitor visit, void *context);

/* Visits each plan of a list, which may have NULLs, without the nodes below it. */
extern void walk_each(const List *plans, PlanVisitor visit, void *context);

/* Visits each node of a statement's plan and subplans, a node before those below it. */
extern void walk_statement(const PlannedStmt *statement, PlanVisitor visit, void *context);

#endif /* SCAN_NODE_PLAN_WALKER_H */
