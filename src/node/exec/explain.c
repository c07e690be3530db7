/*
 * explain.c: prints a PrefixScan in EXPLAIN: its functions, keys and frame as they were planned, and with ANALYZE what
 * they took.
 */
#include "postgres.h"

#include "commands/explain.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/ruleutils.h"

#include "compat.h"
#include "device/offload.h"
#include "node/exec/state.h"
#include "node/planned_window.h"
#include "node/text.h"

static void
explain_functions(const PrefixScanState *state, ExplainState *es)
{
	List *names = NIL;

	for (int i = 0; i < state->functions; i++)
		names = lappend(names, name_of_function(state->function[i].info.wfunc->winfnoid));
	/* DISTINCT ON has none */
	if (names != NIL)
		ExplainPropertyList("Functions", names, es);
}

/* Prints PARTITION BY and ORDER BY, as expressions of the child. */
static void
explain_keys(const PrefixScanState *state, List *context, ExplainState *es)
{
	const CustomScan *scan = (const CustomScan *) state->css.ss.ps.plan;
	const List		 *columns = planned_list(scan, PRIVATE_KEY_COLUMNS);
	List			 *partition = NIL, *order = NIL, *presorted = NIL;

	foreach_int (column, columns)
	{
		int	  k = foreach_current_index(column);
		char *text = text_of_column(scan, (AttrNumber) column, context, es);

		if (k < state->reader.keys.partition)
			partition = lappend(partition, text);
		else
			order = lappend(order, text);
		if (k < state->reader.presorted)
			presorted = lappend(presorted, text);
	}
	if (partition != NIL)
		ExplainPropertyList("Partition By", partition, es);
	if (order != NIL)
		ExplainPropertyList(state->reader.sorts && es->format == EXPLAIN_FORMAT_TEXT ? "Order By (sorted here)"
																					 : "Order By",
							order, es);
	if (es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyBool("Sorted Here", state->reader.sorts, es);
	if (presorted != NIL)
		ExplainPropertyList("Presorted", presorted, es);
}

/* Prints which rows of each partition are kept, if a condition on a rank has the others dropped. */
static void
explain_top(const BlockReader *reader, ExplainState *es)
{
	static const char *const unit[] = {"row number", "rank", "dense rank"};

	if (reader->sorted.top.limit > 0)
		ExplainPropertyText("Keeps",
							psprintf("rows up to %s %d%s", unit[reader->sorted.top.unit], reader->sorted.top.limit,
									 reader->keys.partition > 0 ? " of each partition" : ""),
							es);
}

/* Returns the offset of a bound as text, or NULL if it has none. */
static const char *
explain_offset_text(const FrameEnd *end, List *context)
{
	return end->expr == NULL ? NULL : text_of_expression((Node *) end->expr->expr, context, false);
}

/* Prints the frame, if it matters to a function, and how functions are evaluated over it if it slides. */
static void
explain_frame(const PrefixScanState *state, List *context, ExplainState *es)
{
	const Frame *frame = &state->reader.frame;
	List		*methods = NIL;

	for (int i = 0; i < state->functions; i++)
	{
		const RowFunction *f = function_at(state, i);

		if (f->needs & NEEDS_BOUNDS)
			methods = lappend(methods, psprintf("%s (%s)", name_of_function(node_info(f)->wfunc->winfnoid), f->method));
	}
	if (state->reader.needs.flags & NEEDS_FRAME)
		ExplainPropertyText("Frame",
							frame_text(frame->options, explain_offset_text(&frame->start, context),
									   explain_offset_text(&frame->end, context)),
							es);
	if (methods != NIL)
		ExplainPropertyList("Frame Methods", methods, es);
}

/* Rows of a frame from which on an exact aggregate takes less time than core's sum of floats. */
#define LONG_FRAME 3000

/* How many rows after the current one an end of a frame of ROWS is; false: unknown. */
static bool
rows_from_current(const FrameEnd *end, double *rows)
{
	const Const *offset = end->expr == NULL ? NULL : (const Const *) end->expr->expr;

	*rows = 0;
	if (offset == NULL)
		return true;
	if (!IsA(offset, Const) || offset->constisnull)
		return false;
	*rows = (double) DatumGetInt64(offset->constvalue) * (end->preceding ? -1 : 1);
	return true;
}

/* Returns how many rows a frame has before any is read, unless its partition cuts it; 0: unknown. */
static double
planned_frame_rows(const Frame *frame)
{
	double start, end;

	if (!(frame->options & FRAMEOPTION_ROWS) ||
		(frame->options & (FRAMEOPTION_START_UNBOUNDED_PRECEDING | FRAMEOPTION_END_UNBOUNDED_FOLLOWING)) ||
		!rows_from_current(&frame->start, &start) || !rows_from_current(&frame->end, &end))
		return 0;
	return end - start + 1;
}

/* Returns the name of the exact aggregate that stands for one of core's (sql/README.md). */
static const char *
exact_name(const char *name)
{
	if (strcmp(name, "variance") == 0 || strcmp(name, "stddev") == 0)
		return psprintf("exact_%s_samp", name[0] == 'v' ? "var" : "stddev");
	return psprintf("exact_%s", name);
}

/*
 * Prints what to write instead of core's aggregates of floats over long frames: these add up all rows of a frame anew
 * (aggregate/refold.c), since their bits hang on the order of the additions.
 */
static void
explain_long_frames(const PrefixScanState *state, List *context, ExplainState *es)
{
	double	   rows = planned_frame_rows(&state->reader.frame);
	StringInfo calls = makeStringInfo();

	if (rows < LONG_FRAME)
		return;
	for (int i = 0; i < state->functions; i++)
	{
		const RowFunction *f = function_at(state, i);
		const char		  *name = name_of_function(node_info(f)->wfunc->winfnoid);
		char			  *argument;

		if (!(f->needs & NEEDS_BOUNDS) || strcmp(f->method, "lanes") != 0)
			continue;
		argument = text_of_expression((Node *) linitial(node_info(f)->wfunc->args), context,
									  list_length(es->rtable) > 1);
		appendStringInfo(calls, "%s%s(%s) instead of %s(%s)", calls->len > 0 ? ", " : "", exact_name(name), argument,
						 name, argument);
	}
	if (calls->len > 0)
		ExplainPropertyText(
			"Frame Hint",
			psprintf("Write %s. The exact aggregates take a time that does not grow with the %.0f rows of a frame.",
					 calls->data, rows),
			es);
}

/* Prints where the time went (the child's included), and how much of evaluation and sort a device took. */
static void
explain_time(const PrefixScanState *state, ExplainState *es)
{
	const BlockInstrumentation *instrument = &state->instrument;
	double						total = compat_node_ns(&state->css.ss.ps);
	double emit = total - instrument->ns[TIME_PULL] - instrument->ns[TIME_SORT] - instrument->ns[TIME_EVALUATE];
	const struct
	{
		const char *name, *label;
		double		ns;
	} part[] = {
		{"pull", "Pull Time", instrument->ns[TIME_PULL]},
		{"sort", "Sort Time", instrument->ns[TIME_SORT]},
		{"answer", "Answer Time", instrument->ns[TIME_EVALUATE]},
		{"emit", "Emit Time", Max(emit, 0)},
		/* time of the jobs that ran on a device */
		{"copy in", "Copy In Time", instrument->jobs.ns[TIME_COPY_IN]},
		{"wait", "Wait Time", instrument->jobs.ns[TIME_WAIT]},
		{"device", "Device Time", instrument->jobs.ns[TIME_DEVICE]},
		{"copy out", "Copy Out Time", instrument->jobs.ns[TIME_COPY_OUT]},
	};
	int		   parts = instrument->jobs.gpu_jobs > 0 ? lengthof(part) : 4;
	StringInfo text = makeStringInfo();

	for (int i = 0; i < parts; i++)
		if (es->format != EXPLAIN_FORMAT_TEXT)
			ExplainPropertyFloat(part[i].label, "ms", part[i].ns / 1e6, 3, es);
		else
			appendStringInfo(text, "%s%s %.3f", i == 0 ? "" : i == 4 ? " ms; " : ", ", part[i].name, part[i].ns / 1e6);
	if (es->format == EXPLAIN_FORMAT_TEXT)
		ExplainPropertyText("Time", psprintf("%s ms", text->data), es);
}

/* Prints how the rows are read. */
static void
explain_input(const BlockReader *reader, ExplainState *es)
{
	const char *way = pull_way(&reader->pull);
	bool		careful = reader->read_ahead.may_error_or_side_effect && reader->read_ahead.demand != DEMAND_ALL;

	ExplainPropertyText("Input", careful ? psprintf("%s, on demand", way) : way, es);
}

/* Prints why the window runs in one process. */
static void
explain_serial(const CustomScan *scan, ExplainState *es)
{
	WindowReason reason = (WindowReason) planned_number(scan, NUMBER_PARALLEL_BLOCKER);

	/* REASON_NONE: it runs in several, or scan.parallel is off */
	if (reason == REASON_NONE)
		return;
	ExplainPropertyText("In One Process", reason_text(reason).sentence, es);
	if (es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyText("Hint", reason_text(reason).hint, es);
}

/* Prints what several processes did with the rows. */
static void
explain_repartition(const RepartitionReport *repartitioned, bool timed, ExplainState *es)
{
	const int64 *count = repartitioned->count;

	ExplainPropertyInteger("Participants", NULL, count[COUNT_PARTICIPANTS], es);
	ExplainPropertyInteger(repartitioned->ordered ? "Ranges" : "Batches", NULL, repartitioned->batches, es);
	ExplainPropertyInteger("Rows Repartitioned", NULL, count[COUNT_ROWS], es);
	if (count[COUNT_IN_ORDER] > 0)
		ExplainPropertyInteger("Rows In Order", NULL, count[COUNT_IN_ORDER], es);
	ExplainPropertyInteger("Repartition Memory", "kB", (count[COUNT_BYTES] + 1023) / 1024, es);
	if (count[COUNT_SPILLED] > 0)
		ExplainPropertyInteger("Repartition Disk", "kB", (count[COUNT_SPILLED] + 1023) / 1024, es);
	if (!timed)
		return;
	if (es->format == EXPLAIN_FORMAT_TEXT)
		ExplainPropertyText("Time of Participants",
							psprintf("repartition %.3f, wait %.3f, take %.3f ms", count[COUNT_REPARTITIONING_NS] / 1e6,
									 count[COUNT_WAITING_NS] / 1e6, count[COUNT_TAKING_NS] / 1e6),
							es);
	else
	{
		ExplainPropertyFloat("Repartition Time of Participants", "ms", count[COUNT_REPARTITIONING_NS] / 1e6, 3, es);
		ExplainPropertyFloat("Wait Time of Participants", "ms", count[COUNT_WAITING_NS] / 1e6, 3, es);
		ExplainPropertyFloat("Take Time of Participants", "ms", count[COUNT_TAKING_NS] / 1e6, 3, es);
	}
}

void
prefix_scan_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	PrefixScanState *state = (PrefixScanState *) node;
	List			*context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, ancestors);

	explain_functions(state, es);
	explain_keys(state, context, es);
	explain_top(&state->reader, es);
	explain_frame(state, context, es);
	device_explain(&state->instrument.jobs, es);
	if (es->verbose)
	{
		explain_input(&state->reader, es);
		explain_serial((const CustomScan *) node->ss.ps.plan, es);
		explain_long_frames(state, context, es);
	}
	if (es->analyze)
	{
		if (state->reader.sorted.order.bits > 0)
			ExplainPropertyInteger("Sort Bits", NULL, state->reader.sorted.order.bits, es);
		if (state->fused_functions > 0)
			ExplainPropertyInteger("Scans with the Sort", NULL, state->fused_functions, es);
		if (state->reader.sorted.top.limit > 0)
			ExplainPropertyInteger("Rows Not Kept", NULL, state->reader.statistics.left_out, es);
		if (state->repartitioned.batches > 0)
			explain_repartition(&state->repartitioned, es->timing && state->instrument.timed, es);
		ExplainPropertyInteger("Blocks", NULL, state->reader.statistics.blocks, es);
		ExplainPropertyInteger("Memory", "kB", (state->reader.statistics.peak_bytes + 1023) / 1024, es);
		if (state->reader.statistics.spilled + state->reader.statistics.peak_spilled > 0)
			ExplainPropertyInteger(
				"Disk", "kB", (state->reader.statistics.spilled + state->reader.statistics.peak_spilled + 1023) / 1024,
				es);
		if (es->timing && state->instrument.timed)
			explain_time(state, es);
	}
}
