/*
 * explain_at_start.c: a module that prints each plan in all formats before and after it runs.
 *
 * Modules that keep plans, as pg_stat_plans and pg_show_plans do, print a plan in ExecutorStart.  No node has read a
 * row then, and in a worker the leader's state may be out of reach.  companions.t loads this module beside scan.  The
 * setting explain_at_start.plans counts the plans with a PrefixScan that were printed before they ran, so that the test
 * can tell that there were any.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "utils/guc.h"

PG_MODULE_MAGIC;

void _PG_init(void);

static ExecutorStart_hook_type next_start;
static ExecutorEnd_hook_type   next_end;
static int					   plans;

static bool
print_plan(QueryDesc *desc, ExplainFormat format, bool analyze)
{
	ExplainState *es = NewExplainState();
	bool		  found;

	es->verbose = true;
	es->costs = true;
	es->settings = true;
	es->buffers = analyze;
	es->analyze = analyze;
	es->timing = analyze;
	es->summary = analyze;
	es->format = format;
	ExplainBeginOutput(es);
	ExplainQueryText(es, desc);
	ExplainPrintPlan(es, desc);
	if (analyze)
		ExplainPrintTriggers(es, desc);
	ExplainEndOutput(es);
	found = strstr(es->str->data, "PrefixScan") != NULL || strstr(es->str->data, "IndexSkip") != NULL;
	pfree(es->str->data);
	return found;
}

static void
print_formats(QueryDesc *desc, bool analyze)
{
	MemoryContext before = MemoryContextSwitchTo(desc->estate->es_query_cxt);
	bool		  found = false;

	for (ExplainFormat format = EXPLAIN_FORMAT_TEXT; format <= EXPLAIN_FORMAT_YAML; format++)
		found = print_plan(desc, format, analyze);
	MemoryContextSwitchTo(before);
	if (found && !analyze)
		plans++;
}

static void
start(QueryDesc *desc, int flags)
{
	/* so that ExecutorEnd has counts to print; a worker's counts are the leader's */
	if (!IsParallelWorker() && (flags & EXEC_FLAG_EXPLAIN_ONLY) == 0)
		desc->instrument_options |= INSTRUMENT_ALL;
	if (next_start != NULL)
		next_start(desc, flags);
	else
		standard_ExecutorStart(desc, flags);
	if (desc->plannedstmt->commandType != CMD_UTILITY)
		print_formats(desc, false);
}

static void
end(QueryDesc *desc)
{
	if (desc->plannedstmt->commandType != CMD_UTILITY && desc->instrument_options != 0 && !IsParallelWorker())
		print_formats(desc, true);
	if (next_end != NULL)
		next_end(desc);
	else
		standard_ExecutorEnd(desc);
}

void
_PG_init(void)
{
	DefineCustomIntVariable("explain_at_start.plans",
							"Counts the plans with a PrefixScan that were printed before they ran.", NULL, &plans, 0, 0,
							INT_MAX, PGC_USERSET, 0, NULL, NULL, NULL);
	next_start = ExecutorStart_hook;
	ExecutorStart_hook = start;
	next_end = ExecutorEnd_hook;
	ExecutorEnd_hook = end;
}
