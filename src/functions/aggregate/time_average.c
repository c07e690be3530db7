/*
 * time_average.c: the aggregates time_average(value, at [, method]) and time_in_state(state, at).
 *
 * The area under the values, by op/time_area.h, over the time from the first row to the last one.  A group's state is
 * an exact_state (number/exact_state.h), so that states of parts travel and add up.  Rows must come in order of `at`;
 * parts must not overlap in time.  A row is skipped if its value or its time is NULL.
 *
 * A sliding frame's first row leaves, and the area between it and the row after it has to be known then.  So the moving
 * state keeps the frame's rows in a deque, 16 bytes each.  Rejected: to keep them in exact_state too, which would make
 * every group's state grow with its rows.  In PrefixScan the rows are at hand, and no deque is needed
 * (aggregate/time_ops.c).
 *
 * time_in_state is the area under a value that is 1 where the state is true, else 0, and holds until the next row; its
 * final functions are in time_in_state.c.
 *
 * Times that are numeric have functions of their own (time_average_numeric.c).
 */
#include "postgres.h"

#include <fenv.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "call/entry.h"
#include "column/deque.h"
#include "column/memory.h"
#include "compat.h"
#include "error.h"
#include "functions/aggregate/aggregate_functions.h"
#include "functions/aggregate/exact_argument.h"
#include "number/time_argument.h"

/* ---- the arguments: a state, value, at, and a method where there is one ---- */

int64
time_average_flags(FunctionCallInfo fcinfo, TimeStatistic statistic, Oid type)
{
	if (PG_NARGS() < 4)
		return time_flags(type, statistic == TIME_IN_STATE);
	if (PG_ARGISNULL(3))
		scan_raise_null("method");
	return time_flags(type, time_method_is_previous(PG_GETARG_TEXT_PP(3)));
}

void
time_average_check_flags(int64 flags, int64 of_state)
{
	if (flags != of_state)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"method\" must not change within a frame or a group"),
						errhint("Give \"method\" one value for all rows, or add the columns that it depends on to "
								"PARTITION BY or GROUP BY.")));
}

bool
time_average_value(FunctionCallInfo fcinfo, TimeStatistic statistic, double *value)
{
	bool isnull = PG_ARGISNULL(1);

	if (statistic == TIME_IN_STATE)
		*value = !isnull && PG_GETARG_BOOL(1) ? 1.0 : 0.0;
	else if (!isnull)
		*value = PG_GETARG_FLOAT8(1);
	return !PG_ARGISNULL(2) && (statistic == TIME_IN_STATE || !isnull);
}

/* Fetches the row of the call.  Returns false if it is skipped. */
static bool
fetch_timed_row(FunctionCallInfo fcinfo, TimeStatistic statistic, Oid type, TimedPoint *row)
{
	if (!time_average_value(fcinfo, statistic, &row->value))
		return false;
	row->at = time_argument(type, PG_GETARG_DATUM(2));
	return true;
}

static void
area_add_row(TimeArea *area, ScanMemory *memory, TimeStatistic statistic, Oid type, const TimedPoint *row)
{
	if (time_area_take(area, memory, row) != SCAN_OK)
		time_raise_backwards(statistic, type, row->at, area->last.at);
}

/* ---- groups, and frames that no row leaves ---- */

/* Returns the first argument, opened, or a new state before the first row. */
static ExactState *
exact_times_argument(FunctionCallInfo fcinfo, int64 flags, ExactStateMemory *memory)
{
	ExactState *state = exact_argument(fcinfo, EXACT_STATE_TIMES, 1, memory);

	if (PG_ARGISNULL(0))
		state->area.flags = flags;
	return state;
}

static Datum
times_call_add(FunctionCallInfo fcinfo, TimeStatistic statistic, Oid type)
{
	int64			 flags = time_average_flags(fcinfo, statistic, type);
	ExactStateMemory memory;
	ExactState		*state = exact_times_argument(fcinfo, flags, &memory);
	TimedPoint		 row;

	time_average_check_flags(flags, state->area.flags);
	if (fetch_timed_row(fcinfo, statistic, type, &row))
		area_add_row(&state->area, &memory.memory, statistic, type, &row);
	PG_RETURN_DATUM(exact_state_close(state, EXACT_STATE_TIMES));
}

PG_FUNCTION_INFO_V1(time_average_combine);
Datum
time_average_combine(PG_FUNCTION_ARGS)
{
	ExactStateMemory memory;
	TimeArea		 other = {0};
	ExactState		*state;

	if (!PG_ARGISNULL(1))
		exact_state_view(PG_GETARG_DATUM(1), EXACT_STATE_TIMES, &other);
	else if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = exact_times_argument(fcinfo, other.flags, &memory);
	if (!PG_ARGISNULL(1))
	{
		time_average_check_flags(other.flags, state->area.flags);
		if (time_area_join(&state->area, &memory.memory, &other) != SCAN_OK)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("argument \"at\" must not run backwards"),
							errdetail("Two parts of a group, which were aggregated separately, overlap in time."),
							errhint(TIME_ORDER_HINT)));
	}
	PG_RETURN_DATUM(exact_state_close(state, EXACT_STATE_TIMES));
}

/* Numeric times would be rounded to double precision, and no state holds all their digits. */
SCAN_REFUSAL(time_summary_add_numeric, ERRCODE_FEATURE_NOT_SUPPORTED,
			 errmsg("time_summary does not take numeric times"),
			 errhint("Cast \"at\" to bigint or to double precision: time_summary(value, at::float8)."))

/* The result of time_summary: a state that may be stored. */
PG_FUNCTION_INFO_V1(time_summary_final);
Datum
time_summary_final(PG_FUNCTION_ARGS)
{
	ExactState *state;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	(void) exact_state_kind(PG_GETARG_DATUM(0));
	state = (ExactState *) PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(0));
	exact_state_forget_limbs(state);
	PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(time_average_final);
Datum
time_average_final(PG_FUNCTION_ARGS)
{
	TimeArea area;
	double	 y = 0.0;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	exact_state_view(PG_GETARG_DATUM(0), EXACT_STATE_TIMES, &area);
	if (time_area_average(&area, &y) == SCAN_NULL)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(y);
}

/* ---- sliding frames ---- */

/* The transition value, in the aggregate's memory.  The frame's first row creates it, even if it is skipped. */
typedef struct MovingTimes
{
	ContextMemory memory;
	TimeArea	  area;
	Deque		  row; /* of TimedPoint: area.rows rows */
} MovingTimes;

static MovingTimes *
moving_argument(FunctionCallInfo fcinfo, int64 flags)
{
	MovingTimes	 *state;
	MemoryContext memory;

	if (!PG_ARGISNULL(0))
		return (MovingTimes *) PG_GETARG_POINTER(0);
	memory = aggregate_memory(fcinfo);
	fesetenv(FE_DFL_ENV);
	state = (MovingTimes *) MemoryContextAllocZero(memory, sizeof(MovingTimes));
	context_memory(&state->memory, memory);
	state->area.flags = flags;
	state->row.memory = memory;
	return state;
}

static Datum
times_call_enter(FunctionCallInfo fcinfo, TimeStatistic statistic, Oid type)
{
	int64		 flags = time_average_flags(fcinfo, statistic, type);
	MovingTimes *state = moving_argument(fcinfo, flags);
	TimedPoint	 row;

	time_average_check_flags(flags, state->area.flags);
	if (fetch_timed_row(fcinfo, statistic, type, &row))
	{
		*(TimedPoint *) deque_append(&state->row, sizeof(row)) = row;
		area_add_row(&state->area, &state->memory.memory, statistic, type, &row);
	}
	PG_RETURN_POINTER(state);
}

/*
 * The row that leaves is the first one.  If it is another one than came in, a function that computes it has the wrong
 * volatility; then NULL is returned, for which core computes the frame anew.
 */
static Datum
times_call_leave(FunctionCallInfo fcinfo, TimeStatistic statistic, Oid type)
{
	MovingTimes *state = (MovingTimes *) PG_GETARG_POINTER(0);
	TimedPoint	 row;

	(void) aggregate_memory(fcinfo);
	if (fetch_timed_row(fcinfo, statistic, type, &row))
	{
		if (state->area.rows == 0 || row.at != state->area.first.at)
			PG_RETURN_NULL();
		time_area_remove(&state->area, &state->memory.memory, (TimedPoint *) deque_entry(&state->row, 1, sizeof(row)));
		deque_remove_first(&state->row);
	}
	PG_RETURN_POINTER(state);
}

const TimeArea *
time_average_moving_area(Datum state)
{
	return &((const MovingTimes *) DatumGetPointer(state))->area;
}

PG_FUNCTION_INFO_V1(time_average_moving_final);
Datum
time_average_moving_final(PG_FUNCTION_ARGS)
{
	double y = 0.0;

	if (PG_ARGISNULL(0) || time_area_average(&((const MovingTimes *) PG_GETARG_POINTER(0))->area, &y) == SCAN_NULL)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(y);
}

/* ---- the functions, for each type of `at` ---- */

#define TIME_FUNCTION(AGGREGATE, STATISTIC, NAME, DO, TYPE) \
	SCAN_ENTRY(AGGREGATE##_##DO##_##NAME, times_call_##DO(fcinfo, STATISTIC, TYPE))
#define TIME_FUNCTIONS(NAME, TYPE)                                 \
	TIME_FUNCTION(time_average, TIME_AVERAGE, NAME, add, TYPE)     \
	TIME_FUNCTION(time_average, TIME_AVERAGE, NAME, enter, TYPE)   \
	TIME_FUNCTION(time_average, TIME_AVERAGE, NAME, leave, TYPE)   \
	TIME_FUNCTION(time_in_state, TIME_IN_STATE, NAME, add, TYPE)   \
	TIME_FUNCTION(time_in_state, TIME_IN_STATE, NAME, enter, TYPE) \
	TIME_FUNCTION(time_in_state, TIME_IN_STATE, NAME, leave, TYPE)

TIME_TYPES(TIME_FUNCTIONS)
