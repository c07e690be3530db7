/*
 * value.c: how counts are kept, and aggregates by their transition value.
 *
 * The exact aggregates of scan have a transition value that their inverse transition function and their combine
 * function work on, and that can be stored as it is.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/execnodes.h"

#include "compat.h"
#include "kept/store.h"
#include "number/exact_state.h"

/* ---- counts ---- */

static void
count_take(KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, int n,
		   const NullableDatum *argument, bool leaves)
{
	partial->count += leaves ? -1 : 1;
}

static void
count_add(KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, Datum stored)
{
	partial->count += DatumGetInt64(stored);
}

static Datum
count_save(const KeptPartial *partial, bool *isnull)
{
	return Int64GetDatum(partial->count);
}

static void
count_clear(KeptPartial *partial, const KeptAggregate *aggregate)
{
	partial->count = 0;
}

static bool
count_is_empty(const KeptPartial *partial)
{
	return partial->count == 0;
}

const KeptOperation kept_count = {.state_type = INT8OID,
								  .take = count_take,
								  .add = count_add,
								  .save = count_save,
								  .clear = count_clear,
								  .is_empty = count_is_empty};

/* ---- values ---- */

Datum
kept_value_save(const KeptPartial *partial, bool *isnull)
{
	*isnull = !partial->value.there;
	return partial->value.value;
}

void
kept_value_clear(KeptPartial *partial, const KeptAggregate *aggregate)
{
	if (!aggregate->state_by_value && DatumGetPointer(partial->value.value) != NULL)
		pfree(DatumGetPointer(partial->value.value));
	partial->value = (KeptValue){0};
}

/* ---- transition values ---- */

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
	fcinfo->args[0].value = partial->value.value;
	fcinfo->args[0].isnull = !partial->value.there;
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

	partial->value.value = transition_call(partial, memory, aggregate, function, n, argument, &isnull);
	partial->value.there = true;
	MemoryContextSwitchTo(old);
}

static void
transition_take(KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, int n,
				const NullableDatum *argument, bool leaves)
{
	transition_advance(partial, memory, aggregate, leaves ? aggregate->remove : aggregate->add, n, argument);
}

static void
transition_add(KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, Datum stored)
{
	NullableDatum argument = {.value = PointerGetDatum(PG_DETOAST_DATUM(stored))};

	transition_advance(partial, memory, aggregate, aggregate->combine, 1, &argument);
}

static bool
transition_is_empty(const KeptPartial *partial)
{
	return !partial->value.there || exact_state_is_empty(partial->value.value);
}

static Datum
transition_result(const KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, bool *isnull)
{
	*isnull = aggregate->is_total ? transition_is_empty(partial) : !partial->value.there && aggregate->final->fn_strict;
	if (*isnull)
		return (Datum) 0;
	return aggregate->is_total ? exact_state_total(partial->value.value)
							   : transition_call(partial, memory, aggregate, aggregate->final, 0, NULL, isnull);
}

const KeptOperation kept_transition = {.take = transition_take,
									   .add = transition_add,
									   .save = kept_value_save,
									   .clear = kept_value_clear,
									   .is_empty = transition_is_empty,
									   .result = transition_result};
