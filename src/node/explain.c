/*
 * explain.c: what EXPLAIN says of a PrefixScan, and of windows that did not become one.
 *
 * The latter have no node of ours to say it, and core asks nobody else before it
 * closes the account of a query.  What it does do then is to end the executor
 * (ExplainOnePlan; PostgreSQL 18 has a hook at this place), and there we write what
 * the planner has reported.  EXPLAIN EXECUTE does not pass here: a cached plan has
 * no reasons any more.
 */
#include "postgres.h"

#include "commands/explain.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "compat.h"
#include "guc.h"
#include "node/exec.h"
#include "node/reason.h"

/* ---- the node ---- */

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
		ExplainPropertyList(state->reader.sorts && es->format == EXPLAIN_FORMAT_TEXT ? "Order By (sorted here)"
																					 : "Order By",
							order, es);
	if (es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyBool("Sorted Here", state->reader.sorts, es);
}

static const char *
frame_bound(int options, int preceding, int current, int following, int offset_preceding)
{
	return options & preceding			? "UNBOUNDED PRECEDING"
		   : options & current			? "CURRENT ROW"
		   : options & following		? "UNBOUNDED FOLLOWING"
		   : options & offset_preceding ? "offset PRECEDING"
										: "offset FOLLOWING";
}

/* The frame, as long as SQL has it, but for offsets and EXCLUDE. */
static void
explain_frame(const PrefixScanState *state, ExplainState *es)
{
	const CustomScan *scan = (const CustomScan *) state->css.ss.ps.plan;
	int				  options = linitial_int((List *) list_nth(scan->custom_private, PRIVATE_NUMBERS));
	const char		 *unit = options & FRAMEOPTION_ROWS ? "ROWS" : options & FRAMEOPTION_RANGE ? "RANGE" : "GROUPS";
	const char		 *start = frame_bound(options, FRAMEOPTION_START_UNBOUNDED_PRECEDING, FRAMEOPTION_START_CURRENT_ROW,
										  FRAMEOPTION_START_UNBOUNDED_FOLLOWING, FRAMEOPTION_START_OFFSET_PRECEDING);
	const char		 *end = frame_bound(options, FRAMEOPTION_END_UNBOUNDED_PRECEDING, FRAMEOPTION_END_CURRENT_ROW,
										FRAMEOPTION_END_UNBOUNDED_FOLLOWING, FRAMEOPTION_END_OFFSET_PRECEDING);
	bool			  matters = false;

	for (int i = 0; i < state->functions; i++)
		matters = matters || node_function_is_framed(state->function[i].kind);
	if (matters)
		ExplainPropertyText("Frame", psprintf("%s BETWEEN %s AND %s", unit, start, end), es);
}

/* Where the jobs run, or ran, and for those of the CPU why. */
static void
explain_device(const PrefixScanState *state, ExplainState *es)
{
	const RunCounters *jobs = &state->watch.jobs;
	const char		  *device = run_device();
	const char		  *reason = NULL;

	if (es->analyze)
	{
		/* without a GPU there is nothing to say, unless it was asked for */
		if (jobs->gpu_jobs < jobs->jobs && !(guc_device == DEVICE_AUTO && strcmp(device, "cpu") == 0))
			reason = jobs->reason;
		device = jobs->gpu_jobs > 0 ? "gpu" : "cpu";
	}
	if (es->format != EXPLAIN_FORMAT_TEXT)
	{
		ExplainPropertyText("Device", device, es);
		if (es->analyze)
		{
			ExplainPropertyInteger("Jobs", NULL, jobs->jobs, es);
			ExplainPropertyInteger("Device Jobs", NULL, jobs->gpu_jobs, es);
		}
		if (reason != NULL)
			ExplainPropertyText("CPU Reason", reason, es);
		return;
	}
	if (es->analyze && jobs->gpu_jobs > 0)
		device = psprintf("gpu (" INT64_FORMAT " of " INT64_FORMAT " jobs)%s", jobs->gpu_jobs, jobs->jobs,
						  reason == NULL ? "" : ", cpu");
	ExplainPropertyText("Device", reason == NULL ? device : psprintf("%s: %s", device, reason), es);
}

/* Where the time went, the child's with it, and of the answers' and the sort's how much to a device. */
static void
explain_time(const PrefixScanState *state, ExplainState *es)
{
	const Watch *watch = &state->watch;
	double		 total = state->css.ss.ps.instrument->total * 1e9;
	double		 emit = total - watch->pull_ns - watch->sort_ns - watch->answer_ns;
	const struct
	{
		const char *name;
		const char *label;
		double		ns;
	} part[] = {
		{"pull", "Pull Time", watch->pull_ns},
		{"sort", "Sort Time", watch->sort_ns},
		{"answer", "Answer Time", watch->answer_ns},
		{"emit", "Emit Time", Max(emit, 0)},
		/* the device's */
		{"copy in", "Copy In Time", watch->jobs.copy_in_ns},
		{"wait", "Wait Time", watch->jobs.wait_ns},
		{"device", "Device Time", watch->jobs.gpu_ns},
		{"copy out", "Copy Out Time", watch->jobs.copy_out_ns},
	};
	int			   parts = watch->jobs.gpu_jobs > 0 ? lengthof(part) : 4;
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < parts; i++)
		if (es->format != EXPLAIN_FORMAT_TEXT)
			ExplainPropertyFloat(part[i].label, "ms", part[i].ns / 1e6, 3, es);
		else
			appendStringInfo(&text, "%s%s %.3f", i == 0 ? "" : i == 4 ? " ms; " : ", ", part[i].name, part[i].ns / 1e6);
	if (es->format == EXPLAIN_FORMAT_TEXT)
		ExplainPropertyText("Time", psprintf("%s ms", text.data), es);
}

/* How the rows come in. */
static void
explain_input(const BlockReader *reader, ExplainState *es)
{
	const char *way = reader->pages != NULL ? "pages" : reader->below != NULL ? "blocks" : "rows";
	bool		careful = reader->fallible && reader->demand != DEMAND_ALL;

	ExplainPropertyText("Input", careful ? psprintf("%s, as they are asked for", way) : way, es);
}

void
prefix_scan_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	PrefixScanState *state = (PrefixScanState *) node;

	explain_functions(state, es);
	explain_keys(state, ancestors, es);
	explain_frame(state, es);
	explain_device(state, es);
	if (es->verbose)
		explain_input(&state->reader, es);
	if (es->analyze)
	{
		if (state->reader.sort_bits > 0)
			ExplainPropertyInteger("Sort Bits", NULL, state->reader.sort_bits, es);
		ExplainPropertyInteger("Blocks", NULL, state->reader.blocks, es);
		ExplainPropertyInteger("Memory", "kB", (state->reader.most_bytes + 1023) / 1024, es);
		if (state->reader.spilled_kb > 0)
			ExplainPropertyInteger("Disk", "kB", state->reader.spilled_kb, es);
		if (es->timing && state->watch.timed)
			explain_time(state, es);
	}
}

/* ---- windows that were left to core ---- */

/* The EXPLAIN (VERBOSE) that is at work, and what it was told. */
static ExplainState *explaining;
static ReasonReport	 report;

static ExplainOneQuery_hook_type previous_explain;
static ExecutorEnd_hook_type	 previous_end;

static void
explain_left_window(const LeftWindow *window, ExplainState *es)
{
	if (es->format != EXPLAIN_FORMAT_TEXT)
	{
		ExplainOpenGroup("Window", NULL, true, es);
		if (window->name != NULL)
			ExplainPropertyText("Window Name", window->name, es);
		ExplainPropertyList("Functions", window->functions, es);
		if (window->about != NULL)
			ExplainPropertyText("Function", window->about, es);
		ExplainPropertyText("Reason", window->reason, es);
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
						 window->name == NULL ? "(?)" : quote_identifier(window->name));
		if (window->about != NULL && list_length(window->functions) > 1)
			appendStringInfo(es->str, "%s: ", window->about);
		appendStringInfo(es->str, "%s\n", window->reason);
	}
}

static void
explain_and_end(QueryDesc *query)
{
	ListCell *cell;

	/* ANALYZE may end queries of functions before its own */
	if (explaining != NULL && report.left != NIL && query->plannedstmt == report.statement)
	{
		ExplainOpenGroup("Not in PrefixScan", "Not in PrefixScan", false, explaining);
		foreach (cell, report.left)
			explain_left_window((const LeftWindow *) lfirst(cell), explaining);
		ExplainCloseGroup("Not in PrefixScan", "Not in PrefixScan", false, explaining);
		explaining = NULL;
	}
	if (previous_end)
		previous_end(query);
	else
		standard_ExecutorEnd(query);
}

/* An EXPLAIN of a query: may be inside of another's, in a function that ANALYZE runs. */
static void
explain_query(Query *query, int options, IntoClause *into, ExplainState *es, const char *text, ParamListInfo parameters,
			  QueryEnvironment *environment)
{
	ExplainState *volatile outer = explaining;
	ReasonReport *volatile outer_to = reason_report;
	ReasonReport outer_report = report;

	explaining = es->verbose ? es : NULL;
	memset(&report, 0, sizeof(report));
	reason_report = explaining == NULL ? NULL : &report;
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
		reason_report = outer_to;
		report = outer_report;
	}
	PG_END_TRY();
}

void
explain_init(void)
{
	previous_explain = ExplainOneQuery_hook;
	ExplainOneQuery_hook = explain_query;
	previous_end = ExecutorEnd_hook;
	ExecutorEnd_hook = explain_and_end;
}
