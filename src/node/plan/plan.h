/*
 * plan.h: PrefixScan in the planner.
 */
#ifndef SCAN_NODE_PLAN_PLAN_H
#define SCAN_NODE_PLAN_PLAN_H

/* Sets the hooks of plan/: for paths in the planner, for EXPLAIN of windows left to WindowAgg, and for the executor. */
extern void plan_init(void);

#endif /* SCAN_NODE_PLAN_PLAN_H */
