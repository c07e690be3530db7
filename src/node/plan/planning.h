/*
 * planning.h: what the files of plan/ share: a path of the node, and the functions of files that have no header of
 * their own.
 */
#ifndef SCAN_NODE_PLAN_PLANNING_H
#define SCAN_NODE_PLAN_PLANNING_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

#include "node/level.h"
#include "node/planned_window.h"

/*
 * A path of the node.  Core knows of the CustomPath only; it copies no path of the steps in which the node is offered.
 */
typedef struct PrefixScanPath
{
	CustomPath	  custom; /* the first member */
	QueryLevel	 *level;
	WindowClause *window;
	List		 *functions;  /* WindowFunctionInfo; DISTINCT ON has none, and keeps the first row of each partition */
	List		 *conditions; /* on the results of the top window */
	bool		  sorts;	  /* the node has to sort */
	bool		  may_error;  /* computing another row below may raise an error or have a side effect */
	bool		  range_partitioned; /* processes take ranges of the order, not whole partitions */
	bool		  gathered;			 /* the path is below a Gather of its query level */
} PrefixScanPath;

/* create_plan.c: makes a plan of a path of the node */
extern const CustomPathMethods prefix_scan_path_methods;

/*
 * verdict.c: returns REASON_NONE if the node is offered for a window, else why not; *about: the function at fault.
 * `functions`, here and below: the WindowFunctionInfo of each of the window's functions.
 */
extern WindowReason window_verdict(QueryLevel *level, const WindowAggPath *window_path, List *functions, bool sorts,
								   const WindowFunc **about);

/* verdict.c: returns the reason that a user could notice that the node reads ahead, with a hint that fits the query */
extern WindowReason reason_of_reading_ahead(const QueryLevel *level);

/* verdict.c: returns the conditions on a window's results that a row has to meet before it is emitted. */
extern List *window_conditions(const WindowAggPath *window_path);

/* known_fields.c: false if core's node has a value in a field that the node does not know */
extern bool window_is_known(const WindowClause *original);
extern bool window_function_is_known(const WindowFunc *original);

/* inputs.c: returns the paths over which the node is offered */
extern List *window_inputs(PlannerInfo *root, RelOptInfo *input_rel);

/* inputs.c: the same of partial paths, of which there has to be one */
extern List *window_partial_inputs(PlannerInfo *root, RelOptInfo *input_rel);

/* inputs.c: true for the plain scan of a table, which the node reads by the page if it is a heap */
extern bool path_is_plain_scan(const Path *path);

/*
 * parallel_paths.c: returns the partial paths in which several processes run the node in place of all windows.  *rows:
 * how many rows the processes have together.
 */
extern List *parallel_paths(QueryLevel *level, RelOptInfo *input_rel, const RelOptInfo *output_rel, double *rows);

/* Adds such paths and a Gather of each.  Called when core's paths are not read any more: add_path() may free them. */
extern void parallel_add(PlannerInfo *root, RelOptInfo *output_rel, const List *paths, double rows);

/* cost.c: returns the cost of repartitioning the rows of a path to several processes */
extern Cost prefix_scan_repartition_cost(PlannerInfo *root, const WindowClause *window, const Path *child,
										 bool range_partitioned);

/* cost.c: sets rows and costs of a path of the node over `child` */
extern void prefix_scan_cost(PlannerInfo *root, Path *path, const WindowClause *window, List *functions,
							 const Path *child, bool sorts);

/* depends.c: has a cached plan made anew when what its windows are made of changes */
extern void plan_depends(PlannerInfo *root);

/* ignored.c: warns of functions of ours whose window has a frame, which they ignore */
extern void plan_warn_of_frames(const PlannerInfo *root);

/* cost.c: true if the rows that lag and lead reach are few enough to be held in memory */
extern bool prefix_scan_offsets_fit(const List *functions, const Path *child);

/*
 * first_rows_condition.c: returns which rows of a partition the conditions on a window's results let pass; not how many
 * partitions there are.
 */
extern TopRows top_of_window(const WindowClause *window, const List *functions, const List *conditions);

/* skip_paths.c: returns the path of a window over the first rows of each partition, which an index finds, or NULL. */
extern Path *index_skip_window_path(QueryLevel *level, RelOptInfo *input_rel, RelOptInfo *output_rel);

/* skip_paths.c: adds a path that finds the first rows of each group by an index; if it is to be forced, drops others.
 */
extern void add_index_skip_path(RelOptInfo *output_rel, Path *path);

/* distinct.c: adds the paths of DISTINCT and DISTINCT ON. */
extern void add_distinct_paths(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel);

/* explain_declined.c: has EXPLAIN (VERBOSE) say which windows were left to WindowAgg, and why */
extern void explain_declined_init(void);

#endif /* SCAN_NODE_PLAN_PLANNING_H */
