/*
 * path.h: builds the paths of PrefixScan.
 */
#ifndef SCAN_NODE_PLAN_PATH_H
#define SCAN_NODE_PLAN_PATH_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "node/level.h"

/* Returns the pathkeys of a window's rows. */
extern List *window_pathkeys(PlannerInfo *root, const WindowClause *window);

/* Returns the path below a window's path and below *sort, the sort that core made for the window, or NULL. */
extern Path *below_window(const RelOptInfo *output_rel, const WindowAggPath *window_path, Path **sort);

/* True if a path is one of core's for a window. */
extern bool path_is_window(const RelOptInfo *output_rel, const Path *path);

/*
 * Returns a path of the node in place of a window's path, over `child`, which the node sorts if `sorts`.  `functions`:
 * the WindowFunctionInfo of each function.
 */
extern Path *prefix_scan_path(QueryLevel *level, const WindowAggPath *window_path, List *functions, Path *child,
							  bool sorts);

#endif /* SCAN_NODE_PLAN_PATH_H */
