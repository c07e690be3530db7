/*
 * exec.c: PrefixScan in the executor: blocks of rows in, answers of functions, rows
 * out.
 *
 * begin.c has set it up.  Conditions and target list are evaluated by core over the
 * node's own row, unless there are none: then columns and answers go up as they are.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "node/exec.h"

/* The next block, with no answers yet. */
static bool
next_block(PrefixScanState *state)
{
	const Block *block = &state->reader.block;
	Watch		*watch = state->reader.watch;
	WatchStep	 step = watch_begin(watch);
	bool		 there;

	for (int i = 0; i < state->functions; i++)
		if (state->function[i].wish > state->reader.most)
			block_wish(&state->reader, state->function[i].wish);
	there = block_next(&state->reader);
	if (unlikely(watch != NULL))
		watch_end(watch, &step, &watch->pull_ns);
	if (!there)
		return false;
	for (int i = 0; i < state->functions; i++)
		node_function_new_block(&state->function[i], block);
	for (int i = 0; i < state->outputs; i++)
	{
		Output *output = &state->output[i];

		if (output->function)
		{
			output->value = state->function[output->place].value;
			output->isnull = state->function[output->place].isnull;
		}
		else
		{
			output->value = block->rows->column[output->place].value;
			output->isnull = block->rows->column[output->place].isnull;
		}
	}
	state->late.row = -1;
	state->row = state->ready = 0;
	return true;
}

/* Has every function answer the block's next row; some answer many. */
static void
answer_row(PrefixScanState *state)
{
	const Block *block = &state->reader.block;

	state->ready = block->n;
	for (int i = 0; i < state->functions; i++)
	{
		NodeFunction *f = &state->function[i];

		/* all that was answered before has been emitted */
		while (f->done <= state->row)
		{
			MemoryContextReset(f->results);
			f->done = f->answer(f, block, f->done);
		}
		state->ready = Min(state->ready, f->done);
	}
}

/* The same for EXPLAIN ANALYZE. */
static void
answer_row_watched(PrefixScanState *state, Watch *watch)
{
	WatchStep step = watch_begin(watch);

	answer_row(state);
	watch_end(watch, &step, &watch->answer_ns);
	watch_jobs(watch, &step);
}

int64
prefix_scan_ready(PrefixScanState *state)
{
	if (unlikely(state->row >= state->ready))
	{
		if (state->at_end)
			return 0;
		if (state->row >= state->reader.block.n && !next_block(state))
		{
			state->at_end = true;
			return 0;
		}
		CHECK_FOR_INTERRUPTS();
		if (likely(state->reader.watch == NULL))
			answer_row(state);
		else
			answer_row_watched(state, state->reader.watch);
	}
	return state->ready - state->row;
}

/*
 * Goes to the next row, the answers of which are there then; -1: there is none.  A block may
 * be a partition of millions of rows, and who takes them need not look for interrupts.
 */
static inline int64
next_row(PrefixScanState *state)
{
	CHECK_FOR_INTERRUPTS();
	return prefix_scan_ready(state) > 0 ? state->row++ : -1;
}

/* The next row of the node, before conditions and projection. */
static TupleTableSlot *
next_scanned(PrefixScanState *state)
{
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;
	int64			i = next_row(state);

	ExecClearTuple(slot);
	if (i < 0)
		return slot;
	for (int c = 0; c < state->carried; c++)
	{
		const RowColumn *column = &state->reader.block.rows->column[state->carried_column[c]];

		slot->tts_values[state->carried_attno[c] - 1] = column->value[i];
		slot->tts_isnull[state->carried_attno[c] - 1] = column->isnull[i];
	}
	for (int c = 0; c < state->functions; c++)
	{
		slot->tts_values[state->child_columns + c] = state->function[c].value[i];
		slot->tts_isnull[state->child_columns + c] = state->function[c].isnull[i];
	}
	return ExecStoreVirtualTuple(slot);
}

/*
 * The next row, straight into the result: what the node is to the nodes above, where
 * nothing is left to ExecScan.  The slot is virtual and ours, so to empty and to fill
 * it is a matter of two fields.
 */
static TupleTableSlot *
next_output(PlanState *node)
{
	PrefixScanState *state = (PrefixScanState *) node;
	TupleTableSlot	*slot = node->ps_ResultTupleSlot;
	int64			 i = next_row(state);

	if (i < 0 || TTS_SHOULDFREE(slot))
		ExecClearTuple(slot);
	if (i < 0)
		return NULL;
	for (int n = 0; n < state->outputs; n++)
	{
		slot->tts_values[n] = state->output[n].value[i];
		slot->tts_isnull[n] = state->output[n].isnull[i];
	}
	slot->tts_flags &= ~TTS_FLAG_EMPTY;
	slot->tts_nvalid = slot->tts_tupleDescriptor->natts;
	return slot;
}

/*
 * The next row that meets the conditions, projected: ExecScan without what a window does
 * not have, EvalPlanQual above it.
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

/* What ExecCustomScan calls, which nobody does: begin_prefix_scan has put ours in its place. */
static TupleTableSlot *
exec_prefix_scan(CustomScanState *node)
{
	return node->ss.ps.ExecProcNode(&node->ss.ps);
}

static void
begin_prefix_scan(CustomScanState *node, EState *estate, int eflags)
{
	PrefixScanState *state = (PrefixScanState *) node;

	prefix_scan_begin(state, estate, eflags);
	/* ExecInitNode wraps it yet */
	node->ss.ps.ExecProcNode = state->output != NULL ? next_output : next_projected;
}

static void
rescan_prefix_scan(CustomScanState *node)
{
	PrefixScanState *state = (PrefixScanState *) node;
	PlanState		*child = state->reader.child;

	block_rewind(&state->reader);
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
	sorted_rewind(&((PrefixScanState *) node)->reader);
	ExecEndNode(((PrefixScanState *) node)->reader.child);
}

static const CustomExecMethods exec_methods = {.CustomName = PREFIX_SCAN_NAME,
											   .BeginCustomScan = begin_prefix_scan,
											   .ExecCustomScan = exec_prefix_scan,
											   .EndCustomScan = end_prefix_scan,
											   .ReScanCustomScan = rescan_prefix_scan,
											   .ExplainCustomScan = prefix_scan_explain};

PrefixScanState *
prefix_scan_state(PlanState *node)
{
	if (!IsA(node, CustomScanState) || ((CustomScanState *) node)->methods != &exec_methods)
		return NULL;
	return (PrefixScanState *) node;
}

Node *
prefix_scan_create_state(CustomScan *scan)
{
	PrefixScanState *state = (PrefixScanState *) newNode(sizeof(PrefixScanState), T_CustomScanState);

	state->css.methods = &exec_methods;
	return (Node *) state;
}
