/*
 * path.h: builds the paths of PrefixScan.
 */
#ifndef SCAN_NODE_PLAN_PATH_H
#define SCAN_NODE_PLAN_PATH_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

/* CustomPath.custom_private, which create_plan.c reads. */
enum
{
	PATH_WINDOW = 0,		/* the WindowClause */
	PATH_SORTS,				/* Integer: true if the node has to sort */
	PATH_FALLIBLE,			/* Integer: true if computing another row below may raise an error or have a side effect */
	PATH_QUAL,				/* conditions on the results of the top window */
	PATH_FUNCTIONS,			/* WindowFunc */
	PATH_INFOS,				/* each function's WindowFunctionInfo, as window_function_info_to_list() makes it */
	PATH_RANGE_PARTITIONED, /* only there if processes take ranges of the order, not whole partitions */
};

/* create_plan.c */
extern const CustomPathMethods prefix_scan_path_methods;

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
extern Path *prefix_scan_path(PlannerInfo *root, const WindowAggPath *window_path, List *functions, Path *child,
							  bool sorts);

#endif /* SCAN_NODE_PLAN_PATH_H */
