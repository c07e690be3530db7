/*
 * state.c: see state.h.
 *
 * A count is an int64.  Sums and averages of integers and numerics have a KeptNumber (number.h).  bit_xor, bool_and and
 * bool_or have two integers: how many values there are, and their bits or the number of those that are true.  The exact
 * aggregates of scan have their own transition value, which their inverse transition function and their combine
 * function work on.
 *
 * min, max, bit_and and bit_or have no inverse (extreme.h).  Rejected for bool_and and bool_or, whose counts have one.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "nodes/execnodes.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "compat.h"
#include "kept/extreme.h"
#include "kept/number.h"
#include "kept/state.h"
#include "number/exact_state.h"
#include "number/total.h"

typedef struct KeptPartial
{
	int64			count;
	uint64			word;	/* of KEPT_XOR: the bits; of KEPT_ALL and KEPT_ANY: how many values are true */
	KeptNumber		number; /* of KEPT_SUM and KEPT_AVERAGE */
	KeptExtreme		extreme;
	KeptExtreme		left;  /* what left */
	Datum			value; /* of KEPT_STATE */
	bool			isnull;
	MemoryContext	memory;
	WindowAggState *context; /* of the state; AggCheckCallContext() reads its curaggcontext */
} KeptPartial;

/* ---- transition values of aggregates with an inverse ---- */

/* Calls a function of an aggregate whose first argument is the transition value. */
static Datum
partial_call(KeptPartial *partial, FmgrInfo *function, Oid collation, int n, const NullableDatum *argument)
{
	LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);

	InitFunctionCallInfoData(*fcinfo, function, n + 1, collation, (Node *) partial->context, NULL);
	fcinfo->args[0].value = partial->value;
	fcinfo->args[0].isnull = partial->isnull;
	for (int i = 0; i < n; i++)
		fcinfo->args[i + 1] = argument[i];
	return FunctionCallInvoke(fcinfo);
}

static void
partial_take_transition(KeptPartial *partial, const KeptAggregate *aggregate, int n, const NullableDatum *argument,
						bool leaves)
{
	MemoryContext old = MemoryContextSwitchTo(partial->memory);

	partial->value = partial_call(partial, leaves ? aggregate->remove : aggregate->add, aggregate->collation, n,
								  argument);
	partial->isnull = false;
	MemoryContextSwitchTo(old);
}

static void
partial_add_transition(KeptPartial *partial, const KeptAggregate *aggregate, Datum stored)
{
	MemoryContext old = MemoryContextSwitchTo(partial->memory);
	NullableDatum other = {.value = PointerGetDatum(PG_DETOAST_DATUM(stored))};

	partial->value = partial_call(partial, aggregate->combine, aggregate->collation, 1, &other);
	partial->isnull = false;
	MemoryContextSwitchTo(old);
}

/* ---- two integers ---- */

static void
word_take(KeptPartial *partial, const KeptAggregate *aggregate, Datum value, bool leaves)
{
	int64 one = leaves ? -1 : 1;

	partial->count += one;
	if (aggregate->kind == KEPT_XOR)
		partial->word ^= aggregate->argument_type == INT2OID   ? (uint64) DatumGetInt16(value)
						 : aggregate->argument_type == INT4OID ? (uint64) DatumGetInt32(value)
															   : (uint64) DatumGetInt64(value);
	else if (DatumGetBool(value))
		partial->word += (uint64) one;
}

/* Returns both as a message in network byte order. */
static Datum
word_save(const KeptPartial *partial)
{
	StringInfoData message;

	pq_begintypsend(&message);
	pq_sendbyte(&message, KEPT_FORMAT);
	pq_sendint64(&message, partial->count);
	pq_sendint64(&message, (int64) partial->word);
	return PointerGetDatum(pq_endtypsend(&message));
}

static void
word_add(KeptPartial *partial, KeptKind kind, Datum stored)
{
	StringInfoData message = kept_message(stored);
	uint64		   word;

	partial->count += pq_getmsgint64(&message);
	word = (uint64) pq_getmsgint64(&message);
	partial->word = kind == KEPT_XOR ? partial->word ^ word : partial->word + word;
}

static Datum
word_result(const KeptPartial *partial, const KeptAggregate *aggregate)
{
	switch (aggregate->kind)
	{
		case KEPT_ALL:
			return BoolGetDatum(partial->word == (uint64) partial->count);
		case KEPT_ANY:
			return BoolGetDatum(partial->word != 0);
		default:
			return aggregate->result_type == INT2OID   ? Int16GetDatum((int16) partial->word)
				   : aggregate->result_type == INT4OID ? Int32GetDatum((int32) partial->word)
													   : Int64GetDatum((int64) partial->word);
	}
}

/* ---- states ---- */

KeptState *
kept_state_create(const Kept *kept)
{
	KeptState	   *state = (KeptState *) palloc(sizeof(KeptState));
	WindowAggState *context = (WindowAggState *) palloc0(sizeof(WindowAggState));

	context->ss.ps.type = T_WindowAggState;
	context->curaggcontext = CurrentMemoryContext;
	state->partial = (KeptPartial *) palloc0(kept->aggregates * sizeof(KeptPartial));
	for (int a = 0; a < kept->aggregates; a++)
	{
		KeptPartial *partial = &state->partial[a];

		partial->memory = CurrentMemoryContext;
		partial->number.total.memory = CurrentMemoryContext;
		partial->context = context;
		partial->isnull = partial->extreme.isnull = partial->left.isnull = true;
	}
	kept_state_clear(kept, state);
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

		partial->count = 0;
		partial->word = 0;
		kept_number_clear(&partial->number);
		kept_extreme_clear(&partial->extreme, &kept->aggregate[a]);
		kept_extreme_clear(&partial->left, &kept->aggregate[a]);
		if (!partial->isnull && DatumGetPointer(partial->value) != NULL)
			pfree(DatumGetPointer(partial->value));
		partial->value = (Datum) 0;
		partial->isnull = true;
	}
}

/* Takes the value of an aggregate that has one argument or, to count rows, none. */
static void
take_value(KeptPartial *partial, const KeptAggregate *aggregate, Datum value, bool leaves)
{
	switch (aggregate->kind)
	{
		case KEPT_COUNT:
			partial->count += leaves ? -1 : 1;
			break;
		case KEPT_SUM:
		case KEPT_AVERAGE:
			kept_number_take(&partial->number, partial->memory, aggregate->argument_type, value, leaves);
			break;
		case KEPT_XOR:
		case KEPT_ALL:
		case KEPT_ANY:
			word_take(partial, aggregate, value, leaves);
			break;
		case KEPT_EXTREME:
			kept_extreme_take(leaves ? &partial->left : &partial->extreme, aggregate, partial->memory, value);
			break;
		case KEPT_STATE:
			Assert(false);
	}
}

void
kept_state_take(KeptState *state, KeptRow *row, bool leaves)
{
	const Kept *kept = row->kept;

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
			partial_take_transition(partial, aggregate, n, argument, leaves);
		else if (n == 0 || !argument[0].isnull)
		{
			MemoryContext old = MemoryContextSwitchTo(row->econtext->ecxt_per_tuple_memory);

			take_value(partial, aggregate, n == 0 ? (Datum) 0 : argument[0].value, leaves);
			MemoryContextSwitchTo(old);
		}
	}
}

void
kept_state_add(const Kept *kept, KeptState *state, int64 rows, bool stale, const Datum *value, const bool *isnull)
{
	state->rows += rows;
	state->stale |= stale;
	for (int a = 0; a < kept->aggregates; a++)
	{
		const KeptAggregate *aggregate = &kept->aggregate[a];
		KeptPartial			*partial = &state->partial[a];

		if (isnull[a])
			continue;
		switch (aggregate->kind)
		{
			case KEPT_COUNT:
				partial->count += DatumGetInt64(value[a]);
				break;
			case KEPT_SUM:
			case KEPT_AVERAGE:
				kept_number_add(&partial->number, partial->memory, value[a]);
				break;
			case KEPT_XOR:
			case KEPT_ALL:
			case KEPT_ANY:
				word_add(partial, aggregate->kind, value[a]);
				break;
			case KEPT_EXTREME:
				kept_extreme_take(&partial->extreme, aggregate, partial->memory, value[a]);
				break;
			case KEPT_STATE:
				partial_add_transition(partial, aggregate, value[a]);
		}
	}
}

/* Adds what an aggregate of another state has.  Nothing is formed that would be stored. */
static void
partial_add(KeptPartial *partial, const KeptAggregate *aggregate, KeptPartial *other)
{
	partial->count += other->count;
	switch (aggregate->kind)
	{
		case KEPT_COUNT:
			break;
		case KEPT_SUM:
		case KEPT_AVERAGE:
			kept_number_add_number(&partial->number, partial->memory, &other->number);
			break;
		case KEPT_XOR:
			partial->word ^= other->word;
			break;
		case KEPT_ALL:
		case KEPT_ANY:
			partial->word += other->word;
			break;
		case KEPT_EXTREME:
			if (!other->extreme.isnull)
				kept_extreme_take(&partial->extreme, aggregate, partial->memory, other->extreme.value);
			break;
		case KEPT_STATE:
			if (!other->isnull)
				partial_add_transition(partial, aggregate, other->value);
	}
}

void
kept_state_add_state(const Kept *kept, KeptState *state, KeptState *other)
{
	state->rows += other->rows;
	state->stale |= kept_state_is_stale(kept, other);
	for (int a = 0; a < kept->aggregates; a++)
		partial_add(&state->partial[a], &kept->aggregate[a], &other->partial[a]);
}

bool
kept_state_is_tied(const Kept *kept, const KeptState *state)
{
	for (int a = 0; a < kept->aggregates; a++)
		if (state->partial[a].extreme.tied)
			return true;
	return false;
}

bool
kept_state_is_stale(const Kept *kept, const KeptState *state)
{
	if (state->stale || kept_state_is_tied(kept, state))
		return true;
	for (int a = 0; a < kept->aggregates; a++)
		if (!kept_extreme_absorbs(&state->partial[a].extreme, &kept->aggregate[a], &state->partial[a].left))
			return true;
	return false;
}

bool
kept_state_is_empty(const Kept *kept, const KeptState *state)
{
	if (state->rows != 0 || state->stale)
		return false;
	for (int a = 0; a < kept->aggregates; a++)
	{
		const KeptPartial *partial = &state->partial[a];

		if (partial->count != 0 || partial->word != 0 || !kept_number_is_empty(&partial->number) ||
			!kept_extreme_is_empty(&partial->extreme, &kept->aggregate[a], &partial->left) ||
			!(partial->isnull || exact_state_is_empty(partial->value)))
			return false;
	}
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
			case KEPT_SUM:
			case KEPT_AVERAGE:
				value[a] = kept_number_save(&partial->number);
				break;
			case KEPT_XOR:
			case KEPT_ALL:
			case KEPT_ANY:
				value[a] = word_save(partial);
				break;
			case KEPT_EXTREME:
				value[a] = partial->extreme.value;
				isnull[a] = partial->extreme.isnull;
				break;
			case KEPT_STATE:
				value[a] = partial->value;
				isnull[a] = partial->isnull;
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

/* Returns the result of an aggregate that has a transition value. */
static Datum
transition_result(const KeptAggregate *aggregate, KeptPartial *partial, bool *isnull)
{
	LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);
	Datum result;

	if (aggregate->is_total)
	{
		*isnull = partial->isnull || exact_state_is_empty(partial->value);
		return *isnull ? (Datum) 0 : exact_state_total(partial->value);
	}
	*isnull = partial->isnull && aggregate->final->fn_strict;
	if (*isnull)
		return (Datum) 0;
	InitFunctionCallInfoData(*fcinfo, aggregate->final, 1, aggregate->collation, (Node *) partial->context, NULL);
	fcinfo->args[0].value = partial->value;
	fcinfo->args[0].isnull = partial->isnull;
	result = FunctionCallInvoke(fcinfo);
	*isnull = fcinfo->isnull;
	return result;
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
		case KEPT_SUM:
		case KEPT_AVERAGE:
			return number_result(aggregate, &partial->number, isnull);
		case KEPT_XOR:
		case KEPT_ALL:
		case KEPT_ANY:
			*isnull = partial->count == 0;
			return word_result(partial, aggregate);
		case KEPT_EXTREME:
			Assert(!state->stale);
			*isnull = partial->extreme.isnull;
			return partial->extreme.value;
		case KEPT_STATE:
			break;
	}
	return transition_result(aggregate, partial, isnull);
}

void
kept_state_results(const Kept *kept, KeptState *state, Datum *result, bool *isnull)
{
	for (int a = 0; a < kept->aggregates; a++)
		result[a] = kept_state_result(kept, state, a, &isnull[a]);
}
