/*
 * parallel_blocker.h: tells whether several processes may run a window, and if not, why.
 */
#ifndef SCAN_NODE_PLAN_PARALLEL_BLOCKER_H
#define SCAN_NODE_PLAN_PARALLEL_BLOCKER_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "node/level.h"
#include "node/planned_window.h"

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

#endif /* SCAN_NODE_PLAN_PARALLEL_BLOCKER_H */
