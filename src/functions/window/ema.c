/*
 * ema.c: scan_ema: exponential moving averages, by row and by elapsed time.
 *
 * By row it is pandas' ewm(alpha, adjust, ignore_na=True): a NULL row neither ages the average nor restarts it.  By
 * time it is Polars' ewm_mean_by: the older value has lost half its weight after half_life.  A time without a zone is
 * as far from another one as the clocks say, and a date is its midnight: a day has 24 hours.  Both are recurrences.
 * Their coefficients are rounded to float8 first, and the first row's result is its value.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "column/datum.h"
#include "compat.h"
#include "functions/window/at.h"
#include "functions/window/scan_row.h"

static double
ema_alpha(Datum alpha)
{
	double a = DatumGetFloat8(alpha);

	if (!(a > 0 && a <= 1))
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("argument \"alpha\" must be above 0 and at most 1: %s",
					DatumGetCString(DirectFunctionCall1(float8out, alpha))),
			 errhint("For an average over n rows, write 2.0 / (n + 1). The integer division 2 / (n + 1) gives 0.")));
	return a;
}

static void
ema_read(WindowCall *call, WindowScan *scan, const NullableDatum *constant)
{
	scan->param.ema.alpha = ema_alpha(constant[0].value);
	scan->param.ema.adjust = DatumGetBool(constant[1].value);
	scan->param.ema.memory = &scan->memory.memory;
}

PG_FUNCTION_INFO_V1(scan_ema_float8);
Datum
scan_ema_float8(PG_FUNCTION_ARGS)
{
	static const WindowLine		 line = {SCAN_OP_ema_float8, datum_to_float8, datum_from_float8};
	static const WindowSignature signature = {{{"alpha"}, {"adjust"}}, ema_read};

	return window_row(fcinfo, &line, &signature);
}

/* ---- by elapsed time ---- */

/* Returns a half-life in microseconds.  A month has 30 days, as in comparisons of intervals. */
static double
half_life_of(WindowCall *call, Datum half_life)
{
	const Interval *span = DatumGetIntervalP(half_life);
	double			microseconds;

	microseconds = (double) span->time + ((double) span->month * DAYS_PER_MONTH + span->day) * USECS_PER_DAY;
	if (!(microseconds > 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"half_life\" must be positive: %s", window_arg_text(call, 2, half_life, false)),
				 errhint("\"half_life\" is the time in which the weight of a value falls to one half.")));
	return microseconds;
}

/* f(value, at, half_life, reset) */
static Datum
ema_by_time(FunctionCallInfo fcinfo, const AtType *type)
{
	static const WindowLine line = {SCAN_OP_ema_by_time, NULL, datum_from_float8};

	WindowCall			  *call = window_call(fcinfo);
	bool				   first, no_value, no_at;
	WindowScan			  *scan = window_scan(call, &line, &first);
	EmaByTimeParam		  *ema = &scan->param.ema_by_time;
	const ema_by_time_acc *acc = (const ema_by_time_acc *) scan->carry.acc;
	Datum				   half_life = window_constant_not_null(call, &scan->constant[0], 2, "half_life");
	bool				   head = window_flag(call, 3);
	TimedValue			   x;
	Datum				   at;

	if (first)
	{
		ema->half_life = half_life_of(call, half_life);
		ema->memory = &scan->memory.memory;
	}
	x.x = DatumGetFloat8(window_arg(call, 0, &no_value));
	at = at_arg(call, type, 1, &no_at);
	if (!no_value && !no_at)
	{
		at_check_finite(type, at);
		if (scan->carry.any && !head)
			at_check_order(type, TimestampGetDatum(acc->last), at);
		x.at = DatumGetTimestamp(at);
	}
	return window_step(call, scan, &line, ema, no_value || no_at ? NULL : &x, head, SCAN_INCLUSIVE);
}

PG_FUNCTION_INFO_V1(scan_ema_by_time);
Datum
scan_ema_by_time(PG_FUNCTION_ARGS)
{
	return ema_by_time(fcinfo, &at_timestamptz);
}

PG_FUNCTION_INFO_V1(scan_ema_timestamp);
Datum
scan_ema_timestamp(PG_FUNCTION_ARGS)
{
	return ema_by_time(fcinfo, &at_timestamp);
}

PG_FUNCTION_INFO_V1(scan_ema_date);
Datum
scan_ema_date(PG_FUNCTION_ARGS)
{
	return ema_by_time(fcinfo, &at_date);
}
