/*
 * explain.c: prints an IndexSkip in EXPLAIN: the groups' columns, which rows of each are kept, and with ANALYZE how
 * often the node went down the index.
 */
#include "postgres.h"

#include "utils/ruleutils.h"

#include "node/skip/internal.h"
#include "node/text.h"

static void
explain_groups(const IndexSkipState *state, List *ancestors, ExplainState *es)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	List	   *context = set_deparse_context_plan(es->deparse_cxt, &scan->scan.plan, ancestors);
	List	   *names = NIL;

	for (int level = 0; level < state->levels; level++)
	{
		const TargetEntry *entry = list_nth_node(TargetEntry, scan->custom_scan_tlist, state->key[level].attno - 1);

		names = lappend(names,
						text_of_expression((Node *) entry->expr, context, es->verbose || list_length(es->rtable) > 1));
	}
	ExplainPropertyList("Group Key", names, es);
}

void
index_skip_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	static const char *const unit[] = {"row number", "rank", "dense rank"};
	static const char *const label[] = {"Descents", "Rows Not Kept", "Started Anew"}; /* SkipCount */

	const IndexSkipState *state = (const IndexSkipState *) node;

	explain_groups(state, ancestors, es);
	if (state->top.unit == TOP_ROWS && state->top.limit == 1)
		ExplainPropertyText("Keeps", "the first row of each group", es);
	else
		ExplainPropertyText("Keeps",
							psprintf("rows up to %s %d of each group", unit[state->top.unit], state->top.limit), es);
	if (es->verbose && state->child_anew != NULL)
		ExplainPropertyInteger("Most Descents", NULL, state->most_descents, es);
	if (state->ranges.n > 0)
		ExplainPropertyInteger("Ranges", NULL, state->ranges.n, es);
	if (!es->analyze)
		return;
	for (int i = 0; i < SKIP_COUNTS; i++)
		if (i == SKIP_DESCENTS || state->count_of[i] > 0)
			ExplainPropertyInteger(label[i], NULL, state->count_of[i], es);
}
