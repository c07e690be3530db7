/*
 * explain_declined.c: prints in EXPLAIN (VERBOSE) which windows did not become a PrefixScan, and why.
 *
 * Such windows have no node of ours that could print the reason, so what declined.c has found is printed after the plan
 * (explain_more.h).  EXPLAIN EXECUTE does not pass here: a cached plan has no reasons any more.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "compat.h"
#include "library/explain_more.h"
#include "node/plan/planning.h"

static ExplainState	 *explaining; /* the EXPLAIN (VERBOSE) that is under way, or NULL */
static DeclinedReport report;	  /* what the planner told it */

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
		StringInfo names = makeStringInfo();

		foreach_ptr (char, name, window->functions)
			appendStringInfo(names, "%s%s", foreach_current_index(name) > 0 ? ", " : "", name);
		appendStringInfo(es->str, "Not in PrefixScan: %s OVER %s: ", names->data,
						 window->name == NULL ? psprintf("(%s)", window->over) : quote_identifier(window->name));
		if (window->about != NULL && list_length(window->functions) > 1)
			appendStringInfo(es->str, "%s: ", window->about);
		appendStringInfo(es->str, "%s\n", window->text.sentence);
	}
}

static void
print_declined(const QueryDesc *query)
{
	/* with ANALYZE, queries of functions may end before the one that is explained */
	if (explaining == NULL || report.left == NIL || query->plannedstmt != report.statement)
		return;
	ExplainOpenGroup("Not in PrefixScan", "Not in PrefixScan", false, explaining);
	foreach_ptr (const DeclinedWindow, window, report.left)
		explain_declined_window(window, explaining);
	ExplainCloseGroup("Not in PrefixScan", "Not in PrefixScan", false, explaining);
	explaining = NULL;
}

/* What is known of the EXPLAIN around. */
typedef struct OuterExplain
{
	ExplainState   *explaining;
	DeclinedReport *declined_report;
	DeclinedReport	report;
} OuterExplain;

static void *
begin_explain(ExplainState *es)
{
	OuterExplain *outer = (OuterExplain *) palloc(sizeof(OuterExplain));

	*outer = (OuterExplain){explaining, declined_report, report};
	explaining = es->verbose ? es : NULL;
	memset(&report, 0, sizeof(report));
	declined_report = explaining == NULL ? NULL : &report;
	return outer;
}

static void
end_explain(void *outer)
{
	const OuterExplain *before = (OuterExplain *) outer;

	explaining = before->explaining;
	declined_report = before->declined_report;
	report = before->report;
}

void
explain_declined_init(void)
{
	static const ExplainMore more = {begin_explain, print_declined, end_explain};

	explain_more_register(&more);
}
