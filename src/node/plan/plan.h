/*
 * plan.h: PrefixScan in the planner.
 */
#ifndef SCAN_NODE_PLAN_PLAN_H
#define SCAN_NODE_PLAN_PLAN_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "node/plan/declined.h"
#include "node/planned_window.h"

/* Hooks the node into the planner, and what it says of windows that were left into EXPLAIN. */
extern void plan_init(void);

/* verdict.c: whether the node is offered for a window; if not, why, and `about` which function */
extern WindowVerdict window_verdict(PlannerInfo *root, const WindowAggPath *window_path, List *functions, bool sorts,
									const WindowFunc **about);

/* The conditions on the results of a window that its rows have to pass before they are emitted. */
extern List *window_conditions(const WindowAggPath *window_path);

/*
 * parallel_paths.c: the path in which several processes run the node in the places of all windows, and how many rows
 * they have together; NULL: there is none.  It is added when core's paths are not looked at any more.
 */
extern Path *parallel_path(PlannerInfo *root, const RelOptInfo *input_rel, const RelOptInfo *output_rel, double *rows);
extern void	 parallel_add(PlannerInfo *root, RelOptInfo *output_rel, Path *partial, double rows);

/* cost.c: what repartitioning the rows of a path to several processes costs */
extern Cost prefix_scan_repartition_cost(const Path *child);

/* cost.c: sets rows and costs of a path of the node over another */
extern void prefix_scan_cost(PlannerInfo *root, Path *path, const WindowClause *window, List *functions,
							 const Path *child, bool sorts);

/* depends.c: has a plan that is kept be made anew when what its windows are made of changes */
extern void plan_depends(PlannerInfo *root);

/* ignored.c: warns of functions of ours whose window has a frame that they do not heed. */
extern void plan_warn_of_frames(const PlannerInfo *root);

/* Whether the rows that lag and lead reach are not too many to be held. */
extern bool prefix_scan_offsets_fit(const List *functions, const Path *child);

/* How many groups so many rows are expected to have by the columns of some clauses. */
extern double prefix_scan_groups(PlannerInfo *root, List *clauses, double rows);

/* first_rows_condition.c: which rows of a partition the conditions on a window's results let pass */
extern TopRows top_of_window(PlannerInfo *root, const WindowClause *window, const List *functions,
							 const List *conditions, double rows);

/* explain_declined.c: has EXPLAIN (VERBOSE) say which windows were left to WindowAgg, and why */
extern void explain_declined_init(void);

#endif /* SCAN_NODE_PLAN_PLAN_H */
