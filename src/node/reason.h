/*
 * reason.h: why a window was left to WindowAgg.
 */
#ifndef SCAN_NODE_REASON_H
#define SCAN_NODE_REASON_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

typedef enum NodeReason
{
	REASON_COST = 0, /* none: the node was offered, and core's plan was taken */
	REASON_OFF,
	REASON_FUNCTION,
	REASON_FRAME,
	REASON_OFFSET,
	REASON_EXCLUSION,
	REASON_VOLATILE,
	REASON_SUBSELECT,
	REASON_STOPS_EARLY,
	REASON_MAY_FAIL,
	REASON_MEMORY,
} NodeReason;

/* A window of a finished plan that WindowAgg runs. */
typedef struct LeftWindow
{
	const char *name;	   /* of the WINDOW clause; NULL: it has none */
	List	   *functions; /* their names */
	const char *about;	   /* the one that was the reason; NULL: none was */
	const char *reason;
} LeftWindow;

/* What the planner is to tell EXPLAIN of the statement that it plans first. */
typedef struct ReasonReport
{
	const PlannedStmt *statement; /* NULL: not planned yet */
	List			  *left;	  /* LeftWindow */
} ReasonReport;

/* Where to; NULL: nobody asks. */
extern ReasonReport *reason_report;

/* The functions of a window among some expressions, each once; see reason.c. */
extern List *window_functions(List *exprs, Index winref);

/* The planner remembers what came of a window; `about` is the function that was the reason, if one was. */
extern void reason_note(const WindowAggPath *path, List *functions, NodeReason reason, const WindowFunc *about);

extern void reason_init(void);

#endif /* SCAN_NODE_REASON_H */
