/*
 * exec.c: runs a WindowReduce: takes the columns of the child's rows, leaves rows out, and adds up or returns the rest.
 *
 * begin.c has set the state up.  Rows come in chunks of at most REDUCE_ROWS, which are a part of the child's block and
 * all have their results.  Whatever a chunk's rows may raise below has been raised, and nothing that is evaluated here
 * before a group is returned can raise an error, but for transitions.  So a chunk can be treated column by column.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "column/stretch.h"
#include "error.h"
#include "library/library.h"
#include "node/exec/state.h"
#include "node/planned_reduce.h"
#include "node/reduce/reduce.h"
#include "node/reduce/state.h"

/* ---- chunks ---- */

/* Gives the rows the columns of the child's block, and moves the child on.  Returns false if there are no more rows. */
static bool
take_block_rows(ReduceState *state)
{
	PlanState *node = state->pull.source;
	int64	   n, first = 0;

	if (node->chgParam != NULL)
		ExecReScan(node);
	if (node->instrument)
		InstrStartNode(node->instrument);
	n = Min(state->blocks->ready(node), REDUCE_ROWS);
	for (int c = 0; n > 0 && c < state->rows->columns; c++)
		if (state->from[c].source > 0)
			state->rows->column[c].data = *state->blocks->column(node, state->from[c].source, &first);
	/* the position is that of any column */
	if (n > 0 && first == 0)
		state->blocks->column(node, 1, &first);
	state->blocks->take(node, n);
	if (node->instrument)
		InstrStopNode(node->instrument, n);
	state->at = first;
	state->end = first + n;
	return n > 0;
}

/*
 * The same for a child that is no PrefixScan, as the planner has made sure that it is: another extension may have put a
 * node between.  Row by row, since any row may raise an error.
 */
static bool
take_one_row(ReduceState *state)
{
	rows_reset(state->rows);
	state->at = 0;
	state->end = pull_rows(&state->pull, state->rows, 1);
	return state->end > 0;
}

/* Makes room for one truth value for each row of the block. */
static void
reserve_keeps(ReduceState *state)
{
	Conditions *filter;

	if (state->end <= state->capacity)
		return;
	state->capacity = Max(2 * state->capacity, Max(state->end, REDUCE_ROWS));
	for (int i = -1; i < state->aggregates; i++)
	{
		filter = i < 0 ? &state->conditions : &state->aggregate[i].filter;
		if (filter->n == 0)
			continue;
		if (filter->keep != NULL)
			pfree(filter->keep);
		filter->keep = (bool *) MemoryContextAllocHuge(state->css.ss.ps.state->es_query_cxt, state->capacity);
	}
}

/* Evaluates conditions for the rows `at` to `stop` - 1 that `before` keeps (NULL: for all of them). */
static void
apply_conditions(ReduceState *state, Conditions *conditions, const bool *before)
{
	int64 at = state->at, n = state->stop - at;

	if (conditions->n == 0)
		return;
	if (before != NULL)
		memcpy(conditions->keep + at, before + at, n);
	else
		memset(conditions->keep + at, true, n);
	for (int i = 0; i < conditions->n; i++)
		condition_apply(&conditions->condition[i], &state->late, state->rows, at, state->stop, conditions->keep);
}

/* Has the column of an aggregate's filter point to the truth values. */
static void
point_filter(ReduceState *state, const ReduceAggregate *aggregate)
{
	const Conditions *filter = aggregate->filter.n > 0 ? &aggregate->filter : &state->conditions;
	Column			 *column;

	if (aggregate->aggregate.f.filter < 0)
		return;
	column = &state->rows->column[aggregate->aggregate.f.filter].data;
	column->value = (char *) filter->keep;
	column->stride = sizeof(bool);
	column->has_nulls = false;
}

static bool
values_are_equal(const ReduceKey *key, Datum a, bool a_isnull, Datum b, bool b_isnull)
{
	if (a_isnull || b_isnull)
		return a_isnull && b_isnull;
	if (key->by_datum)
		return a == b;
	return DatumGetBool(FunctionCall2Coll(unconstify(FmgrInfo *, &key->equal), key->collation, a, b));
}

/* Copies a row's value, and frees nothing: the caller resets the memory. */
static Datum
copy_value(MemoryContext memory, const Column *column, int64 i, bool *isnull)
{
	Datum		  value = column_get(column, i, isnull);
	MemoryContext old;

	if (*isnull || column->by_value)
		return value;
	old = MemoryContextSwitchTo(memory);
	value = datumCopy(value, false, column->length);
	MemoryContextSwitchTo(old);
	return value;
}

/* Marks the rows of a column without NULLs whose bits differ from those of the row before. */
#define MARK_BITS(TYPE)                                 \
	for (int64 i = state->at + 1; i < state->stop; i++) \
		state->head[i - state->at] |= ((const TYPE *) column->value)[i] != ((const TYPE *) column->value)[i - 1];

/* Marks changes by a loop that is compiled for the column's format; the first row is left.  False: there is no such
 * loop. */
static bool
mark_bits(ReduceState *state, const ReduceKey *key)
{
	const Column *column = &state->rows->column[key->column].data;

	if (!key->by_datum || column->has_nulls || state->conditions.keep != NULL ||
		!column_is_dense(column, column->format))
		return false;
	if (column->format == COLUMN_INT32)
		MARK_BITS(int32)
	else if (column->format == COLUMN_INT64)
		MARK_BITS(int64)
	else
		return false;
	return true;
}

/*
 * Marks the rows whose value differs from that of the row before, among the rows that are kept.  Only these are in the
 * order of the groups: a condition may have made all values equal, and then no order is needed.
 */
static void
mark_values(ReduceState *state, const ReduceKey *key)
{
	const Column *column = &state->rows->column[key->column].data;
	const bool	 *keep = state->conditions.keep;
	bool		  has_before = state->open, before_isnull = key->isnull;
	Datum		  before = key->value;
	int64		  end = mark_bits(state, key) ? state->at + 1 : state->stop;

	for (int64 i = state->at; i < end; i++)
	{
		bool  isnull;
		Datum value;

		if (keep != NULL && !keep[i])
			continue;
		value = column_get(column, i, &isnull);
		if (!has_before || !values_are_equal(key, before, before_isnull, value, isnull))
			state->head[i - state->at] = true;
		has_before = true;
		before = value;
		before_isnull = isnull;
	}
}

/* Finds the rows that begin a group. */
static void
mark_heads(ReduceState *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->comparisons);

	state->first = state->at;
	memset(state->head, false, state->stop - state->at);
	for (int k = 0; k < state->keys; k++)
		mark_values(state, &state->key[k]);
	MemoryContextSwitchTo(old);
	MemoryContextReset(state->comparisons);
}

/* Takes the child's next rows.  Returns false if there are none. */
static bool
next_chunk(ReduceState *state)
{
	CHECK_FOR_INTERRUPTS();
	if (!(state->blocks != NULL ? take_block_rows(state) : take_one_row(state)))
		return false;
	state->late.row = -1;
	reserve_keeps(state);
	for (int i = 0; i < state->aggregates; i++)
		point_filter(state, &state->aggregate[i]);
	return true;
}

/* Has at least one more row whose conditions are known.  Returns false if there is no more row. */
static bool
next_rows(ReduceState *state)
{
	if (state->at >= state->end && !next_chunk(state))
		return false;
	state->stop = state->by_row ? state->at + 1 : state->end;
	apply_conditions(state, &state->conditions, NULL);
	for (int i = 0; i < state->aggregates; i++)
		apply_conditions(state, &state->aggregate[i].filter, state->conditions.keep);
	if (state->css.ss.ps.instrument && state->conditions.n > 0)
		for (int64 i = state->at; i < state->stop; i++)
			if (!state->conditions.keep[i])
				InstrCountFiltered2(&state->css, 1);
	if (state->keys > 0)
		mark_heads(state);
	return true;
}

/* ---- groups ---- */

/* Begins a group: its first row that is kept is row i; a group without GROUP BY has no such row yet (-1). */
static void
open_group(ReduceState *state, int64 i)
{
	state->open = true;
	for (int a = 0; a < state->aggregates; a++)
		state->aggregate[a].aggregate.op->empty(&state->aggregate[a].aggregate);
	MemoryContextReset(state->group_values);
	for (int k = 0; i >= 0 && k < state->keys; k++)
		state->key[k].value = copy_value(state->group_values, &state->rows->column[state->key[k].column].data, i,
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

		if (state->at >= state->stop && !next_rows(state))
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
		Aggregate *aggregate = &state->aggregate[a].aggregate;
		Datum	   value = 0;
		ScanStatus status = aggregate->op->final(aggregate, &value);

		if (status != SCAN_NULL)
			scan_check(status);
		slot->tts_values[state->child_columns + a] = value;
		slot->tts_isnull[state->child_columns + a] = status == SCAN_NULL;
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

		if (state->at >= state->stop && !next_rows(state))
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
	for (int c = 0; c < state->rows->columns; c++)
		if (state->from[c].attno > 0)
			slot->tts_values[state->from[c].attno - 1] = column_get(&state->rows->column[c].data, i,
																	&slot->tts_isnull[state->from[c].attno - 1]);
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
			condition_forget(&conditions->condition[c]);
	}
	state->at = state->stop = state->end = 0;
	state->open = state->at_end = false;
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
	ReduceState *state = (ReduceState *) newNode(sizeof(ReduceState), T_CustomScanState);

	library_check_plan(scan);
	state->css.methods = &exec_methods;
	return (Node *) state;
}
