/*
 * plan.h: PrefixScan in the planner.
 */
#ifndef SCAN_NODE_PLAN_PLAN_H
#define SCAN_NODE_PLAN_PLAN_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/* Hooks the node into the planner, and what it says of windows that were left into EXPLAIN. */
extern void plan_init(void);

/* cost.c: sets rows and costs of a path of the node over another */
extern void prefix_scan_cost(PlannerInfo *root, Path *path, List *functions, const Path *child, bool sorts);

/* Whether the peer groups or partitions that have to be held whole are likely to fit in scan.work_mem. */
extern bool prefix_scan_units_fit(PlannerInfo *root, const WindowClause *window, List *functions, const Path *child);

/* explain.c: has EXPLAIN (VERBOSE) say which windows were left to WindowAgg, and why */
extern void explain_declined_init(void);

#endif /* SCAN_NODE_PLAN_PLAN_H */
