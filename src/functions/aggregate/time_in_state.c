/*
 * time_in_state.c: the results of the aggregate time_in_state(state, at), whose states are those of time_average
 * (time_average.c): an area under 0 and 1.
 *
 * A result has the type of a difference of two times: an interval of days and microseconds for timestamps, as core
 * subtracts them, and of days for dates; numbers have their own type.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "error.h"
#include "functions/aggregate/aggregate_functions.h"
#include "number/exact_state.h"

/* Returns an interval of days and microseconds. */
static Datum
interval_of(int32 days, int64 microseconds)
{
	Interval *interval = (Interval *) palloc(sizeof(Interval));

	*interval = (Interval){.day = days, .time = microseconds};
	return IntervalPGetDatum(interval);
}

static Datum
interval_of_area(const TimeArea *area)
{
	uint64 whole = time_area_whole(area);

	return interval_of((int32) (whole / USECS_PER_DAY), (int64) (whole % USECS_PER_DAY));
}

static Datum
days_of_area(const TimeArea *area)
{
	return interval_of((int32) time_area_whole(area), 0);
}

static Datum
int8_of_area(const TimeArea *area)
{
	uint64 whole = time_area_whole(area);

	scan_check(whole > PG_INT64_MAX ? SCAN_INT8_OUT_OF_RANGE : SCAN_OK);
	return Int64GetDatum((int64) whole);
}

static Datum
float8_of_area(const TimeArea *area)
{
	double y = time_area_round(area);

	scan_check(isfinite(y) ? SCAN_OK : SCAN_FLOAT_OVERFLOW);
	return Float8GetDatum(y);
}

/* The final functions, of groups and of sliding frames. */
#define TIME_IN_STATE_FINAL(NAME, RESULT)                                               \
	PG_FUNCTION_INFO_V1(time_in_state_final_##NAME);                                    \
	Datum time_in_state_final_##NAME(PG_FUNCTION_ARGS)                                  \
	{                                                                                   \
		TimeArea area;                                                                  \
                                                                                        \
		if (PG_ARGISNULL(0))                                                            \
			PG_RETURN_NULL();                                                           \
		exact_state_view(PG_GETARG_DATUM(0), EXACT_STATE_TIMES, &area);                 \
		if (area.rows == 0)                                                             \
			PG_RETURN_NULL();                                                           \
		return RESULT(&area);                                                           \
	}                                                                                   \
	PG_FUNCTION_INFO_V1(time_in_state_moving_##NAME);                                   \
	Datum time_in_state_moving_##NAME(PG_FUNCTION_ARGS)                                 \
	{                                                                                   \
		if (PG_ARGISNULL(0) || time_average_moving_area(PG_GETARG_DATUM(0))->rows == 0) \
			PG_RETURN_NULL();                                                           \
		return RESULT(time_average_moving_area(PG_GETARG_DATUM(0)));                    \
	}

TIME_IN_STATE_FINAL(interval, interval_of_area)
TIME_IN_STATE_FINAL(days, days_of_area)
TIME_IN_STATE_FINAL(int8, int8_of_area)
TIME_IN_STATE_FINAL(float8, float8_of_area)
