/*
 * read_ahead.h: where reading ahead could change what a user sees.
 */
#ifndef SCAN_NODE_PLAN_READ_AHEAD_H
#define SCAN_NODE_PLAN_READ_AHEAD_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/* Whether core reads no further than to the first row that fails a condition: the rows are one partition. */
extern bool core_stops_reading(const WindowAggPath *window_path);

/*
 * Whether the conditions on a window's results stop core from computing something that could fail or
 * have a side effect; `functions` are the window's.
 */
extern bool read_ahead_of_conditions_is_observable(const WindowAggPath *window_path, List *functions);

/* Whether a path below a window, which has given its first row, may fail or have a side effect at another one. */
extern bool rows_below_may_error_or_side_effect(const PlannerInfo *root, const WindowAggPath *window_path,
												const Path *child);

/* The same, for a plan that may be asked for fewer rows than it was made for: such rows are then read one by one. */
extern bool rows_below_need_care(const PlannerInfo *root, const Path *child);

/* Whether the node must read rows that may fail, or have a side effect, further ahead than core before it can emit one.
 */
extern bool read_ahead_of_functions_is_observable(const PlannerInfo *root, const WindowAggPath *window_path,
												  List *functions);

/*
 * Whether a plan that reads its rows in another order than core's could change what a user sees: the
 * query stops early, the rows that the windows emit may fail, and core has paths of several orders.
 */
extern bool read_ahead_of_order_is_observable(const PlannerInfo *root, const RelOptInfo *output_rel);

#endif /* SCAN_NODE_PLAN_READ_AHEAD_H */
