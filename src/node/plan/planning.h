/*
 * planning.h: what the files of plan/ share: a path of the node, and the functions of files that have no header of
 * their own.
 */
#ifndef SCAN_NODE_PLAN_PLANNING_H
#define SCAN_NODE_PLAN_PLANNING_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#include "node/level.h"
#include "node/planned_window.h"
#include "node/skip/skip.h"

/* How the rows of a partial path lie in each process. */
typedef struct WholePartitions
{
	List *by;	 /* pathkeys: the process has whole partitions by these; NIL: it has not */
	List *order; /* pathkeys: the order of the rows in each of these partitions */
} WholePartitions;

/*
 * A path of the node.  Core knows of the CustomPath only; it copies no path of the steps in which the node is offered.
 */
typedef struct PrefixScanPath
{
	CustomPath		custom; /* the first member */
	QueryLevel	   *level;
	WindowClause   *window;
	List		   *functions; /* WindowFunctionInfo; DISTINCT ON has none, and keeps the first row of each partition */
	List		   *conditions;		   /* on the results of the top window */
	bool			sorts;			   /* the node has to sort */
	int				presorted;		   /* if so, the first keys of the window that its input is in order by */
	bool			may_error;		   /* computing another row below may raise an error or have a side effect */
	bool			range_partitioned; /* processes take ranges of the order, not whole partitions */
	bool			gathered;		   /* the path is below a Gather of its query level */
	int				counted;		   /* the limit on a rank that all its rows meet as they are counted; 0: none */
	WholePartitions whole;			   /* of a partial path */
} PrefixScanPath;

/* create_plan.c: makes a plan of a path of the node */
extern const CustomPathMethods prefix_scan_path_methods;

/* What of a window keeps it in WindowAgg. */
typedef struct WindowFault
{
	const WindowFunc *function; /* NULL: none in particular */
	int				  part;		/* the number of its argument, or a PART_* of reason.h */
} WindowFault;

/*
 * verdict.c: returns REASON_NONE if the node is offered for a window, else why not; *fault: what is at fault.
 * `functions`, here and below: the WindowFunctionInfo of each of the window's functions.
 */
extern WindowReason window_verdict(QueryLevel *level, const WindowAggPath *window_path, List *functions, bool sorts,
								   WindowFault *fault);

/* verdict.c: returns the reason that a user could notice that the node reads ahead, with a hint that fits the query */
extern WindowReason reason_of_reading_ahead(const QueryLevel *level);

/* verdict.c: returns the conditions on a window's results that a row has to meet before it is emitted. */
extern List *window_conditions(const WindowAggPath *window_path);

/* known_fields.c: false if core's node has a value in a field that the node does not know */
extern bool window_is_known(const WindowClause *original);
extern bool window_function_is_known(const WindowFunc *original);

/* inputs.c: returns the paths over which the node is offered */
extern List *window_inputs(PlannerInfo *root, RelOptInfo *input_rel);

/*
 * inputs.c: returns the paths that are in order by some first keys of the first window, but not by all of them: the
 * node sorts their rows a chunk at a time
 */
extern List *window_presorted_inputs(PlannerInfo *root, RelOptInfo *input_rel);

/*
 * inputs.c: true if core takes a key of a window for redundant that a grouping set makes NULL.  Core's own node must
 * run the window then, for the node would return other rows: the right ones.
 */
extern bool window_forgets_grouping_nulls(PlannerInfo *root, const WindowClause *window);

/* inputs.c: returns how many first keys of a window rows are in order by that have such pathkeys */
extern int window_presorted_keys(PlannerInfo *root, const WindowClause *window, const List *pathkeys);

/* inputs.c: the same of partial paths as window_inputs(), of which there has to be one */
extern List *window_partial_inputs(PlannerInfo *root, RelOptInfo *input_rel);

/* inputs.c: true for the plain scan of a table, which the node reads by the page if it is a heap */
extern bool path_is_plain_scan(const Path *path);

/* parallel_paths.c: returns the partial paths in which several processes run the node in place of all windows */
extern List *parallel_paths(QueryLevel *level, RelOptInfo *input_rel, const RelOptInfo *output_rel);

/* Adds such paths and a Gather of each.  Called when core's paths are not read any more: add_path() may free them. */
extern void parallel_add(PlannerInfo *root, RelOptInfo *output_rel, const List *paths);

/*
 * Takes our partial paths from a relation that is a subquery if what its level computes from the rows must stay above a
 * Gather: the subquery's own Gather is left.  Called when core has built the paths of the relation.
 */
extern void parallel_end_below(PlannerInfo *root, RelOptInfo *rel);

/* whole_partitions.c: returns how the rows of a partial path lie, as pathkeys of the query level that reads the path */
extern WholePartitions whole_partitions(PlannerInfo *root, const Path *path);

/* cost.c: adds to a path in several processes over `child` what it costs to repartition the rows */
extern void prefix_scan_add_repartition(PlannerInfo *root, PrefixScanPath *ours, const Path *child);

/* cost.c: sets rows and costs of a path of the node over `child` */
extern void prefix_scan_cost(PlannerInfo *root, PrefixScanPath *ours, const Path *child);

/*
 * cost.c: adds to a path of the node over an index what core does not charge for rows that do not lie in its order.
 * `core`: the cost of core's path
 */
extern void prefix_scan_scattered_cost(PlannerInfo *root, Path *path, const Path *child, Cost core);

/* create_plan.c: has a cached plan made anew when what its windows are made of changes */
extern void plan_depends(PlannerInfo *root);

/* Has a cached plan made anew when one of these functions changes; some may be InvalidOid. */
extern void plan_depends_on(PlannerInfo *root, const List *functions);

/* ignored.c: warns of a frame, which functions of ours ignore, and of scan_session in a window that runs backwards */
extern void plan_warn_of_windows(const PlannerInfo *root);

/* ignored.c: warns of calls scan_change(a, b), where b is a column: it is `reset`, and no second value */
extern void plan_warn_of_resets(Query *query);

/* cost.c: true if the rows that lag and lead reach are few enough to be held in memory */
extern bool prefix_scan_offsets_fit(const List *functions, const Path *child);

/*
 * first_rows_condition.c: returns which rows of a partition the conditions on a window's results let pass; not how many
 * partitions there are.
 */
extern TopRows top_of_window(const List *functions, const List *conditions);

/* first_rows_condition.c: returns the limit that the conditions set, whichever rows the functions reach */
extern TopRows top_of_conditions(const List *functions, const List *conditions);

/*
 * path.c: returns the paths of a window over the first rows of each partition, which an index finds.  `ours`: the paths
 * of the node that will be added to core's.
 */
extern SkipPaths index_skip_window_paths(QueryLevel *level, RelOptInfo *input_rel, RelOptInfo *output_rel,
										 const List *ours);

/* first_rows_condition.c: returns which rows of a partition the node keeps of those that it sorts; limit 0: all */
extern TopRows prefix_scan_top(const PrefixScanPath *path, const List *functions);

/* path.c: adds a path that finds the first rows of each group by an index; if it is to be forced, drops others. */
extern void add_index_skip_path(RelOptInfo *output_rel, Path *path);

/* distinct.c: adds the paths of DISTINCT and DISTINCT ON. */
extern void add_distinct_paths(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel);

/* explain_declined.c: has EXPLAIN (VERBOSE) say which windows were left to WindowAgg, and why */
extern void explain_declined_init(void);

/* ---- path.c: builds the paths of PrefixScan ---- */

/* Returns the pathkeys of a window's rows. */
extern List *window_pathkeys(PlannerInfo *root, const WindowClause *window);

/* Returns the path below a window's path and below *sort, the sort that core made for the window, or NULL. */
extern Path *below_window(const RelOptInfo *output_rel, const WindowAggPath *window_path, Path **sort);

/* True if a path is one of core's for a window. */
extern bool path_is_window(const RelOptInfo *output_rel, const Path *path);

/*
 * Returns a path of the node in place of a window's path, over `child`, which the node sorts if `sorts`, and is then in
 * order by the first `presorted` keys.  `functions`: the WindowFunctionInfo of each function.
 */
extern Path *prefix_scan_path(QueryLevel *level, const WindowAggPath *window_path, List *functions, Path *child,
							  bool sorts, int presorted);

/* ---- declined.c: records why a window was left to WindowAgg ---- */

/* A window of a finished plan that WindowAgg runs. */
typedef struct DeclinedWindow
{
	const char *name;	   /* its name in the WINDOW clause; NULL: it has none */
	const char *over;	   /* its clauses as text; "": it has none */
	List	   *functions; /* names of its functions */
	const char *about;	   /* name of the function that was the reason; NULL: none was */
	ReasonText	text;
} DeclinedWindow;

/* What the planner tells EXPLAIN about the first statement that it plans. */
typedef struct DeclinedReport
{
	const PlannedStmt *statement; /* NULL: not planned yet */
	List			  *left;	  /* a DeclinedWindow for each window left to WindowAgg */
} DeclinedReport;

/* Where the planner puts the report; NULL if no EXPLAIN asks for it. */
extern DeclinedReport *declined_report;

/* Notes the verdict on a window while a statement is planned. */
extern void declined_note(const WindowAggPath *path, WindowReason verdict, WindowFault fault);

/* True if the statement is planned in the course of another one. */
extern bool planning_is_nested(void);

extern void declined_init(void);

/* ---- parallel_blocker.c: tells whether several processes may run a window, and if not, why ---- */

/* A window of which the planner asks if several processes may run it. */
typedef struct ParallelSubject
{
	const WindowClause *window;
	const List		   *functions;	/* WindowFunctionInfo */
	const List		   *exprs;		/* computed with the window */
	const List		   *conditions; /* on its results */
} ParallelSubject;

/*
 * Returns the options by which a query is planned: without a parallel plan if scan_fold calls a function that is
 * parallel unsafe.  Core sees scan_fold, which is restricted, but not the function that it calls.
 */
extern int parallel_safe_options(Query *query, int options);

/*
 * Calls a walker for the parts of a query that can have window functions.  Hooks do so for every statement, so
 * expressions are read only in query levels with windows, and in those whose expressions have levels of their own.
 */
extern bool walk_window_levels(Query *query, bool (*walker)(Node *, void *), void *context);

/* Sets an ExecutorStart hook that makes the same check, for a plan that was made before the library was loaded. */
extern void parallel_blocker_init(void);

/* Returns why no window over the rows of input_rel can run in several processes; REASON_NONE if it can. */
extern WindowReason parallel_blocker_of_rows(QueryLevel *level, const RelOptInfo *input_rel);

/*
 * Returns why a window over the partial path `input` cannot run in several processes; REASON_NONE if it can.
 * *range_partitioned: each process has to take ranges of the order, not whole partitions.
 */
extern WindowReason parallel_blocker_of_window(QueryLevel *level, const ParallelSubject *subject, const Path *input,
											   bool *range_partitioned);

/* ---- bounded_overlap.c: tells whether the rows of a window reach few other rows ---- */

/* True if sliding frames, lag and lead reach few rows around each row of a window over the partial path `input`. */
extern bool overlap_is_bounded(PlannerInfo *root, const WindowClause *window, const List *functions, const Path *input);

/* ---- citus.c: what the planner has to know of Citus, if it is loaded ---- */

/*
 * True if a step of a distributed query must not have a node of ours in it: the Citus that is loaded would take the
 * node for one of its own in EXPLAIN ANALYZE.
 */
extern bool citus_takes_nodes_for_its_own(void);

/* ---- plan.c: PrefixScan in the planner ---- */

/* Sets the hooks of plan/: for paths in the planner, for EXPLAIN of windows left to WindowAgg, and for the executor. */
extern void plan_init(void);

#endif /* SCAN_NODE_PLAN_PLANNING_H */
