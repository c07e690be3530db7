/*
 * state.c: the states of the aggregates of a kept scan: of rows of the table, of deltas, and of nodes.
 *
 * A state is that of rows that came in less that of rows that went out, so the state of a delta may have negative
 * counts.  States of parts are added, and the sum is the state of the rows that there are, to the bit.
 *
 * A state is stale if it does not tell what an aggregate without an inverse is, because a value left that may have been
 * its result.  Whatever a stale state is added to is stale, too.  The rows of its interval have to be read instead.
 *
 * A count is an int64.  Sums and averages of integers and numerics have a KeptNumber (number.c).  So have bool_and and
 * bool_or, the sum of the values that are true, and bit_xor, in whose number the total is that of the bits.  The exact
 * aggregates of scan have their own transition value, which their inverse transition function and their combine
 * function work on.
 *
 * min, max, bit_and and bit_or have no inverse (extreme.c).  Rejected for bool_and and bool_or, whose counts have one.
 *
 * A value of a row and a stored state are made a partial state first, and then added as one.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/execnodes.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "compat.h"
#include "kept/store.h"
#include "number/exact_state.h"
#include "number/total.h"

/* The state of one aggregate, by its kind.  Zero bytes are that of no rows. */
typedef union KeptPartial
{
	int64		count;	 /* of KEPT_COUNT */
	KeptNumber	number;	 /* of all kinds that are not named here */
	KeptExtreme extreme; /* of KEPT_EXTREME */
	struct				 /* of KEPT_STATE */
	{
		Datum value;
		bool  there;
	} transition;
} KeptPartial;

/* ---- transition values of aggregates with an inverse ---- */

/* Calls a function of an aggregate whose first argument is the transition value, which lives in `memory`. */
static Datum
transition_call(const KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, FmgrInfo *function,
				int n, const NullableDatum *argument, bool *isnull)
{
	LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);
	WindowAggState caller; /* AggCheckCallContext() reads its type and its curaggcontext */
	Datum		   result;

	caller.ss.ps.type = T_WindowAggState;
	caller.curaggcontext = memory;
	InitFunctionCallInfoData(*fcinfo, function, n + 1, aggregate->collation, (Node *) &caller, NULL);
	fcinfo->args[0].value = partial->transition.value;
	fcinfo->args[0].isnull = !partial->transition.there;
	for (int i = 0; i < n; i++)
		fcinfo->args[i + 1] = argument[i];
	result = FunctionCallInvoke(fcinfo);
	*isnull = fcinfo->isnull;
	return result;
}

static void
transition_advance(KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, FmgrInfo *function,
				   int n, const NullableDatum *argument)
{
	MemoryContext old = MemoryContextSwitchTo(memory);
	bool		  isnull;

	partial->transition.value = transition_call(partial, memory, aggregate, function, n, argument, &isnull);
	partial->transition.there = true;
	MemoryContextSwitchTo(old);
}

/* ---- states ---- */

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
	{
		KeptPartial *partial = &state->partial[a];

		switch (kept->aggregate[a].kind)
		{
			case KEPT_COUNT:
				partial->count = 0;
				break;
			case KEPT_EXTREME:
				kept_extreme_clear(&partial->extreme, &kept->aggregate[a]);
				break;
			case KEPT_STATE:
				if (DatumGetPointer(partial->transition.value) != NULL)
					pfree(DatumGetPointer(partial->transition.value));
				partial->transition.value = (Datum) 0;
				partial->transition.there = false;
				break;
			default:
				kept_number_clear(&partial->number);
		}
	}
}

/* Adds what an aggregate of another state has.  `other` may be temporary. */
static void
partial_add(KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, KeptPartial *other)
{
	NullableDatum argument = {.isnull = false};

	switch (aggregate->kind)
	{
		case KEPT_COUNT:
			partial->count += other->count;
			break;
		case KEPT_XOR:
			partial->number.total.units ^= other->number.total.units;
			partial->number.first.values += other->number.first.values;
			break;
		case KEPT_EXTREME:
			if (other->extreme.there)
				kept_extreme_take(&partial->extreme, aggregate, memory, other->extreme.value);
			break;
		case KEPT_STATE:
			argument.value = other->transition.value;
			if (other->transition.there)
				transition_advance(partial, memory, aggregate, aggregate->combine, 1, &argument);
			break;
		default:
			kept_number_add(&partial->number, memory, &other->number);
	}
}

/* Takes the value of an aggregate that has one argument or, to count rows, none. */
static void
partial_take(KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, Datum value, bool leaves)
{
	KeptPartial other;

	switch (aggregate->kind)
	{
		case KEPT_COUNT:
			other.count = leaves ? -1 : 1;
			break;
		case KEPT_EXTREME:
			other.extreme = (KeptExtreme){.value = value, .there = true};
			break;
		default:
			/* bits that leave are those that came */
			kept_number_set(&other.number, aggregate->argument_type, value, leaves && aggregate->kind != KEPT_XOR);
			if (aggregate->kind == KEPT_XOR && leaves)
				other.number.first.values = -1;
	}
	partial_add(partial, memory, aggregate, &other);
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
		partial_take(&state->partial[a], GetMemoryChunkContext(state), aggregate, value, false);
	else if (beside.isnull || !kept_extreme_absorbs(aggregate, beside.value, value))
		state->stale = true;
}

void
kept_state_take(KeptState *state, KeptRow *row, bool leaves, KeptRow *other)
{
	const Kept	 *kept = row->kept;
	MemoryContext memory = GetMemoryChunkContext(state);

	state->rows += leaves ? -1 : 1;
	for (int a = 0; a < kept->aggregates; a++)
	{
		const KeptAggregate *aggregate = &kept->aggregate[a];
		KeptPartial			*partial = &state->partial[a];
		NullableDatum		 argument[FUNC_MAX_ARGS];
		int					 n;

		if (!kept_row_passes(row, a))
			continue;
		n = kept_row_arguments(row, a, argument);
		if (aggregate->kind == KEPT_STATE)
			transition_advance(partial, memory, aggregate, leaves ? aggregate->remove : aggregate->add, n, argument);
		else if (n == 0 || !argument[0].isnull)
		{
			MemoryContext old = MemoryContextSwitchTo(row->econtext->ecxt_per_tuple_memory);

			if (aggregate->kind == KEPT_EXTREME)
				extreme_take(state, row, a, argument[0].value, leaves, other);
			else
				partial_take(partial, memory, aggregate, n == 0 ? (Datum) 0 : argument[0].value, leaves);
			MemoryContextSwitchTo(old);
		}
	}
}

void
kept_state_add(const Kept *kept, KeptState *state, int64 rows, bool stale, const Datum *value, const bool *isnull)
{
	MemoryContext memory = GetMemoryChunkContext(state);

	state->rows += rows;
	state->stale |= stale;
	for (int a = 0; a < kept->aggregates; a++)
	{
		const KeptAggregate *aggregate = &kept->aggregate[a];
		KeptPartial			 other;

		if (isnull[a])
			continue;
		switch (aggregate->kind)
		{
			case KEPT_COUNT:
				other.count = DatumGetInt64(value[a]);
				break;
			case KEPT_EXTREME:
				other.extreme = (KeptExtreme){.value = value[a], .there = true};
				break;
			case KEPT_STATE:
				other.transition.value = PointerGetDatum(PG_DETOAST_DATUM(value[a]));
				other.transition.there = true;
				break;
			default:
				kept_number_read(&other.number, value[a]);
		}
		partial_add(&state->partial[a], memory, aggregate, &other);
	}
}

void
kept_state_add_state(const Kept *kept, KeptState *state, KeptState *other)
{
	MemoryContext memory = GetMemoryChunkContext(state);

	state->rows += other->rows;
	state->stale |= kept_state_is_stale(kept, other);
	for (int a = 0; a < kept->aggregates; a++)
		partial_add(&state->partial[a], memory, &kept->aggregate[a], &other->partial[a]);
}

bool
kept_state_is_tied(const Kept *kept, const KeptState *state)
{
	for (int a = 0; kept->extremes && a < kept->aggregates; a++)
		if (kept->aggregate[a].kind == KEPT_EXTREME && state->partial[a].extreme.tied)
			return true;
	return false;
}

bool
kept_state_is_stale(const Kept *kept, const KeptState *state)
{
	return state->stale || kept_state_is_tied(kept, state);
}

static bool
partial_is_empty(const KeptPartial *partial, const KeptAggregate *aggregate)
{
	switch (aggregate->kind)
	{
		case KEPT_COUNT:
			return partial->count == 0;
		case KEPT_EXTREME:
			return !partial->extreme.there;
		case KEPT_STATE:
			return !partial->transition.there || exact_state_is_empty(partial->transition.value);
		default:
			return kept_number_is_empty(&partial->number);
	}
}

bool
kept_state_is_empty(const Kept *kept, const KeptState *state)
{
	if (state->rows != 0 || state->stale)
		return false;
	for (int a = 0; a < kept->aggregates; a++)
		if (!partial_is_empty(&state->partial[a], &kept->aggregate[a]))
			return false;
	return true;
}

void
kept_state_save(const Kept *kept, KeptState *state, Datum *value, bool *isnull)
{
	for (int a = 0; a < kept->aggregates; a++)
	{
		KeptPartial *partial = &state->partial[a];

		isnull[a] = false;
		switch (kept->aggregate[a].kind)
		{
			case KEPT_COUNT:
				value[a] = Int64GetDatum(partial->count);
				break;
			case KEPT_EXTREME:
				value[a] = partial->extreme.value;
				isnull[a] = !partial->extreme.there;
				break;
			case KEPT_STATE:
				value[a] = partial->transition.value;
				isnull[a] = !partial->transition.there;
				break;
			default:
				value[a] = kept_number_save(&partial->number);
		}
	}
}

/* True if two stored states of an aggregate are equal. */
static bool
same_state(const KeptAggregate *aggregate, Datum a, bool a_isnull, Datum b, bool b_isnull)
{
	/* a state to which values came and from which they went has other bytes than one that they never came to */
	if (aggregate->kind == KEPT_STATE)
		return a_isnull	  ? b_isnull || exact_state_is_empty(b)
			   : b_isnull ? exact_state_is_empty(a)
						  : exact_state_equal(a, b);
	return a_isnull == b_isnull && (a_isnull || kept_same_image(aggregate, a, b));
}

bool
kept_state_same(const Kept *kept, KeptState *state, int64 rows, bool stale, const Datum *value, const bool *isnull)
{
	Datum *own = (Datum *) palloc(kept->aggregates * sizeof(Datum));
	bool  *own_isnull = (bool *) palloc(kept->aggregates * sizeof(bool));
	bool   same = rows == state->rows;

	stale |= kept_state_is_stale(kept, state);
	kept_state_save(kept, state, own, own_isnull);
	for (int a = 0; a < kept->aggregates; a++)
		if (!(stale && kept->aggregate[a].kind == KEPT_EXTREME))
			same = same && same_state(&kept->aggregate[a], own[a], own_isnull[a], value[a], isnull[a]);
	return same;
}

/* Returns the result of a sum or an average of numbers. */
static Datum
number_result(const KeptAggregate *aggregate, KeptNumber *number, bool *isnull)
{
	int64 values;
	Datum sum = kept_number_sum(number, &values);

	*isnull = values == 0;
	if (values == 0)
		return (Datum) 0;
	if (aggregate->kind == KEPT_AVERAGE)
		return DirectFunctionCall2(numeric_div, sum, NumericGetDatum(int64_to_numeric(values)));
	if (aggregate->is_total)
	{
		Oid input, parameter;

		getTypeInputInfo(aggregate->result_type, &input, &parameter);
		return OidInputFunctionCall(input, DatumGetCString(DirectFunctionCall1(numeric_out, sum)), parameter, -1);
	}
	return aggregate->result_type == INT8OID ? DirectFunctionCall1(numeric_int8, sum) : sum;
}

/* Returns the result of bit_xor, bool_and or bool_or. */
static Datum
bits_result(const KeptAggregate *aggregate, const KeptNumber *number, bool *isnull)
{
	int64 units = (int64) number->total.units;

	*isnull = number->first.values == 0;
	if (aggregate->kind != KEPT_XOR)
		return BoolGetDatum(aggregate->kind == KEPT_ALL ? units == number->first.values : units != 0);
	return aggregate->result_type == INT2OID   ? Int16GetDatum((int16) units)
		   : aggregate->result_type == INT4OID ? Int32GetDatum((int32) units)
											   : Int64GetDatum(units);
}

/* Returns the result of an aggregate that has a transition value. */
static Datum
transition_result(const KeptAggregate *aggregate, MemoryContext memory, const KeptPartial *partial, bool *isnull)
{
	bool none = !partial->transition.there;

	*isnull = aggregate->is_total ? none || exact_state_is_empty(partial->transition.value)
								  : none && aggregate->final->fn_strict;
	if (*isnull)
		return (Datum) 0;
	return aggregate->is_total ? exact_state_total(partial->transition.value)
							   : transition_call(partial, memory, aggregate, aggregate->final, 0, NULL, isnull);
}

Datum
kept_state_result(const Kept *kept, KeptState *state, int a, bool *isnull)
{
	const KeptAggregate *aggregate = &kept->aggregate[a];
	KeptPartial			*partial = &state->partial[a];

	*isnull = false;
	switch (aggregate->kind)
	{
		case KEPT_COUNT:
			return Int64GetDatum(partial->count);
		case KEPT_EXTREME:
			Assert(!state->stale);
			*isnull = !partial->extreme.there;
			return partial->extreme.value;
		case KEPT_STATE:
			return transition_result(aggregate, GetMemoryChunkContext(state), partial, isnull);
		case KEPT_XOR:
		case KEPT_ALL:
		case KEPT_ANY:
			return bits_result(aggregate, &partial->number, isnull);
		default:
			return number_result(aggregate, &partial->number, isnull);
	}
}

void
kept_state_results(const Kept *kept, KeptState *state, Datum *result, bool *isnull)
{
	for (int a = 0; a < kept->aggregates; a++)
		result[a] = kept_state_result(kept, state, a, &isnull[a]);
}
