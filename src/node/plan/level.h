/*
 * level.h: the window functions of a query level.
 */
#ifndef SCAN_NODE_PLAN_LEVEL_H
#define SCAN_NODE_PLAN_LEVEL_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "node/function_info.h"
#include "node/reason.h"

/* A query level that is being planned. */
typedef struct QueryLevel
{
	PlannerInfo		 *root;
	List			 *functions;	/* WindowFunctionInfo, of the functions that were asked for so far */
	List			 *asked;		/* what level_functions() was asked so far, and its answers */
	const RelOptInfo *asked_of;		/* of which parallel_blocker_of_rows() was asked last, or NULL */
	WindowReason	  rows_blocker; /* its answer */
	List			 *blockers;		/* what parallel_blocker_of_window() was asked so far, and its answers */
} QueryLevel;

/* Returns a new query level, which its paths keep until the plan is made. */
extern QueryLevel *level_create(PlannerInfo *root);

/* Returns the functions of a window among some expressions, each once; see level.c for their order. */
extern List *window_functions(List *exprs, Index winref);

/* Returns what a window function of the level is. */
extern const WindowFunctionInfo *level_function(QueryLevel *level, const WindowFunc *wfunc);

/* Returns what the functions are that window_functions() returns: a list of WindowFunctionInfo. */
extern List *level_functions(QueryLevel *level, List *exprs, Index winref);

/* Returns the WindowFunctionInfo of a function in a list of them; NULL if it is not there. */
extern const WindowFunctionInfo *info_of_function(const List *functions, const WindowFunc *wfunc);

#endif /* SCAN_NODE_PLAN_LEVEL_H */
