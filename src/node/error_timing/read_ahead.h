/*
 * read_ahead.h: tells where reading ahead could change what a user sees.
 */
#ifndef SCAN_NODE_ERROR_TIMING_READ_AHEAD_H
#define SCAN_NODE_ERROR_TIMING_READ_AHEAD_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "node/level.h"

/* True if core stops reading at the first row that fails a condition, since all rows are one partition. */
extern bool core_stops_reading(const WindowAggPath *window_path);

/*
 * True if the conditions on a window's results keep core from computing something that may raise an error or have a
 * side effect; `functions`: the WindowFunctionInfo of each of the window's functions.
 */
extern bool read_ahead_of_conditions_is_observable(const WindowAggPath *window_path, List *functions);

/* True if a path below a window may raise an error or have a side effect after it has returned its first row. */
extern bool rows_below_may_error_or_side_effect(QueryLevel *level, const WindowAggPath *window_path, const Path *child);

/* True if a user could notice that the rows of a path below a window are read earlier than core would read them. */
extern bool read_ahead_of_rows_is_observable(QueryLevel *level, const WindowAggPath *window_path, const Path *child);

/* The same for a window whose frame slides; `functions`: the WindowFunctionInfo of each of its functions. */
extern bool read_ahead_of_frames_is_observable(QueryLevel *level, const WindowAggPath *window_path, List *functions);

/* The same for a plan that may be asked for fewer rows than it was made for: its rows are then read one by one. */
extern bool rows_below_need_care(QueryLevel *level, const Path *child);

/*
 * True if the node must read further ahead than core before it can emit a row, and the rows that it reads may raise
 * an error or have a side effect.
 */
extern bool read_ahead_of_functions_is_observable(QueryLevel *level, const WindowAggPath *window_path, List *functions);

/*
 * True if a plan that reads its rows in another order than core's could change what a user sees: the query stops
 * early, the rows that the windows emit may raise an error, and `paths`, core's for the top window, are of several
 * orders.
 */
extern bool read_ahead_of_order_is_observable(const PlannerInfo *root, const List *paths);

#endif /* SCAN_NODE_ERROR_TIMING_READ_AHEAD_H */
