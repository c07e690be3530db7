/*
 * declined.h: why a window was left to WindowAgg.
 */
#ifndef SCAN_NODE_PLAN_DECLINED_H
#define SCAN_NODE_PLAN_DECLINED_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/* What the planner made of a window. */
typedef enum WindowVerdict
{
	WINDOW_OFFERED = 0, /* the node can evaluate it; if WindowAgg runs it all the same, it costs less */
	DECLINED_OFF,
	DECLINED_FUNCTION,
	DECLINED_RANGE,
	DECLINED_NULLS,
	DECLINED_VOLATILE,
	DECLINED_SUBSELECT,
	DECLINED_STOPS_EARLY,
	DECLINED_MAY_FAIL,
	DECLINED_MEMORY,
	DECLINED_STEP,
} WindowVerdict;

/* A window of a finished plan that WindowAgg runs. */
typedef struct DeclinedWindow
{
	const char *name;	   /* of the WINDOW clause; NULL: it has none */
	List	   *functions; /* their names */
	const char *about;	   /* the one that was the reason; NULL: none was */
	const char *reason;
	const char *hint; /* what would change it */
} DeclinedWindow;

/* What the planner is to tell EXPLAIN of the statement that it plans first. */
typedef struct DeclinedReport
{
	const PlannedStmt *statement; /* NULL: not planned yet */
	List			  *left;	  /* DeclinedWindow */
} DeclinedReport;

/* Where to; NULL: nobody asks. */
extern DeclinedReport *declined_report;

/* The functions of a window among some expressions, each once; see declined.c. */
extern List *window_functions(List *exprs, Index winref);

/* The planner remembers what came of a window; `about` is the function that was the reason, if one was. */
extern void declined_note(const WindowAggPath *path, List *functions, WindowVerdict verdict, const WindowFunc *about);

/* Whether the statement that is being planned is planned for another one's sake. */
extern bool planning_is_nested(void);

extern void declined_init(void);

#endif /* SCAN_NODE_PLAN_DECLINED_H */
