/*
 * over_text.h: prints the window of a WindowAgg.
 */
#ifndef SCAN_NODE_PLAN_OVER_TEXT_H
#define SCAN_NODE_PLAN_OVER_TEXT_H

#include "postgres.h"

#include "nodes/plannodes.h"

/* Returns the deparse context of a planned statement.  set_deparse_context_plan() moves it to one of the plans. */
extern List *statement_deparse_context(const PlannedStmt *statement);

/*
 * Returns the clauses of the window, as in OVER (...) but without directions, which a finished plan does not have; ""
 * if it has none.  `context` comes from statement_deparse_context() for the plan's statement.
 */
extern char *over_text(const WindowAgg *plan, List *context);

#endif /* SCAN_NODE_PLAN_OVER_TEXT_H */
