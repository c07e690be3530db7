/*
 * over_text.c: prints the window of a WindowAgg.
 *
 * declined.c tells users with it which window was left to WindowAgg: a query may have several windows without a name.
 * The keys are columns of the WindowAgg's input.  They are printed as EXPLAIN prints sort keys: as references to the
 * plan below, which ruleutils.c follows down to columns of tables.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/ruleutils.h"

#include "node/frame_text.h"
#include "node/names.h"
#include "node/plan/over_text.h"

List *
statement_deparse_context(const PlannedStmt *statement)
{
	/* core does not declare its parameters const, but changes nothing in the statement */
	PlannedStmt *printed = unconstify(PlannedStmt *, statement);
	Bitmapset	*used = NULL;

	for (int i = 1; i <= list_length(printed->rtable); i++)
		used = bms_add_member(used, i);
	return deparse_context_for_plan_tree(printed, select_rtable_names_for_explain(printed->rtable, used));
}

/* Appends `title` and the columns of the child that are keys, separated by commas; nothing if there are none. */
static void
append_keys(StringInfo text, const char *title, int n, const AttrNumber *column, const Plan *plan, List *context)
{
	for (int i = 0; i < n; i++)
	{
		const TargetEntry *entry = list_nth_node(TargetEntry, outerPlan(plan)->targetlist, column[i] - 1);
		Node			  *expr = (Node *) entry->expr;
		Var *key = makeVar(OUTER_VAR, entry->resno, exprType(expr), exprTypmod(expr), exprCollation(expr), 0);

		appendStringInfo(text, "%s%s", i > 0 ? ", " : text->len > 0 ? " " : "", i == 0 ? title : "");
		appendStringInfoString(text, text_of_expression((Node *) key, context, true));
	}
}

static const char *
offset_text(Node *offset, List *context)
{
	return offset == NULL ? NULL : text_of_expression(offset, context, true);
}

char *
over_text(const WindowAgg *window, List *context)
{
	const Plan	  *plan = &window->plan;
	StringInfoData text;

	initStringInfo(&text);
	context = set_deparse_context_plan(context, unconstify(Plan *, plan), NIL);
	append_keys(&text, "PARTITION BY ", window->partNumCols, window->partColIdx, plan, context);
	append_keys(&text, "ORDER BY ", window->ordNumCols, window->ordColIdx, plan, context);
	if (window->frameOptions & FRAMEOPTION_NONDEFAULT)
		appendStringInfo(&text, "%s%s", text.len > 0 ? " " : "",
						 frame_text(window->frameOptions, offset_text(window->startOffset, context),
									offset_text(window->endOffset, context)));
	return text.data;
}
