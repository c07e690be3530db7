/*
 * declined.h: records why a window was left to WindowAgg.
 */
#ifndef SCAN_NODE_PLAN_DECLINED_H
#define SCAN_NODE_PLAN_DECLINED_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#include "node/plan/planning.h"

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

/* Notes the verdict on a window while a statement is planned; `about`: the function that was the reason, if any. */
extern void declined_note(const WindowAggPath *path, WindowReason verdict, const WindowFunc *about);

/* True if the statement is planned in the course of another one. */
extern bool planning_is_nested(void);

extern void declined_init(void);

#endif /* SCAN_NODE_PLAN_DECLINED_H */
