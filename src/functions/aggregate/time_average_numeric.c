/*
 * time_average_numeric.c: the aggregates time_average(value, at [, method]) and time_in_state(state, at) where `at` is
 * numeric.
 *
 * PostgreSQL would cast such times to double precision, and their digits would be lost: those of a second since 1970
 * with nine places, for example.  So the area under the values is a numeric, and all its digits are kept: a double has
 * finitely many decimals (number/exact_numeric.h), and so has a product with a difference of two times.  The area over
 * the duration is rounded once.
 *
 * The state is `internal`, with the rules of op/time_area.h and without a combine function: a group is aggregated in
 * one process.  Rejected: another kind of exact_state, whose bytes travel, for times that seldom are numeric.
 *
 * Over sliding frames, the state has all rows of the frame, as in time_average.c.
 */
#include "postgres.h"

#include <fenv.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "call/entry.h"
#include "column/deque.h"
#include "compat.h"
#include "functions/aggregate/aggregate_functions.h"
#include "number/exact_numeric.h"
#include "number/time_argument.h"

/* A row.  Its time lies in the state's memory. */
typedef struct NumericPoint
{
	double value;
	Datum  at;
} NumericPoint;

typedef struct NumericTimes
{
	int64	 flags;	   /* of TimeArea */
	Deque	 row;	   /* of NumericPoint: the frame's rows, or only the first and the last one */
	Specials specials; /* the steps between two rows, of another time, whose area is not finite */
	Datum	 area;	   /* of the other steps; of lines, twice the area */
} NumericTimes;

static NumericTimes *
numeric_times_argument(FunctionCallInfo fcinfo, int64 flags)
{
	MemoryContext memory = aggregate_memory(fcinfo), old;
	NumericTimes *state;

	if (!PG_ARGISNULL(0))
		return (NumericTimes *) PG_GETARG_POINTER(0);
	old = MemoryContextSwitchTo(memory);
	state = (NumericTimes *) palloc(sizeof(NumericTimes));
	*state = (NumericTimes){.flags = flags, .row = {.memory = memory}, .area = NumericGetDatum(int64_to_numeric(0))};
	MemoryContextSwitchTo(old);
	return state;
}

/* Returns the i-th row from the first one. */
static NumericPoint *
numeric_times_row(const NumericTimes *state, int64 i)
{
	return (NumericPoint *) deque_entry(&state->row, i, sizeof(NumericPoint));
}

static NumericPoint *
numeric_times_last(const NumericTimes *state)
{
	return numeric_times_row(state, state->row.n - 1);
}

/* Fetches the row of the call.  Returns false if it is skipped. */
static bool
fetch_numeric_row(FunctionCallInfo fcinfo, TimeStatistic statistic, NumericPoint *row)
{
	if (!time_average_value(fcinfo, statistic, &row->value))
		return false;
	row->at = NumericGetDatum(PG_GETARG_NUMERIC(2));
	if (!numeric_is_finite(row->at))
		time_raise_not_finite(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE);
	return true;
}

/* ---- the area ---- */

/* Returns the values that the area of a step is made of: those of both rows, or with 'previous' of the earlier one. */
static Datum
step_height(const NumericTimes *state, const NumericPoint *from, const NumericPoint *to)
{
	Datum height = exact_numeric(from->value);

	if ((state->flags & TIME_AREA_PREVIOUS) != 0)
		return height;
	return DirectFunctionCall2(numeric_add, height, exact_numeric(to->value));
}

/* Adds the area between two rows that follow each other, or removes it if `leaves`.  See time_area_step(). */
static void
take_step(NumericTimes *state, const NumericPoint *from, const NumericPoint *to, bool leaves)
{
	bool		  is_line = (state->flags & TIME_AREA_PREVIOUS) == 0;
	Datum		  area;
	MemoryContext old;
	double		  special;

	if (!numeric_is_less(from->at, to->at))
		return;
	if (likely(isfinite(from->value) && (!is_line || isfinite(to->value))))
	{
		area = DirectFunctionCall2(numeric_mul, step_height(state, from, to),
								   DirectFunctionCall2(numeric_sub, to->at, from->at));
		old = MemoryContextSwitchTo(state->row.memory);
		area = DirectFunctionCall2(leaves ? numeric_sub : numeric_add, state->area, area);
		MemoryContextSwitchTo(old);
		pfree(DatumGetPointer(state->area));
		state->area = area;
		return;
	}
	special = isfinite(from->value) ? to->value : from->value;
	if (is_line && !isfinite(from->value) && !isfinite(to->value))
		special += to->value;
	specials_take(&state->specials, special, leaves ? -1 : 1);
}

/* ---- rows ---- */

/* Appends a row; unless all are kept, it takes the place of the last one. */
static void
numeric_times_keep(NumericTimes *state, const NumericPoint *row, bool keeps_all)
{
	MemoryContext old = MemoryContextSwitchTo(state->row.memory);

	if (!keeps_all && state->row.n == 2)
	{
		pfree(DatumGetPointer(numeric_times_last(state)->at));
		deque_remove_last(&state->row);
	}
	*(NumericPoint *) deque_append(&state->row, sizeof(NumericPoint)) = (NumericPoint){
		.value = row->value, .at = DirectFunctionCall1(numeric_uplus, row->at)};
	MemoryContextSwitchTo(old);
}

static Datum
numeric_times_add(FunctionCallInfo fcinfo, TimeStatistic statistic, bool keeps_all)
{
	int64		  flags = time_average_flags(fcinfo, statistic, NUMERICOID);
	NumericTimes *state = numeric_times_argument(fcinfo, flags);
	NumericPoint  row;

	time_average_check_flags(flags, state->flags);
	if (fetch_numeric_row(fcinfo, statistic, &row))
	{
		if (state->row.n > 0)
		{
			const NumericPoint *last = numeric_times_last(state);

			if (numeric_is_less(row.at, last->at))
				time_raise_numeric_backwards(statistic, row.at, last->at);
			take_step(state, last, &row, false);
		}
		numeric_times_keep(state, &row, keeps_all);
	}
	PG_RETURN_POINTER(state);
}

/* The row that leaves is the first one.  If it is not, NULL is returned, as in time_average.c. */
static Datum
numeric_times_leave(FunctionCallInfo fcinfo, TimeStatistic statistic)
{
	NumericTimes *state = numeric_times_argument(fcinfo, 0);
	NumericPoint  row, *first;

	if (fetch_numeric_row(fcinfo, statistic, &row))
	{
		if (state->row.n == 0)
			PG_RETURN_NULL();
		first = numeric_times_row(state, 0);
		if (!DatumGetBool(DirectFunctionCall2(numeric_eq, row.at, first->at)))
			PG_RETURN_NULL();
		if (state->row.n > 1)
			take_step(state, first, numeric_times_row(state, 1), true);
		pfree(DatumGetPointer(first->at));
		deque_remove_first(&state->row);
	}
	PG_RETURN_POINTER(state);
}

SCAN_ENTRY(time_average_add_numeric, numeric_times_add(fcinfo, TIME_AVERAGE, false))
SCAN_ENTRY(time_average_enter_numeric, numeric_times_add(fcinfo, TIME_AVERAGE, true))
SCAN_ENTRY(time_average_leave_numeric, numeric_times_leave(fcinfo, TIME_AVERAGE))
SCAN_ENTRY(time_in_state_add_numeric, numeric_times_add(fcinfo, TIME_IN_STATE, false))
SCAN_ENTRY(time_in_state_enter_numeric, numeric_times_add(fcinfo, TIME_IN_STATE, true))
SCAN_ENTRY(time_in_state_leave_numeric, numeric_times_leave(fcinfo, TIME_IN_STATE))

/* See time_area_average(). */
PG_FUNCTION_INFO_V1(time_average_final_numeric);
Datum
time_average_final_numeric(PG_FUNCTION_ARGS)
{
	const NumericTimes *state = PG_ARGISNULL(0) ? NULL : (NumericTimes *) PG_GETARG_POINTER(0);
	uint8				special;
	Datum				duration;

	if (state == NULL || state->row.n == 0)
		PG_RETURN_NULL();
	if (!numeric_is_less(numeric_times_row(state, 0)->at, numeric_times_last(state)->at))
		PG_RETURN_FLOAT8(numeric_times_last(state)->value);
	special = specials_flags(&state->specials);
	if (special != 0)
		PG_RETURN_FLOAT8(exact_special_value(special));
	/* strtod() rounds as the processor does */
	fesetenv(FE_DFL_ENV);
	duration = DirectFunctionCall2(numeric_sub, numeric_times_last(state)->at, numeric_times_row(state, 0)->at);
	if ((state->flags & TIME_AREA_PREVIOUS) == 0)
		duration = DirectFunctionCall2(numeric_add, duration, duration);
	PG_RETURN_FLOAT8(nearest_quotient(state->area, duration));
}

/* Without trailing zeros, of which rows that have left the frame may have left some. */
PG_FUNCTION_INFO_V1(time_in_state_final_numeric);
Datum
time_in_state_final_numeric(PG_FUNCTION_ARGS)
{
	const NumericTimes *state = PG_ARGISNULL(0) ? NULL : (NumericTimes *) PG_GETARG_POINTER(0);

	if (state == NULL || state->row.n == 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(DirectFunctionCall1(numeric_trim_scale, state->area));
}
