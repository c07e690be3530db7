/*
 * exec.c: runs a WindowReduce: adds up the rows that are kept, or returns them.
 *
 * begin.c has set the state up, and chunk.c gets rows, leaves some out, and finds where groups begin.  README.md has a
 * picture of the stages of a chunk.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/memutils.h"

#include "column/memory.h"
#include "error.h"
#include "node/planned_node.h"
#include "node/reduce/internal.h"
#include "node/reduce/reduce.h"

/* ---- groups ---- */

/* Returns a copy of a row's value, in a memory context that the caller resets. */
static Datum
value_to_keep(MemoryContext memory, const Column *column, int64 i, bool *isnull)
{
	Datum value = column_get(column, i, isnull);

	return *isnull || column->by_value ? value : datum_copy_to(memory, value, false, column->length);
}

/* Begins a group: its first row that is kept is row i; a group without GROUP BY has no such row yet (-1). */
static void
open_group(ReduceState *state, int64 i)
{
	state->open = true;
	for (int a = 0; a < state->aggregates; a++)
		state->aggregate[a].aggregate.op->empty(&state->aggregate[a].aggregate);
	MemoryContextReset(state->group_values);
	for (int k = 0; i >= 0 && k < state->keys; k++)
		state->key[k].value = value_to_keep(state->group_values, &state->rows->column[state->key[k].column].data, i,
											&state->key[k].isnull);
}

static void
add_rows_to(Aggregate *aggregate, const Block *block, int64 from, int64 end)
{
	MemoryContext old = MemoryContextSwitchTo(aggregate->f.scratch);

	aggregate->op->add(aggregate, block, from, end);
	MemoryContextSwitchTo(old);
	MemoryContextReset(aggregate->f.scratch);
}

/* Adds rows of one group to it. */
static void
add_rows(ReduceState *state, int64 from, int64 end)
{
	if (!state->open)
	{
		const bool *keep = state->conditions.keep;
		const bool *kept = keep == NULL ? NULL : (const bool *) memchr(keep + from, true, end - from);

		if (keep != NULL && kept == NULL)
			return;
		from = keep == NULL ? from : kept - keep;
		open_group(state, from);
	}
	state->block.begin = from;
	state->block.n = end;
	for (int a = 0; a < state->aggregates; a++)
		add_rows_to(&state->aggregate[a].aggregate, &state->block, from, end);
}

/* Returns where the group of row `at` ends, at most the end of the rows whose conditions are known. */
static int64
group_end(const ReduceState *state)
{
	const bool *head;

	if (state->keys == 0)
		return state->stop;
	head = (const bool *) memchr(state->head + (state->at + 1 - state->first), true, state->stop - state->at - 1);
	return head == NULL ? state->stop : state->first + (head - state->head);
}

/* Adds rows up to the end of the next group that has a row.  Returns false if there is none. */
static bool
advance_to_group(ReduceState *state)
{
	if (!state->grouped && !state->open)
		open_group(state, -1);
	for (;;)
	{
		int64 end;

		if (state->at >= state->stop && !reduce_next_rows(state))
		{
			state->at_end = true;
			return state->open;
		}
		/* the head of the next group stays where it is, and begins a group with the next call */
		if (state->keys > 0 && state->head[state->at - state->first] && state->open)
			return true;
		end = group_end(state);
		add_rows(state, state->at, end);
		state->at = end;
	}
}

/* Puts the group into the node's row: the columns of GROUP BY, and the aggregates. */
static TupleTableSlot *
show_group(ReduceState *state)
{
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;
	int				natts = slot->tts_tupleDescriptor->natts;
	MemoryContext	old = MemoryContextSwitchTo(state->css.ss.ps.ps_ExprContext->ecxt_per_tuple_memory);

	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, natts * sizeof(bool));
	for (int k = 0; k < state->keys; k++)
	{
		slot->tts_values[state->key[k].attno - 1] = state->key[k].value;
		slot->tts_isnull[state->key[k].attno - 1] = state->key[k].isnull;
	}
	for (int a = 0; a < state->aggregates; a++)
	{
		Aggregate	 *aggregate = &state->aggregate[a].aggregate;
		PartialResult partial = state->aggregate[a].partial;
		Datum		  value = 0;
		ScanStatus	  status = (partial != NULL ? partial : aggregate->op->final)(aggregate, &value);

		if (status != SCAN_NULL)
			scan_check(status);
		slot->tts_values[state->columns + a] = value;
		slot->tts_isnull[state->columns + a] = status == SCAN_NULL;
	}
	MemoryContextSwitchTo(old);
	return ExecStoreVirtualTuple(slot);
}

/* The ExecProcNode of a node that groups: returns the next group that meets HAVING. */
static TupleTableSlot *
return_group(PlanState *node)
{
	ReduceState *state = (ReduceState *) node;
	ExprContext *econtext = node->ps_ExprContext;

	while (!state->at_end && advance_to_group(state))
	{
		ResetExprContext(econtext);
		econtext->ecxt_scantuple = show_group(state);
		state->open = false;
		if (ExecQual(node->qual, econtext))
			return node->ps_ProjInfo == NULL ? econtext->ecxt_scantuple : ExecProject(node->ps_ProjInfo);
		InstrCountFiltered1(node, 1);
	}
	return NULL;
}

/* ---- rows ---- */

/* Moves to the next row that is kept, and returns its number; -1: there is none. */
static int64
next_row(ReduceState *state)
{
	while (!state->at_end)
	{
		const bool *kept;

		if (state->at >= state->stop && !reduce_next_rows(state))
		{
			state->at_end = true;
			break;
		}
		kept = (const bool *) memchr(state->conditions.keep + state->at, true, state->stop - state->at);
		if (kept != NULL)
		{
			state->at = kept - state->conditions.keep + 1;
			return state->at - 1;
		}
		state->at = state->stop;
	}
	return -1;
}

/* The ExecProcNode of a node that only leaves out rows. */
static TupleTableSlot *
return_row(PlanState *node)
{
	ReduceState	   *state = (ReduceState *) node;
	TupleTableSlot *slot = state->output != NULL ? node->ps_ResultTupleSlot : state->css.ss.ss_ScanTupleSlot;
	int64			i = next_row(state);

	ExecClearTuple(slot);
	if (i < 0)
		return NULL;
	if (state->output != NULL)
	{
		for (int n = 0; n < state->outputs; n++)
			slot->tts_values[n] = column_get(&state->rows->column[state->output[n]].data, i, &slot->tts_isnull[n]);
		return ExecStoreVirtualTuple(slot);
	}
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
	for (int c = 0; c < state->pulled.n; c++)
	{
		AttrNumber attno = state->pulled.from[c].own;

		if (attno > 0)
			slot->tts_values[attno - 1] = column_get(&state->rows->column[c].data, i, &slot->tts_isnull[attno - 1]);
	}
	ResetExprContext(node->ps_ExprContext);
	node->ps_ExprContext->ecxt_scantuple = ExecStoreVirtualTuple(slot);
	return node->ps_ProjInfo == NULL ? slot : ExecProject(node->ps_ProjInfo);
}

/* ---- the node ---- */

/* Core's ExecCustomScan() would call this, but never runs: begin_window_reduce() sets another ExecProcNode. */
static TupleTableSlot *
exec_window_reduce(CustomScanState *node)
{
	return node->ss.ps.ExecProcNode(&node->ss.ps);
}

static void
begin_window_reduce(CustomScanState *node, EState *estate, int eflags)
{
	ReduceState *state = (ReduceState *) node;

	window_reduce_begin(state, estate, eflags);
	/* ExecInitNode() has yet to wrap ExecProcNode */
	node->ss.ps.ExecProcNode = state->aggregates > 0 || state->grouped ? return_group : return_row;
}

static void
rescan_window_reduce(CustomScanState *node)
{
	ReduceState *state = (ReduceState *) node;
	PlanState	*child = state->pull.child;

	for (int i = -1; i < state->aggregates; i++)
	{
		Conditions *conditions = i < 0 ? &state->conditions : &state->aggregate[i].filter;

		for (int c = 0; c < conditions->n; c++)
			expression_forget(&conditions->condition[c]);
	}
	state->at = state->stop = state->end = 0;
	state->open = state->in_partition = state->at_end = false;
	pull_rewind(&state->pull);
	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(child, node->ss.ps.chgParam);
	if (child->chgParam == NULL)
		ExecReScan(child);
}

static void
end_window_reduce(CustomScanState *node)
{
	ExecEndNode(((ReduceState *) node)->pull.child);
}

static const CustomExecMethods exec_methods = {.CustomName = WINDOW_REDUCE_NAME,
											   .BeginCustomScan = begin_window_reduce,
											   .ExecCustomScan = exec_window_reduce,
											   .EndCustomScan = end_window_reduce,
											   .ReScanCustomScan = rescan_window_reduce,
											   .ExplainCustomScan = window_reduce_explain};

Node *
window_reduce_create_state(CustomScan *scan)
{
	return planned_state(scan, sizeof(ReduceState), &exec_methods);
}
