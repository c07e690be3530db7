/*
 * state.c: the states of the aggregates of a kept scan: of rows of the table, of deltas, and of nodes.
 *
 * A state is that of rows that came in less that of rows that went out, so the state of a delta may have negative
 * counts.  States of parts are added, and the sum is the state of the rows that there are, to the bit.
 *
 * A state is stale if it does not tell what an aggregate without an inverse is, because a value left that may have been
 * its result.  Whatever a stale state is added to is stale, too.  The rows of its interval have to be read instead.
 *
 * What is done with the state of one aggregate is a table (KeptOperation): number.c has sums, averages and bits,
 * variance.c variances, value.c counts and transition values, extreme.c what has no inverse.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "compat.h"
#include "kept/store.h"
#include "number/exact_state.h"

KeptState *
kept_state_alloc(MemoryContext memory, const Kept *kept)
{
	KeptState *state = (KeptState *) MemoryContextAllocZero(memory,
															sizeof(KeptState) + kept->aggregates * sizeof(KeptPartial));

	state->partial = (KeptPartial *) (state + 1);
	return state;
}

void
kept_state_clear(const Kept *kept, KeptState *state)
{
	state->rows = 0;
	state->stale = false;
	for (int a = 0; a < kept->aggregates; a++)
		kept->aggregate[a].operation->clear(&state->partial[a], &kept->aggregate[a]);
}

/*
 * Takes a value of an aggregate without an inverse.  One that leaves makes the state stale, unless the value of
 * `other`, the row that takes the place of this one, absorbs it.  A value that takes its own place changes nothing.
 */
static void
extreme_take(KeptState *state, const KeptRow *row, int a, Datum value, bool leaves, KeptRow *other)
{
	const KeptAggregate *aggregate = &row->kept->aggregate[a];
	NullableDatum		 beside = {.isnull = true};

	if (other != NULL && kept_row_passes(other, a))
		(void) kept_row_arguments(other, a, &beside);
	if (!beside.isnull && kept_same_image(aggregate, value, beside.value))
		return;
	if (!leaves)
		aggregate->operation->add(&state->partial[a], GetMemoryChunkContext(state), aggregate, value);
	else if (beside.isnull || !kept_extreme_absorbs(aggregate, beside.value, value))
		state->stale = true;
}

void
kept_state_take(KeptState *state, KeptRow *row, bool leaves, KeptRow *other)
{
	const Kept	 *kept = row->kept;
	MemoryContext memory = GetMemoryChunkContext(state);
	MemoryContext old = MemoryContextSwitchTo(row->econtext->ecxt_per_tuple_memory);

	state->rows += leaves ? -1 : 1;
	for (int a = 0; a < kept->aggregates; a++)
	{
		const KeptAggregate *aggregate = &kept->aggregate[a];
		NullableDatum		 argument[FUNC_MAX_ARGS];
		int					 n;

		if (!kept_row_passes(row, a))
			continue;
		n = kept_row_arguments(row, a, argument);
		if (n > 0 && argument[0].isnull && aggregate->operation != &kept_transition)
			continue;
		if (aggregate->operation->take == NULL)
			extreme_take(state, row, a, argument[0].value, leaves, other);
		else
			aggregate->operation->take(&state->partial[a], memory, aggregate, n, argument, leaves);
	}
	MemoryContextSwitchTo(old);
}

void
kept_state_add(const Kept *kept, KeptState *state, const KeptNode *node)
{
	MemoryContext memory = GetMemoryChunkContext(state);

	state->rows += node->rows;
	state->stale |= node->stale;
	for (int a = 0; a < kept->aggregates; a++)
		if (!node->isnull[a])
			kept->aggregate[a].operation->add(&state->partial[a], memory, &kept->aggregate[a], node->value[a]);
}

/* Returns a state as it would be stored, in the current context. */
static KeptNode
node_of_state(const Kept *kept, const KeptState *state)
{
	Datum *value = (Datum *) palloc(kept->aggregates * sizeof(Datum));
	bool  *isnull = (bool *) palloc(kept->aggregates * sizeof(bool));

	kept_state_save(kept, state, value, isnull);
	return (KeptNode){.rows = state->rows, .stale = kept_state_is_stale(kept, state), .value = value, .isnull = isnull};
}

void
kept_state_add_state(const Kept *kept, KeptState *state, const KeptState *other)
{
	const KeptNode node = node_of_state(kept, other);

	kept_state_add(kept, state, &node);
}

bool
kept_state_is_tied(const Kept *kept, const KeptState *state)
{
	for (int a = 0; kept->extremes && a < kept->aggregates; a++)
		if (kept->aggregate[a].operation == &kept_extreme && state->partial[a].value.tied)
			return true;
	return false;
}

bool
kept_state_is_stale(const Kept *kept, const KeptState *state)
{
	return state->stale || kept_state_is_tied(kept, state);
}

bool
kept_state_is_empty(const Kept *kept, const KeptState *state)
{
	if (state->rows != 0 || state->stale)
		return false;
	for (int a = 0; a < kept->aggregates; a++)
		if (!kept->aggregate[a].operation->is_empty(&state->partial[a]))
			return false;
	return true;
}

void
kept_state_save(const Kept *kept, const KeptState *state, Datum *value, bool *isnull)
{
	for (int a = 0; a < kept->aggregates; a++)
	{
		isnull[a] = false;
		value[a] = kept->aggregate[a].operation->save(&state->partial[a], &isnull[a]);
	}
}

/* True if two stored states of an aggregate are equal. */
static bool
same_state(const KeptAggregate *aggregate, Datum a, bool a_isnull, Datum b, bool b_isnull)
{
	/* a state to which values came and from which they went has other bytes than one that they never came to */
	if (aggregate->operation == &kept_transition)
		return a_isnull	  ? b_isnull || exact_state_is_empty(b)
			   : b_isnull ? exact_state_is_empty(a)
						  : exact_state_equal(a, b);
	return a_isnull == b_isnull && (a_isnull || kept_same_image(aggregate, a, b));
}

bool
kept_state_same(const Kept *kept, const KeptState *state, const KeptNode *node)
{
	const KeptNode own = node_of_state(kept, state);
	bool		   same = node->rows == own.rows;

	for (int a = 0; a < kept->aggregates; a++)
		if (!((own.stale || node->stale) && kept->aggregate[a].operation == &kept_extreme))
			same = same &&
				   same_state(&kept->aggregate[a], own.value[a], own.isnull[a], node->value[a], node->isnull[a]);
	return same;
}

bool
kept_states_agree(const Kept *kept, const KeptState *a, const KeptState *b)
{
	const KeptNode node = node_of_state(kept, b);

	return kept_state_same(kept, a, &node);
}

Datum
kept_state_result(const Kept *kept, KeptState *state, int a, bool *isnull)
{
	const KeptAggregate *aggregate = &kept->aggregate[a];
	const KeptOperation *operation = aggregate->operation;

	Assert(!state->stale || operation != &kept_extreme);
	*isnull = false;
	return operation->result == NULL
			   ? operation->save(&state->partial[a], isnull)
			   : operation->result(&state->partial[a], GetMemoryChunkContext(state), aggregate, isnull);
}

void
kept_state_results(const Kept *kept, KeptState *state, Datum *result, bool *isnull)
{
	for (int a = 0; a < kept->aggregates; a++)
		result[a] = kept_state_result(kept, state, a, &isnull[a]);
}
