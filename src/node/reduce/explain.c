/*
 * explain.c: prints a WindowReduce in EXPLAIN: what it aggregates and computes, by what it groups, which rows it keeps,
 * and with ANALYZE how many it did not keep.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/ruleutils.h"

#include "node/planned_node.h"
#include "node/reduce/internal.h"
#include "node/text.h"

/* Prints the names of the columns that the node computes by loops or, if `by_executor`, row by row. */
static void
explain_computed(const ReduceState *state, List *context, bool by_executor, ExplainState *es)
{
	const CustomScan *scan = (const CustomScan *) state->css.ss.ps.plan;
	List			 *names = NIL;

	for (int c = 0; c < state->computed.n; c++)
	{
		const ComputedColumn *column = &state->computed.column[c];

		if (column->column >= 0 && (column->e.loops == NULL) == by_executor)
			names = lappend(names, text_of_column(scan, column->attno, context, es));
	}
	if (names != NIL)
		ExplainPropertyList(by_executor ? "Computes Row by Row" : "Computes", names, es);
}

void
window_reduce_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	const ReduceState *state = (const ReduceState *) node;
	const CustomScan  *scan = (const CustomScan *) node->ss.ps.plan;
	List			  *context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, ancestors);
	int				   conditions = planned_number(scan, REDUCE_NUMBER_CONDITIONS);
	List			  *keys = NIL, *aggregates = NIL;

	for (int k = 0; k < state->keys; k++)
		keys = lappend(keys, text_of_column(scan, state->key[k].attno, context, es));
	for (int a = 1; a <= state->aggregates; a++)
		aggregates = lappend(aggregates, text_of_column(scan, (AttrNumber) (state->columns + a), context, es));
	if (aggregates != NIL)
		ExplainPropertyList("Aggregates", aggregates, es);
	explain_computed(state, context, false, es);
	explain_computed(state, context, true, es);
	if (keys != NIL)
		ExplainPropertyList("Group Key", keys, es);
	if (conditions > 0)
		ExplainPropertyText(
			"Keeps",
			text_of_expression((Node *) make_ands_explicit(list_truncate(list_copy(scan->custom_exprs), conditions)),
							   context, es->verbose || list_length(es->rtable) > 1),
			es);
	if (es->analyze && conditions > 0)
		ExplainPropertyFloat("Rows Not Kept", NULL,
							 node->ss.ps.instrument->nfiltered2 / Max(node->ss.ps.instrument->nloops, 1), 0, es);
	/* the planner has made sure that there are blocks (chunk.c) */
	if (es->verbose && state->blocks == NULL)
		ExplainPropertyText("Input", "rows", es);
}
