/*
 * path.h: the paths that the node's are made of.
 */
#ifndef SCAN_NODE_PLAN_PATH_H
#define SCAN_NODE_PLAN_PATH_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

/* CustomPath.custom_private, for create_plan.c. */
enum
{
	PATH_WINDOW = 0,		/* the WindowClause */
	PATH_SORTS,				/* Integer: the node has to sort */
	PATH_FALLIBLE,			/* Integer: computing another row below may fail or show */
	PATH_QUAL,				/* conditions on the results of the top window */
	PATH_RANGE_PARTITIONED, /* there: several processes run it, each over ranges of the order, not whole partitions */
};

/* create_plan.c */
extern const CustomPathMethods prefix_scan_path_methods;

/* The order of a window's rows. */
extern List *window_pathkeys(PlannerInfo *root, const WindowClause *window);

/* What stands below a window's path: a sort that core made for it, or NULL, and below that. */
extern Path *below_window(const RelOptInfo *output_rel, const WindowAggPath *window_path, Path **sort);

/* Whether a path is core's of a window. */
extern bool path_is_window(const RelOptInfo *output_rel, const Path *path);

/* The node in place of a window's path, over `child`. */
extern Path *prefix_scan_path(PlannerInfo *root, const WindowAggPath *window_path, List *functions, Path *child,
							  bool sorts);

#endif /* SCAN_NODE_PLAN_PATH_H */
