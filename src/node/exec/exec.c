/*
 * exec.c: runs a PrefixScan: takes blocks of rows, has the functions evaluated, emits rows.
 *
 * begin.c has set the state up.  Conditions and target list are evaluated over the node's own row.  If nothing has to
 * be evaluated, columns and results are passed up as they are.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "guc.h"
#include "node/exec/state.h"
#include "node/planned_node.h"

/* By-reference results of a range, of all functions together, take 1/RESULTS_PART of the budget at most. */
#define RESULTS_PART 8

/*
 * Evaluates a function over a whole block.  Returns false if its results took more than `limit` bytes, and those of the
 * first rows were dropped.  Results of at most BLOCK_MAX_ROWS rows that one call evaluates are kept in any case.
 */
static bool
evaluate_whole_block(RowFunction *f, const Block *block, Size limit)
{
	bool held = true;

	result_column_empty(&f->result);
	while (f->done < block->n)
	{
		f->done = f->evaluate(f, block, f->done);
		if (f->result.arena.used > limit)
		{
			held = held && f->done == block->n && f->done - block->begin <= BLOCK_MAX_ROWS;
			if (!held)
				result_column_empty(&f->result);
		}
	}
	return held;
}

/* Returns how many bytes the results of a range may take for one function. */
static Size
results_limit(const PrefixScanState *state)
{
	return guc_budget() / RESULTS_PART / state->functions;
}

/*
 * Puts a function back to the start of a range, with the state saved in `before`, or none if NULL.  The range's rows
 * are then evaluated as they are asked for.
 */
static void
begin_range_again(PrefixScanState *state, RowFunction *f, SavedState *before)
{
	const Block *block = state->reader.block;

	node_function_new_block(f, block);
	if (before != NULL)
		f->carry_state(f, block, before);
	state->ready = block->begin;
}

/*
 * Evaluates the functions that save state over a block that is a range.  They restore their state from the end of the
 * range before, and the next range continues from their state at the end of this one.
 */
static void
carry_over_range(PrefixScanState *state)
{
	const Block *block = state->reader.block;
	SavedState	 before = {.restores = true}, after = {.restores = false};
	bool		 goes_on = ranges_take_states(&state->reader.shared.ranges, &before.bytes), held;
	int			 from;

	initStringInfo(&after.bytes);
	for (int i = 0; i < state->functions; i++)
	{
		RowFunction *f = function_at(state, i);

		if (!(f->needs & NEEDS_SAVED_STATE))
			continue;
		from = before.bytes.cursor;
		if (goes_on)
			f->carry_state(f, block, &before);
		held = evaluate_whole_block(f, block, results_limit(state));
		f->carry_state(f, block, &after);
		if (held)
			continue;
		before.bytes.cursor = from;
		begin_range_again(state, f, goes_on ? &before : NULL);
	}
	ranges_hand_states_over(&state->reader.shared.ranges, &after.bytes);
	pfree(after.bytes.data);
}

/*
 * Evaluates all functions over a block that is a range of the order.  This is done before any row goes to the nodes
 * above, which may wait.  Functions over sliding frames have all rows of their frames in the block.
 */
static void
answer_range(PrefixScanState *state)
{
	const Block			 *block = state->reader.block;
	BlockInstrumentation *instrument = state->reader.statistics.instrument;
	InstrumentStep		  step = instrument_begin(instrument);

	state->ready = block->n;
	if (state->reader.needs.flags & NEEDS_SAVED_STATE)
		carry_over_range(state);
	for (int i = 0; i < state->functions; i++)
		if (!(function_at(state, i)->needs & NEEDS_SAVED_STATE) &&
			!evaluate_whole_block(function_at(state, i), block, results_limit(state)))
			begin_range_again(state, function_at(state, i), NULL);
	instrument_end(instrument, &step, TIME_EVALUATE);
}

/* Gets the next block.  Its rows have no results yet, except those of a range. */
static bool
fetch_next_block(PrefixScanState *state)
{
	const Block			 *block;
	BlockInstrumentation *instrument = state->reader.statistics.instrument;
	InstrumentStep		  step = instrument_begin(instrument);
	bool				  there;

	/* 1: the function has asked, and prefers no number */
	for (int i = 0; i < state->functions; i++)
		if (function_at(state, i)->preferred_rows > Max(state->reader.max_rows, 1))
			reader_prefer_rows(&state->reader, function_at(state, i)->preferred_rows, all_are_asked_for(state));
	there = reader_next(&state->reader);
	instrument_end(instrument, &step, TIME_PULL);
	if (!there)
		return false;
	block = state->reader.block;
	for (int i = 0; i < state->functions; i++)
		node_function_new_block(function_at(state, i), block);
	for (int i = 0; i < state->outputs; i++)
	{
		Output *output = &state->output[i];

		output->column = output->function ? &function_at(state, output->place)->result.data
										  : &block->rows->column[output->place].data;
	}
	state->late.row = -1;
	entering_new_block(&state->entering, block, all_are_asked_for(state));
	state->row = state->ready = block->begin;
	if (state->reader.shared.range_partitioned)
		answer_range(state);
	return true;
}

/* The reader's UnitAccumulator: has the functions that must know a unit whole accumulate some of its rows. */
static void
accumulate_rows(void *functions, const Block *block, Lookahead unit, bool last)
{
	PrefixScanState *state = (PrefixScanState *) functions;

	state->late.row = -1;
	for (int i = 0; i < state->functions; i++)
	{
		RowFunction *f = function_at(state, i);

		if (f->needs & unit)
			f->accumulate(f, block, unit, last);
	}
}

/* Evaluates every function at the block's next row; some functions evaluate many rows at once. */
static void
evaluate_row(PrefixScanState *state)
{
	const Block *block = state->reader.block;

	state->ready = block->n;
	for (int i = 0; i < state->functions; i++)
	{
		RowFunction *f = function_at(state, i);

		/* all rows evaluated before have been emitted, so their results can go */
		while (f->done <= state->row)
		{
			result_column_empty(&f->result);
			f->done = f->evaluate(f, block, f->done);
		}
		state->ready = Min(state->ready, f->done);
	}
}

/* The same with the time taken, for EXPLAIN ANALYZE. */
static void
evaluate_row_instrumented(PrefixScanState *state, BlockInstrumentation *instrument)
{
	InstrumentStep step = instrument_begin(instrument);

	evaluate_row(state);
	instrument_end(instrument, &step, TIME_EVALUATE);
}

/*
 * Returns how many rows from state->row on have all their results (if there are outputs, in Output.column); 0 at the
 * end.  A caller that takes rows advances state->row.
 */
static int64
rows_ready(PrefixScanState *state)
{
	if (unlikely(state->row >= state->ready))
	{
		if (state->at_end)
			return 0;
		if (state->row >= state->reader.block->n && !fetch_next_block(state))
		{
			state->at_end = true;
			/* a node above may sort these rows once more, and a query may have a hundred such nodes */
			reader_end(&state->reader);
			return 0;
		}
		CHECK_FOR_INTERRUPTS();
		if (state->ready > state->row)
			return state->ready - state->row;
		if (likely(state->reader.statistics.instrument == NULL))
			evaluate_row(state);
		else
			evaluate_row_instrumented(state, state->reader.statistics.instrument);
	}
	return state->ready - state->row;
}

/*
 * Evaluates the next row and moves past it.  Returns its position in the block, or -1 if there is no more row.  A block
 * may be a partition of millions of rows, and the nodes above need not check for interrupts, so this function does.
 */
static inline int64
evaluate_next_row(PrefixScanState *state)
{
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (rows_ready(state) == 0)
			return -1;
		if (!state->distinct || state->reader.block->head[state->row])
			return state->row++;
		/* rows that were sorted on disk are not filtered by the sort */
		state->row++;
	}
}

/* Returns the node's next row, before conditions and projection. */
static TupleTableSlot *
next_scanned(PrefixScanState *state)
{
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;
	int64			i = evaluate_next_row(state);

	ExecClearTuple(slot);
	if (i < 0)
		return slot;
	for (int c = 0; c < state->passthrough; c++)
	{
		const Column *column = &state->reader.block->rows->column[state->passthrough_column[c]].data;
		int			  attno = state->passthrough_attno[c];

		slot->tts_values[attno - 1] = column_get(column, i, &slot->tts_isnull[attno - 1]);
	}
	for (int c = 0; c < state->functions; c++)
	{
		int attno = state->child_columns + c + 1;

		slot->tts_values[attno - 1] = column_get(&function_at(state, c)->result.data, i, &slot->tts_isnull[attno - 1]);
	}
	return ExecStoreVirtualTuple(slot);
}

/*
 * The ExecProcNode of a node that has nothing to evaluate: puts the next row straight into the result slot.  The slot
 * is virtual and the node's own, so emptying and filling it is a matter of two fields.
 */
static TupleTableSlot *
next_output(PlanState *node)
{
	PrefixScanState *state = (PrefixScanState *) node;
	TupleTableSlot	*slot = node->ps_ResultTupleSlot;
	int64			 i = evaluate_next_row(state);

	if (i < 0 || TTS_SHOULDFREE(slot))
		ExecClearTuple(slot);
	if (i < 0)
		return NULL;
	for (int n = 0; n < state->outputs; n++)
		slot->tts_values[n] = column_get(state->output[n].column, i, &slot->tts_isnull[n]);
	slot->tts_flags &= ~TTS_FLAG_EMPTY;
	slot->tts_nvalid = slot->tts_tupleDescriptor->natts;
	return slot;
}

/*
 * The ExecProcNode of other nodes: returns the next row that meets the conditions, projected.  It is ExecScan() without
 * EvalPlanQual, which is never above a window.
 */
static TupleTableSlot *
next_projected(PlanState *node)
{
	PrefixScanState *state = (PrefixScanState *) node;
	ExprContext		*econtext = node->ps_ExprContext;

	for (;;)
	{
		TupleTableSlot *slot = next_scanned(state);

		ResetExprContext(econtext);
		if (TupIsNull(slot))
			return node->ps_ProjInfo == NULL ? slot : ExecClearTuple(node->ps_ProjInfo->pi_state.resultslot);
		econtext->ecxt_scantuple = slot;
		if (!ExecQual(node->qual, econtext))
			InstrCountFiltered1(node, 1);
		else
			return node->ps_ProjInfo == NULL ? slot : ExecProject(node->ps_ProjInfo);
	}
}

/* ---- as the source of another PrefixScan ---- */

static int64
source_ready(PlanState *node)
{
	return rows_ready((PrefixScanState *) node);
}

static const Column *
source_column(PlanState *node, AttrNumber attno, int64 *first)
{
	const PrefixScanState *state = (const PrefixScanState *) node;

	*first = state->row;
	return state->output[attno - 1].column;
}

static const bool *
source_heads(PlanState *node)
{
	return ((PrefixScanState *) node)->reader.block->head;
}

static void
source_take(PlanState *node, int64 rows)
{
	((PrefixScanState *) node)->row += rows;
}

const BlockSource *
prefix_scan_block_source(PlanState *node)
{
	static const BlockSource source = {source_ready, source_column, source_heads, source_take};

	if (planned_node(node->plan, &prefix_scan_methods) == NULL || ((PrefixScanState *) node)->output == NULL ||
		((PrefixScanState *) node)->distinct)
		return NULL;
	return &source;
}

/* ---- the node ---- */

/* Core's ExecCustomScan() would call this, but never runs: begin_prefix_scan() sets another ExecProcNode. */
static TupleTableSlot *
exec_prefix_scan(CustomScanState *node)
{
	return node->ss.ps.ExecProcNode(&node->ss.ps);
}

static void
begin_prefix_scan(CustomScanState *node, EState *estate, int eflags)
{
	PrefixScanState *state = (PrefixScanState *) node;

	prefix_scan_begin(state, estate, eflags, prefix_scan_block_source, (UnitAccumulator){accumulate_rows, state});
	/* ExecInitNode() has yet to wrap ExecProcNode */
	node->ss.ps.ExecProcNode = state->output != NULL ? next_output : next_projected;
}

/* Has the functions close their files. */
static void
end_functions(PrefixScanState *state)
{
	for (int i = 0; i < state->functions; i++)
		if (function_at(state, i)->end != NULL)
			function_at(state, i)->end(function_at(state, i));
}

static void
rescan_prefix_scan(CustomScanState *node)
{
	PrefixScanState *state = (PrefixScanState *) node;
	PlanState		*child = state->reader.pull.child;

	end_functions(state);
	reader_rewind(&state->reader);
	state->row = state->ready = 0;
	state->at_end = false;
	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(child, node->ss.ps.chgParam);
	if (child->chgParam == NULL)
		ExecReScan(child);
}

static void
end_prefix_scan(CustomScanState *node)
{
	end_functions((PrefixScanState *) node);
	reader_end(&((PrefixScanState *) node)->reader);
	ExecEndNode(((PrefixScanState *) node)->reader.pull.child);
}

static const CustomExecMethods exec_methods = {.CustomName = PREFIX_SCAN_NAME,
											   .BeginCustomScan = begin_prefix_scan,
											   .ExecCustomScan = exec_prefix_scan,
											   .EndCustomScan = end_prefix_scan,
											   .ReScanCustomScan = rescan_prefix_scan,
											   .EstimateDSMCustomScan = prefix_scan_estimate_shared,
											   .InitializeDSMCustomScan = prefix_scan_create_shared,
											   .ReInitializeDSMCustomScan = prefix_scan_reset_shared,
											   .InitializeWorkerCustomScan = prefix_scan_join_shared,
											   .ShutdownCustomScan = prefix_scan_leave_shared,
											   .ExplainCustomScan = prefix_scan_explain};

Node *
prefix_scan_create_state(CustomScan *scan)
{
	return planned_state(scan, sizeof(PrefixScanState), &exec_methods);
}
