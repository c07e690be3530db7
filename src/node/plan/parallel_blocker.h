/*
 * parallel_blocker.h: whether several processes may run a window, and if not, why.
 */
#ifndef SCAN_NODE_PLAN_PARALLEL_BLOCKER_H
#define SCAN_NODE_PLAN_PARALLEL_BLOCKER_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

#include "node/planned_window.h"

/* What the answer is about: a window, what is computed with it, and the conditions on that. */
typedef struct ParallelSubject
{
	const WindowClause *window;
	const List		   *functions;
	const List		   *exprs;
	const List		   *conditions;
} ParallelSubject;

/*
 * The options that a query is planned by: without a parallel plan if scan_fold calls a function that is unsafe there.
 * Core sees scan_fold, which is restricted, and not the function.
 */
extern int parallel_safe_options(Query *query, int options);

/* Hooks the same into the start of plans: of a plan that was made before the library came. */
extern void parallel_blocker_init(void);

/* Why no window over some rows can run in several processes; PARALLEL_OK: it can. */
extern ParallelBlocker parallel_blocker_of_rows(const PlannerInfo *root, const RelOptInfo *input_rel);

/*
 * Why a window over a partial path cannot; if it can, `range_partitioned`: each process has to have ranges of the
 * order, not whole partitions.
 */
extern ParallelBlocker parallel_blocker_of_window(PlannerInfo *root, const ParallelSubject *subject, const Path *input,
												  bool *range_partitioned);

/* Why it does not, in a plan that is made of such a path. */
extern ParallelBlocker parallel_blocker_of_path(PlannerInfo *root, const CustomPath *path, List *functions);

#endif /* SCAN_NODE_PLAN_PARALLEL_BLOCKER_H */
