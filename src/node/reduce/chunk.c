/*
 * chunk.c: gets the rows of a WindowReduce: takes the columns of the child's rows, evaluates conditions, and finds
 * where groups begin.
 *
 * exec.c asks for rows.  They come in chunks of at most REDUCE_ROWS, which are a part of the child's block and all have
 * their results.  Whatever a chunk's rows may raise below has been raised, and nothing that is evaluated here before a
 * group is returned can raise an error, but for transitions.  So a chunk can be treated column by column.  Where
 * computed columns, conditions or arguments may raise errors, or have side effects, rows are looked at one by one
 * (rows_apart), up to the first one of which a user may see something.  Conditions are tried for the whole chunk first
 * (expression_rows.c), and only where core might raise an error, row by row again.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "column/memory.h"
#include "column/stretch.h"
#include "node/reduce/internal.h"

/* Gives the rows the columns of the child's block, and moves the child on.  Returns false if there are no more rows. */
static bool
take_block_rows(ReduceState *state)
{
	PlanState *node = state->pull.child;
	int64	   n, first = 0;

	if (node->chgParam != NULL)
		ExecReScan(node);
	if (node->instrument)
		InstrStartNode(node->instrument);
	n = Min(state->blocks->ready(node), REDUCE_ROWS);
	for (int c = 0; n > 0 && c < state->rows->columns; c++)
		if (state->pulled.from[c].attno > 0)
			state->rows->column[c].data = *state->blocks->column(node, state->pulled.from[c].attno, &first);
	/* no column is read: the position is the same for all columns */
	if (n > 0 && first == 0)
		state->blocks->column(node, 1, &first);
	if (n > 0 && state->by_partition)
		state->partition = state->blocks->heads(node);
	state->blocks->take(node, n);
	if (node->instrument)
		InstrStopNode(node->instrument, n);
	state->at = first;
	state->end = first + n;
	return n > 0;
}

/*
 * The same for a child that gives no blocks.  The planner offers the node over a PrefixScan only, but another extension
 * may have put a node in between.  Rows are taken one by one, since any row may raise an error.
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
		filter->keep = (bool *) memory_renew(state->css.ss.ps.state->es_query_cxt, filter->keep, state->capacity);
	}
}

/*
 * Evaluates conditions for the rows `at` to `end` - 1 that `before` keeps (NULL: for all of them), one after the other.
 * `tries`: returns false if core might raise an error.
 */
static bool
apply_conditions(ReduceState *state, Conditions *conditions, const bool *before, int64 at, int64 end, bool tries)
{
	int64 n = end - at;

	if (conditions->n == 0)
		return true;
	if (before != NULL)
		memcpy(conditions->keep + at, before + at, n);
	else
		memset(conditions->keep + at, true, n);
	for (int i = 0; i < conditions->n; i++)
		if (!expression_filter(&conditions->condition[i], &state->late, state->rows, at, n, conditions->keep + at,
							   tries))
			return false;
	return true;
}

/* The same for those of WHERE, and then those of each FILTER. */
static bool
apply_all_conditions(ReduceState *state, int64 at, int64 end, bool tries)
{
	bool applied = apply_conditions(state, &state->conditions, NULL, at, end, tries);

	for (int i = 0; i < state->aggregates && applied; i++)
		applied = apply_conditions(state, &state->aggregate[i].filter, state->conditions.keep, at, end, tries);
	return applied;
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
	return key->by_datum ? a == b
						 : DatumGetBool(FunctionCall2Coll(unconstify(FmgrInfo *, &key->equal), key->collation, a, b));
}

/*
 * Marks changes by a loop that is compiled for the column's format, but for the first row, which has no row before it.
 * Returns false if there is no such loop.
 */
static bool
mark_bits(ReduceState *state, const ReduceKey *key, int64 from, int64 end)
{
	const Column *column = &state->rows->column[key->column].data;

	if (!key->by_datum || column->has_nulls || state->conditions.keep != NULL ||
		!column_is_dense(column, column->format))
		return false;
	column_mark_changes(column, from + 1, end, state->head + (from + 1 - state->first));
	return true;
}

/*
 * Marks the rows whose value differs from that of the row before, among the rows that are kept.  Only these are in the
 * order of the groups: a condition may have made all values equal, and then no order is needed.
 */
static void
mark_values(ReduceState *state, const ReduceKey *key, int64 from, int64 end)
{
	const Column *column = &state->rows->column[key->column].data;
	const bool	 *keep = state->conditions.keep;
	bool		  has_before = state->open, before_isnull = key->isnull;
	Datum		  before = key->value;
	int64		  stop = mark_bits(state, key, from, end) ? from + 1 : end;

	for (int64 i = from; i < stop; i++)
	{
		bool  isnull;
		Datum value;

		if (keep != NULL && !keep[i])
			continue;
		value = column_get(column, i, &isnull);
		if (!has_before || !values_are_equal(key, before, before_isnull, value, isnull))
			state->head[i - state->first] = true;
		has_before = true;
		before = value;
		before_isnull = isnull;
	}
}

/* Marks the first row of each partition that is kept. */
static void
mark_partitions(ReduceState *state, int64 from, int64 end)
{
	const bool *keep = state->conditions.keep;

	for (int64 i = from; i < end; i++)
	{
		if (state->partition[i])
			state->in_partition = false;
		if (keep != NULL && !keep[i])
			continue;
		state->head[i - state->first] = !state->in_partition;
		state->in_partition = true;
	}
}

/* Finds the rows that begin a group. */
static void
mark_heads(ReduceState *state, int64 from, int64 end)
{
	MemoryContext old;

	memset(state->head + (from - state->first), false, end - from);
	if (state->partition != NULL)
	{
		mark_partitions(state, from, end);
		return;
	}
	old = MemoryContextSwitchTo(state->comparisons);
	for (int k = 0; k < state->keys; k++)
		mark_values(state, &state->key[k], from, end);
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
	if (state->computed.n > 0)
		computed_begin_chunk(&state->computed, state->rows, state->at, state->end);
	reserve_keeps(state);
	state->is_kept = state->tries && computed_by_loops(&state->computed) &&
					 apply_all_conditions(state, state->at, state->end, true);
	for (int i = 0; i < state->aggregates; i++)
		point_filter(state, &state->aggregate[i]);
	return true;
}

/*
 * Computes columns, evaluates conditions and finds groups for the rows `from` to `end` - 1, or fewer if the columns
 * take much memory.  Returns where it stopped.
 */
static int64
evaluate_rows(ReduceState *state, int64 from, int64 end)
{
	if (state->computed.n > 0)
		end = computed_rows(&state->computed, state->rows, from, end, from == state->first);
	if (!state->is_kept)
		apply_all_conditions(state, from, end, false);
	if (state->css.ss.ps.instrument && state->conditions.n > 0)
		for (int64 i = from; i < end; i++)
			if (!state->conditions.keep[i])
				InstrCountFiltered2(&state->css, 1);
	if (state->keys > 0)
		mark_heads(state, from, end);
	return end;
}

/* True if something that a user can see comes of row i, or an error may, before the next row is looked at. */
static bool
is_seen(const ReduceState *state, int64 i)
{
	return (state->conditions.keep == NULL || state->conditions.keep[i]) &&
		   (state->sees_rows || (state->keys > 0 && state->head[i - state->first]));
}

bool
reduce_next_rows(ReduceState *state)
{
	if (state->at >= state->end && !next_chunk(state))
		return false;
	state->first = state->stop = state->at;
	if ((state->is_kept ? state->transitions_apart : state->rows_apart) || state->computed.by_executor)
		do
			state->stop = evaluate_rows(state, state->stop, state->stop + 1);
		while (state->stop < state->end && !is_seen(state, state->stop - 1) && !computed_is_full(&state->computed));
	else
		state->stop = evaluate_rows(state, state->at, state->end);
	return true;
}
