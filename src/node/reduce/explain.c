/*
 * explain.c: prints a WindowReduce in EXPLAIN: what it aggregates and computes, by what it groups, which rows it keeps,
 * and with ANALYZE how many it did not keep.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/ruleutils.h"

#include "node/planned_reduce.h"
#include "node/reduce/internal.h"
#include "node/text.h"

/* Returns the columns `from` to `end` - 1 of the node's row as texts. */
static List *
texts_of_columns(const CustomScan *scan, List *context, int from, int end, bool qualified)
{
	List *texts = NIL;

	for (int i = from; i < end; i++)
		texts = lappend(texts, text_of_expression((Node *) list_nth_node(TargetEntry, scan->custom_scan_tlist, i)->expr,
												  context, qualified));
	return texts;
}

/* Prints the names of the columns that the node computes by loops or, if `by_executor`, row by row. */
static void
explain_computed(const ReduceState *state, List *context, bool qualified, bool by_executor, ExplainState *es)
{
	const CustomScan *scan = (const CustomScan *) state->css.ss.ps.plan;
	List			 *names = NIL;

	for (int c = 0; c < state->computed.n; c++)
	{
		const ComputedColumn *column = &state->computed.column[c];

		if (column->column >= 0 && (column->e.loops == NULL) == by_executor)
			names = list_concat(names, texts_of_columns(scan, context, column->attno - 1, column->attno, qualified));
	}
	if (names != NIL)
		ExplainPropertyList(by_executor ? "Computes Row by Row" : "Computes", names, es);
}

void
window_reduce_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	const ReduceState *state = (const ReduceState *) node;
	CustomScan		  *scan = (CustomScan *) node->ss.ps.plan;
	List			  *context = set_deparse_context_plan(es->deparse_cxt, &scan->scan.plan, ancestors);
	bool			   qualified = es->verbose || list_length(es->rtable) > 1;
	int				   conditions = planned_number(scan, REDUCE_NUMBER_CONDITIONS);
	List			  *keys = NIL;

	for (int k = 0; k < state->keys; k++)
		keys = list_concat(keys,
						   texts_of_columns(scan, context, state->key[k].attno - 1, state->key[k].attno, qualified));
	if (state->aggregates > 0)
		ExplainPropertyList(
			"Aggregates",
			texts_of_columns(scan, context, state->columns, state->columns + state->aggregates, qualified), es);
	explain_computed(state, context, qualified, false, es);
	explain_computed(state, context, qualified, true, es);
	if (keys != NIL)
		ExplainPropertyList("Group Key", keys, es);
	if (conditions > 0)
		ExplainPropertyText(
			"Keeps",
			text_of_expression((Node *) make_ands_explicit(list_truncate(list_copy(scan->custom_exprs), conditions)),
							   context, qualified),
			es);
	if (es->analyze && conditions > 0)
		ExplainPropertyFloat("Rows Not Kept", NULL,
							 node->ss.ps.instrument->nfiltered2 / Max(node->ss.ps.instrument->nloops, 1), 0, es);
	/* the planner has made sure that there are blocks (chunk.c) */
	if (es->verbose && state->blocks == NULL)
		ExplainPropertyText("Input", "rows", es);
}
