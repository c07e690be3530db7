/*
 * call.c: any aggregate, through the function manager: the operation whose state is the aggregate's transition value.
 *
 * aggregate.c chooses this operation where there is no other one.  It does what WindowAgg does: it calls the transition
 * function for each row and the final function for each result.  So the bytes are core's, whatever the aggregate.  Over
 * sliding frames the inverse transition function takes out the rows that leave (add_remove.c).  If there is no such
 * function, or it gives up, all rows of the frame go in again.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "parser/parse_agg.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "aggregate/internal.h"
#include "column/memory.h"
#include "column/saved_state.h"
#include "library/library.h"

typedef struct CallState
{
	int16		   length; /* typlen of the transition value */
	bool		   by_value;
	Datum		   start;
	bool		   start_isnull;
	WindowAggState context; /* AggCheckCallContext reads its curaggcontext */

	Datum value; /* the transition value, in the partition's memory context */
	bool  isnull;
	int64 count; /* rows that have gone in, by a call or as the start value, and not been taken out */

	FunctionCallInfoBaseData *step;	  /* call of the transition function */
	FunctionCallInfoBaseData *back;	  /* call of the inverse transition function; NULL: there is none */
	FunctionCallInfoBaseData *finish; /* call of the final function; NULL: there is none */

	/* saving a transition value of type internal */
	FunctionCallInfoBaseData *serial; /* NULL: the transition value has another type, or is never saved */
	FunctionCallInfoBaseData *deserial, *combine;
} CallState;

static void
call_empty_state(Aggregate *aggregate, CallState *state)
{
	MemoryContextReset(aggregate->f.partition);
	state->count = 0;
	state->isnull = state->start_isnull;
	state->value = state->start_isnull || state->by_value
					   ? state->start
					   : datum_copy_to(aggregate->f.partition, state->start, false, state->length);
}

/*
 * Stores the value that a transition function has returned as the transition value, in the partition's memory context.
 * An expanded object that lives there already, such as a growing array, is not copied.
 */
static void
keep_value(Aggregate *aggregate, CallState *state, Datum value, bool isnull)
{
	int16 length = state->length;

	if (!state->by_value && DatumGetPointer(value) != DatumGetPointer(state->value))
	{
		if (!isnull && !(DatumIsReadWriteExpandedObject(value, false, length) &&
						 MemoryContextGetParent(DatumGetEOHP(value)->eoh_context) == aggregate->f.partition))
			value = datum_copy_to(aggregate->f.partition, value, false, length);
		if (DatumIsReadWriteExpandedObject(state->value, state->isnull, length))
			DeleteExpandedObject(state->value);
		else if (!state->isnull)
			pfree(DatumGetPointer(state->value));
	}
	state->value = value;
	state->isnull = isnull;
}

/* Fills the call with row i's arguments.  Returns false if the row does not go in. */
static bool
row_counts(Aggregate *aggregate, FunctionCallInfo call, const Block *block, int64 i)
{
	bool any_null = false;

	if (!row_filter(&aggregate->f, block, i))
		return false;
	for (int a = 0; a < aggregate->call.arguments; a++)
	{
		call->args[a + 1].value = row_argument(&aggregate->f, block, a, i, &call->args[a + 1].isnull);
		any_null |= call->args[a + 1].isnull;
	}
	return !(call->flinfo->fn_strict && any_null);
}

/* Calls a function of the aggregate's with one more argument; those that no caller fills in are NULL. */
static Datum
call_component(const Aggregate *aggregate, CallState *state, FunctionCallInfo call, int argument, NullableDatum value)
{
	call->args[argument] = value;
	call->isnull = false;
	state->context.curaggcontext = aggregate->f.partition;
	return FunctionCallInvoke(call);
}

/* Calls a transition function, or the inverse one, on the transition value. */
static Datum
call_transition(Aggregate *aggregate, CallState *state, FunctionCallInfo call)
{
	MemoryContext old = MemoryContextSwitchTo(aggregate->f.scratch);
	Datum		  value = call_component(aggregate, state, call, 0, (NullableDatum){state->value, state->isnull});

	MemoryContextSwitchTo(old);
	return value;
}

static void
call_transition_at_row(Aggregate *aggregate, CallState *state, const Block *block, int64 i)
{
	FunctionCallInfo step = state->step;
	Datum			 value;

	if (!row_counts(aggregate, step, block, i))
		return;
	if (step->flinfo->fn_strict && state->isnull)
	{
		if (state->count > 0)
			return;
		/* a strict function without a start value begins with the first value */
		state->value = datum_copy_to(aggregate->f.partition, step->args[1].value, state->by_value, state->length);
		state->isnull = false;
		state->count = 1;
		return;
	}
	value = call_transition(aggregate, state, step);
	if (state->back != NULL && step->isnull)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("moving-aggregate transition function must not return null")));
	state->count++;
	keep_value(aggregate, state, value, step->isnull);
	MemoryContextReset(aggregate->f.scratch);
}

/*
 * Takes a row out.  Returns false if the inverse transition function cannot do it.  When the only row leaves, the state
 * begins anew without a call.
 */
static bool
remove_row(Aggregate *aggregate, CallState *state, const Block *block, int64 i)
{
	Datum value;

	if (!row_counts(aggregate, state->back, block, i))
		return true;
	if (state->isnull)
		elog(ERROR, "aggregate transition value is NULL before inverse transition");
	if (state->count == 1)
	{
		call_empty_state(aggregate, state);
		return true;
	}
	value = call_transition(aggregate, state, state->back);
	if (state->back->isnull)
		return false;
	state->count--;
	keep_value(aggregate, state, value, false);
	MemoryContextReset(aggregate->f.scratch);
	return true;
}

static ScanStatus
call_final(Aggregate *aggregate, Datum *value)
{
	CallState		*state = (CallState *) aggregate->f.state;
	FunctionCallInfo finish = state->finish;
	bool			 isnull = state->isnull;

	*value = state->value;
	if (finish != NULL)
	{
		isnull = finish->flinfo->fn_strict && (state->isnull || finish->nargs > 1);
		if (!isnull)
		{
			NullableDatum given = {MakeExpandedObjectReadOnly(state->value, state->isnull, state->length),
								   state->isnull};

			*value = call_component(aggregate, state, finish, 0, given);
			isnull = finish->isnull;
		}
	}
	return isnull ? SCAN_NULL : SCAN_OK;
}

/* ---- some rows ---- */

static void
call_empty(Aggregate *aggregate)
{
	call_empty_state(aggregate, (CallState *) aggregate->f.state);
}

static void
call_transitions(Aggregate *aggregate, const Block *block, int64 from, int64 end)
{
	for (int64 i = from; i < end; i++)
	{
		CHECK_FOR_INTERRUPTS();
		call_transition_at_row(aggregate, (CallState *) aggregate->f.state, block, i);
	}
}

static bool
call_remove(Aggregate *aggregate, const Block *block, int64 from, int64 end)
{
	CallState *state = (CallState *) aggregate->f.state;

	for (int64 i = from; i < end && state->back != NULL; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!remove_row(aggregate, state, block, i))
			return false;
	}
	return state->back != NULL;
}

/* ---- saved state ---- */

static void
save_value(Aggregate *aggregate, CallState *state, StringInfo bytes)
{
	Datum value = state->value;
	int16 length = state->length;
	bool  by_value = state->by_value;

	if (state->serial != NULL)
	{
		if (!state->isnull)
			value = call_component(aggregate, state, state->serial, 0, (NullableDatum){value});
		by_value = false;
		length = -1;
	}
	save_datum(bytes, value, state->isnull, by_value, length);
}

static void
restore_value(Aggregate *aggregate, CallState *state, StringInfo bytes)
{
	Datum value = restore_datum(bytes, &state->isnull);

	/*
	 * a transition function may not accept what deserial returns; combine makes a usable value of it and a NULL state
	 */
	if (state->serial != NULL && !state->isnull)
	{
		value = call_component(aggregate, state, state->deserial, 0, (NullableDatum){value});
		value = call_component(aggregate, state, state->combine, 1, (NullableDatum){value});
	}
	state->value = value;
}

static void
call_carry(RowFunction *f, const Block *block, SavedState *saved)
{
	Aggregate	 *aggregate = aggregate_of(f);
	CallState	 *state = (CallState *) f->state;
	MemoryContext old = MemoryContextSwitchTo(saved->restores ? f->partition : f->scratch);

	if (saved->restores)
		call_empty_state(aggregate, state);
	carry_bytes(saved, &state->count, sizeof(state->count));
	if (saved->restores)
		restore_value(aggregate, state, &saved->bytes);
	else
		save_value(aggregate, state, &saved->bytes);
	MemoryContextSwitchTo(old);
	MemoryContextReset(f->scratch);
}

/* ---- before the first row ---- */

/* Prepares the call of a component function; `expr` tells it the types.  Arguments that no caller fills in are NULL. */
static FunctionCallInfoBaseData *
call_info(Aggregate *aggregate, CallState *state, Oid oid, Expr *expr, int arguments)
{
	FmgrInfo				 *function = (FmgrInfo *) palloc(sizeof(FmgrInfo));
	FunctionCallInfoBaseData *info = (FunctionCallInfoBaseData *) palloc0(SizeForFunctionCallInfo(arguments));

	fmgr_info_cxt(oid, function, aggregate->f.query);
	fmgr_info_set_expr((Node *) expr, function);
	InitFunctionCallInfoData(*info, function, arguments, aggregate->call.collation, (Node *) &state->context, NULL);
	for (int a = 0; a < arguments; a++)
		info->args[a].isnull = true;
	return info;
}

/* Prepares saving the transition value: a value of type internal goes to another process as bytes. */
static void
prepare_saving(Aggregate *aggregate, CallState *state)
{
	const AggregateComponents *components = aggregate->components;
	Oid						   type = components->type;
	Expr					  *expr;

	if (type != INTERNALOID)
		return;
	check_execute(components->serial, components->owner);
	check_execute(components->deserial, components->owner);
	check_execute(components->combine, components->owner);
	build_aggregate_serialfn_expr(components->serial, &expr);
	state->serial = call_info(aggregate, state, components->serial, expr, 1);
	build_aggregate_deserialfn_expr(components->deserial, &expr);
	state->deserial = call_info(aggregate, state, components->deserial, expr, 2);
	build_aggregate_transfn_expr(&type, 1, 0, false, type, aggregate->call.collation, components->combine, InvalidOid,
								 &expr, NULL);
	state->combine = call_info(aggregate, state, components->combine, expr, 2);
}

/* Prepares the calls of the functions that go over the rows. */
static void
prepare_calls(Aggregate *aggregate, CallState *state)
{
	const AggregateCall		  *call = &aggregate->call;
	const AggregateComponents *components = aggregate->components;
	int						   n = components->final_extra ? call->arguments + 1 : 1;
	Oid						   types[FUNC_MAX_ARGS];
	Expr					  *expr, *inverse_expr;

	memcpy(types, call->type, call->arguments * sizeof(Oid)); /* core does not declare it const */
	build_aggregate_transfn_expr(types, call->arguments, 0, false, components->type, call->collation,
								 components->transition, components->inverse, &expr, &inverse_expr);
	state->step = call_info(aggregate, state, components->transition, expr, call->arguments + 1);
	if (OidIsValid(components->inverse))
		state->back = call_info(aggregate, state, components->inverse, inverse_expr, call->arguments + 1);
	if (!OidIsValid(components->final))
		return;
	build_aggregate_finalfn_expr(types, n, components->type, call->result, call->collation, components->final, &expr);
	state->finish = call_info(aggregate, state, components->final, expr, n);
}

static void
call_start(Aggregate *aggregate)
{
	CallState				  *state = (CallState *) aggregate->f.state;
	const AggregateComponents *components = aggregate->components;

	state->context.ss.ps.type = T_WindowAggState;
	prepare_calls(aggregate, state);
	get_typlenbyval(components->type, &state->length, &state->by_value);
	state->start_isnull = components->start == NULL;
	if (!state->start_isnull)
	{
		Oid input, parameter;

		getTypeInputInfo(components->type, &input, &parameter);
		state->start = OidInputFunctionCall(input, unconstify(char *, components->start), parameter, -1);
	}
	if (aggregate->f.needs & NEEDS_SAVED_STATE)
		prepare_saving(aggregate, state);
	if (state->back != NULL)
		aggregate->f.method = "its own functions, inverse";
}

/* Core's functions may raise an error at any row. */
const AggregateOp aggregate_op_call = {.method = "its own functions",
									   .traits = AGGREGATE_MAY_FAIL,
									   .state_size = sizeof(CallState),
									   .start = call_start,
									   .empty = call_empty,
									   .add = call_transitions,
									   .remove = call_remove,
									   .final = call_final,
									   .carry = call_carry,
									   .running = running_rows,
									   .sliding = add_remove_rows};
