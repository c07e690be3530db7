/*
 * explain.c: what EXPLAIN says of a PrefixScan.
 */
#include "postgres.h"

#include "commands/explain.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "compat.h"
#include "node/exec.h"

/* The names of the functions. */
static void
explain_functions(const PrefixScanState *state, ExplainState *es)
{
	List *names = NIL;

	for (int i = 0; i < state->functions; i++)
		names = lappend(names, get_func_name(state->function[i].wfunc->winfnoid));
	ExplainPropertyList("Functions", names, es);
}

/* PARTITION BY and ORDER BY, as expressions of the child. */
static void
explain_keys(const PrefixScanState *state, List *ancestors, ExplainState *es)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	List	   *context = set_deparse_context_plan(es->deparse_cxt, &scan->scan.plan, ancestors);
	List	   *columns = (List *) list_nth(scan->custom_private, PRIVATE_KEY_COLUMNS);
	List	   *partition = NIL, *order = NIL;
	bool		qualified = es->verbose || list_length(es->rtable) > 1;

	for (int k = 0; k < list_length(columns); k++)
	{
		TargetEntry *entry = (TargetEntry *) list_nth(scan->custom_scan_tlist, list_nth_int(columns, k) - 1);
		char		*text = deparse_expression((Node *) entry->expr, context, qualified, false);

		if (k < state->reader.partition_keys)
			partition = lappend(partition, text);
		else
			order = lappend(order, text);
	}
	if (partition != NIL)
		ExplainPropertyList("Partition By", partition, es);
	if (order != NIL)
		ExplainPropertyList(state->reader.sorts ? "Order By (sorted here)" : "Order By", order, es);
}

void
prefix_scan_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	PrefixScanState *state = (PrefixScanState *) node;

	explain_functions(state, es);
	explain_keys(state, ancestors, es);
	if (es->verbose)
		ExplainPropertyText("Input", state->reader.pages != NULL ? "pages" : "rows", es);
	if (es->analyze)
	{
		if (state->reader.sort_bits > 0)
			ExplainPropertyInteger("Sort Bits", NULL, state->reader.sort_bits, es);
		ExplainPropertyInteger("Blocks", NULL, state->reader.blocks, es);
		ExplainPropertyInteger("Memory", "kB", (state->reader.most_bytes + 1023) / 1024, es);
		if (state->reader.spilled_kb > 0)
			ExplainPropertyInteger("Disk", "kB", state->reader.spilled_kb, es);
	}
}
