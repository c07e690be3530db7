/*
 * explain_declined.c: prints in EXPLAIN (VERBOSE) which windows did not become a PrefixScan, and why.
 *
 * Such windows have no node of ours that could print the reason, and core calls no other hook before it closes the
 * output of a query.  But then it ends the executor (ExplainOnePlan; PostgreSQL 18 has a hook at this place), and there
 * this file prints what declined.c has found.  EXPLAIN EXECUTE does not pass here: a cached plan has no reasons any
 * more.
 */
#include "postgres.h"

#include "commands/explain.h"
#include "executor/executor.h"
#include "utils/builtins.h"

#include "compat.h"
#include "node/plan/planning.h"

static ExplainState	 *explaining; /* the EXPLAIN (VERBOSE) that is under way, or NULL */
static DeclinedReport report;	  /* what the planner told it */

static ExplainOneQuery_hook_type previous_explain;
static ExecutorEnd_hook_type	 previous_end;

static void
explain_declined_window(const DeclinedWindow *window, ExplainState *es)
{
	if (es->format != EXPLAIN_FORMAT_TEXT)
	{
		ExplainOpenGroup("Window", NULL, true, es);
		if (window->name != NULL)
			ExplainPropertyText("Window Name", window->name, es);
		ExplainPropertyText("Over", window->over, es);
		ExplainPropertyList("Functions", window->functions, es);
		if (window->about != NULL)
			ExplainPropertyText("Function", window->about, es);
		ExplainPropertyText("Reason", window->text.sentence, es);
		ExplainPropertyText("Hint", window->text.hint, es);
		ExplainCloseGroup("Window", NULL, true, es);
	}
	else
	{
		StringInfoData names;
		ListCell	  *cell;

		initStringInfo(&names);
		foreach (cell, window->functions)
			appendStringInfo(&names, "%s%s", foreach_current_index(cell) > 0 ? ", " : "", (char *) lfirst(cell));
		appendStringInfo(es->str, "Not in PrefixScan: %s OVER %s: ", names.data,
						 window->name == NULL ? psprintf("(%s)", window->over) : quote_identifier(window->name));
		if (window->about != NULL && list_length(window->functions) > 1)
			appendStringInfo(es->str, "%s: ", window->about);
		appendStringInfo(es->str, "%s\n", window->text.sentence);
	}
}

static void
explain_and_end(QueryDesc *query)
{
	ListCell *cell;

	/* with ANALYZE, queries of functions may end before the one that is explained */
	if (explaining != NULL && report.left != NIL && query->plannedstmt == report.statement)
	{
		ExplainOpenGroup("Not in PrefixScan", "Not in PrefixScan", false, explaining);
		foreach (cell, report.left)
			explain_declined_window((const DeclinedWindow *) lfirst(cell), explaining);
		ExplainCloseGroup("Not in PrefixScan", "Not in PrefixScan", false, explaining);
		explaining = NULL;
	}
	if (previous_end)
		previous_end(query);
	else
		standard_ExecutorEnd(query);
}

/* The ExplainOneQuery_hook.  It may be nested, in a function that EXPLAIN ANALYZE runs. */
static void
explain_query(Query *query, int options, IntoClause *into, ExplainState *es, const char *text, ParamListInfo parameters,
			  QueryEnvironment *environment)
{
	ExplainState *volatile outer = explaining;
	DeclinedReport *volatile outer_to = declined_report;
	DeclinedReport outer_report = report;

	explaining = es->verbose ? es : NULL;
	memset(&report, 0, sizeof(report));
	declined_report = explaining == NULL ? NULL : &report;
	PG_TRY();
	{
		if (previous_explain)
			previous_explain(query, options, into, es, text, parameters, environment);
		else
			compat_explain_query(query, options, into, es, text, parameters, environment);
	}
	PG_FINALLY();
	{
		explaining = outer;
		declined_report = outer_to;
		report = outer_report;
	}
	PG_END_TRY();
}

void
explain_declined_init(void)
{
	previous_explain = ExplainOneQuery_hook;
	ExplainOneQuery_hook = explain_query;
	previous_end = ExecutorEnd_hook;
	ExecutorEnd_hook = explain_and_end;
}
