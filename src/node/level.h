/*
 * level.h: a query level that is being planned, and what was found out about it.
 */
#ifndef SCAN_NODE_LEVEL_H
#define SCAN_NODE_LEVEL_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "optimizer/paths.h"

#include "node/planned_window.h"
#include "node/pointer_map.h"
#include "node/reason.h"
#include "node/window_function.h"

/* The answer to a question that may not have been asked yet. */
typedef enum LevelAnswer
{
	ANSWER_NOT_ASKED = 0,
	ANSWER_NO,
	ANSWER_YES,
} LevelAnswer;

/* How many of a level's rows whoever asks for one row asks for, as far as the planner knows. */
typedef enum RowsWanted
{
	ROWS_WANTED_NOT_ASKED = 0,
	ROWS_WANTED_SOME,	   /* a node above may stop early, or nothing is known */
	ROWS_WANTED_BY_CALLER, /* all, unless the caller of the executor stops early, as a cursor does */
	ROWS_WANTED_ALL,
} RowsWanted;

/* A query level that is being planned.  A member that another file owns is read and set by that file only. */
typedef struct QueryLevel
{
	PlannerInfo *root;

	/* level.c */
	List	   *functions;	   /* WindowFunctionInfo, of the functions that were asked for so far */
	PointerMap *function_info; /* WindowFunc -> its WindowFunctionInfo */
	List	   *asked;		   /* what level_functions() was asked so far, and its answers */

	/* error_timing/may_error.c: whether a row of the level may fail; [1]: the frames of its windows count, too */
	LevelAnswer may_error[2];
	/* error_timing/may_error.c: whether computing the rows of the level may have a side effect */
	LevelAnswer side_effects;
	/* error_timing/early_stop.c */
	RowsWanted rows_wanted;
	/* error_timing/read_ahead.c: path -> whether its rows may fail; of the planning step in progress */
	PointerMap *below;

	/* plan/parallel_blocker.c */
	const RelOptInfo *asked_of;		/* of which parallel_blocker_of_rows() was asked last, or NULL */
	WindowReason	  rows_blocker; /* its answer */
	List			 *blockers;		/* what parallel_blocker_of_window() was asked so far, and its answers */
} QueryLevel;

/* Returns the query level of a PlannerInfo, the same one whenever it is asked for while the statement is planned. */
extern QueryLevel *level_of(PlannerInfo *root);

/*
 * Returns the level for a planning step that begins.  What was found out about paths is forgotten: add_path() may have
 * freed some of them since.
 */
extern QueryLevel *level_for_step(PlannerInfo *root);

/* Returns the functions of a window among some expressions, as often as they are there. */
extern List *window_calls(List *exprs, Index winref);

/* The same, each once; see level.c for their order.  Each is compared with all others. */
extern List *window_functions(List *exprs, Index winref);

/* Returns what a window function of the level is. */
extern const WindowFunctionInfo *level_function(QueryLevel *level, const WindowFunc *wfunc);

/* Returns what the functions are that window_functions() returns: a list of WindowFunctionInfo. */
extern List *level_functions(QueryLevel *level, List *exprs, Index winref);

/*
 * level_groups() returns how many groups `rows` rows are expected to have by the columns of some clauses of the level,
 * level_groups_by() by some expressions: at least 1.  *guessed, unless NULL: nothing is known of an expression, and
 * core has assumed a number.
 */
extern double level_groups(PlannerInfo *root, List *clauses, double rows, bool *guessed);
extern double level_groups_by(PlannerInfo *root, List *exprs, double rows, bool *guessed);

/*
 * Returns how many of `rows` rows in `groups` groups meet a limit on the rank within their group.  `order`: the clauses
 * of the order within a group.
 */
extern double level_top_rows(PlannerInfo *root, List *order, double groups, double rows, TopRows top);

/* Returns which part of a path's rows is asked for: 1 if all are. */
extern double level_fraction(const PlannerInfo *root, double rows);

/* Returns how many processes share the rows of a partial path that has so many workers, as core counts the leader. */
extern double level_processes(int workers);

/* Returns the WindowFunctionInfo of a function in a list of them; NULL if it is not there. */
extern const WindowFunctionInfo *info_of_function(const List *functions, const WindowFunc *wfunc);

/* True if a query has one row, an aggregate of all its input. */
static inline bool
query_is_plain_aggregate(const Query *parse)
{
	return parse->hasAggs && parse->groupClause == NIL && parse->groupingSets == NIL;
}

/* ---- the paths of relations ---- */

/* Our own set_rel_pathlist_hook (reduce/offer.c); NULL if there is another one behind it. */
extern set_rel_pathlist_hook_type own_rel_hook;

/* True if another extension may have changed the paths of a relation. */
static inline bool
others_may_change_paths(void)
{
	return set_rel_pathlist_hook != own_rel_hook;
}

#endif /* SCAN_NODE_LEVEL_H */
