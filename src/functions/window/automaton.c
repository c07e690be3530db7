/*
 * automaton.c: scan_state(input, transitions, start, reset), a finite automaton over rows.
 *
 * The state passes from row to row, and the table may have any size.  (With few states, the maps between states compose
 * and could be scanned like other monoids.)
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "compat.h"
#include "functions/window/window.h"

typedef struct Automaton
{
	WindowConstant transitions, start;
	int			   states, inputs;
	const int32	  *to; /* to[state * inputs + input]; NULL: not read yet */
	struct
	{
		bool  any; /* an input was applied since the segment's head */
		int32 state;
	} now;
} Automaton;

/* Reads the table from the array.  Called in the partition's memory, since a detoasted copy must live that long. */
static void
automaton_read(Automaton *automaton, Datum transitions)
{
	ArrayType *array = DatumGetArrayTypeP(transitions);

	if (ARR_NDIM(array) != 2)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("argument \"transitions\" must have two dimensions, states and inputs, not %d",
							   ARR_NDIM(array)),
						errhint("Write a row for each state, with the next state for each input: '{{0,1},{1,0}}'.")));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("argument \"transitions\" must not contain NULL"),
				 errhint("Let inputs that are not allowed lead to an extra state.")));
	automaton->states = ARR_DIMS(array)[0];
	automaton->inputs = ARR_DIMS(array)[1];
	automaton->to = (const int32 *) ARR_DATA_PTR(array);
}

static void
automaton_check(const char *what, int32 index, int count)
{
	if (index < 0 || index >= count)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("%s %d is outside the transition table", what, index),
				 strcmp(what, "input") == 0 ? errdetail("The number of inputs is %d.", count)
											: errdetail("The number of states is %d.", count),
				 errhint("States and inputs are numbered from 0, not from 1.")));
}

PG_FUNCTION_INFO_V1(scan_state_int4);
Datum
scan_state_int4(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	Automaton  *automaton = (Automaton *) window_state(call, sizeof(Automaton));
	Datum		transitions = window_constant_not_null(call, &automaton->transitions, 1, "transitions");
	int32		start = DatumGetInt32(window_constant_not_null(call, &automaton->start, 2, "start"));
	bool		isnull;
	int32		input;

	if (automaton->to == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(call->memory);

		automaton_read(automaton, transitions);
		automaton_check("start state", start, automaton->states);
		MemoryContextSwitchTo(old);
	}
	window_keeps_bytes(call, &automaton->now, sizeof(automaton->now));
	if (window_flag(call, 3))
		automaton->now.any = false;

	input = DatumGetInt32(window_arg(call, 0, &isnull));
	if (!isnull)
	{
		int32 from = automaton->now.any ? automaton->now.state : start;

		automaton_check("input", input, automaton->inputs);
		automaton->now.state = automaton->to[(int64) from * automaton->inputs + input];
		automaton_check("state", automaton->now.state, automaton->states);
		automaton->now.any = true;
	}
	if (!automaton->now.any)
		PG_RETURN_NULL();
	PG_RETURN_INT32(automaton->now.state);
}
