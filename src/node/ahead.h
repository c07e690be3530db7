/*
 * ahead.h: what would show of the node's reading ahead.
 */
#ifndef SCAN_NODE_AHEAD_H
#define SCAN_NODE_AHEAD_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/* Whether the conditions on a window's answers keep core from something that could show; its functions. */
extern bool ahead_conditions_show(const WindowAggPath *window_path, List *functions);

/* Whether computing another row below a window may fail or show after the window has given its first row. */
extern bool ahead_rows_are_fallible(const PlannerInfo *root, const Path *child);

/* Whether the node reads more rows than core before it can answer one, rows that may fail or show. */
extern bool ahead_functions_show(const PlannerInfo *root, const WindowAggPath *window_path, List *functions);

/*
 * Whether it would show if the plan took its rows in another order than core's: somebody stops
 * early, the rows that the windows give may fail, and core has paths of several orders.
 */
extern bool ahead_order_shows(const PlannerInfo *root, const RelOptInfo *output_rel);

#endif /* SCAN_NODE_AHEAD_H */
