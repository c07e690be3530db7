/*
 * ema.c: scan_ema: exponential moving averages, by row and by elapsed time.
 *
 * By row it is pandas' ewm(alpha, adjust, ignore_na=True): a NULL row neither ages the average nor restarts it. By time
 * it is Polars' ewm_mean_by: the older value has lost half its weight after half_life. Both are recurrences. Their
 * coefficients are rounded to float8 first, and the first row's result is its value.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "column/datum.h"
#include "compat.h"
#include "error.h"
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

PG_FUNCTION_INFO_V1(scan_ema_float8);
Datum
scan_ema_float8(PG_FUNCTION_ARGS)
{
	static const WindowLine line = {SCAN_OP_ema_float8, NULL, datum_from_float8};

	WindowCall *call = window_call(fcinfo);
	bool		first, isnull;
	WindowScan *scan = window_scan(call, &line, &first);
	EmaParam   *ema = &scan->param.ema;
	Datum		alpha = window_constant_not_null(call, &scan->constant[0], 1, "alpha");
	Datum		adjust = window_constant_not_null(call, &scan->constant[1], 2, "adjust");
	bool		head = window_flag(call, 3);
	double		x = DatumGetFloat8(window_arg(call, 0, &isnull));

	if (first)
	{
		ema->alpha = ema_alpha(alpha);
		ema->adjust = DatumGetBool(adjust);
		ema->memory = &scan->memory.memory;
	}
	window_columns(call, 1, true);
	return window_step(call, scan, &line, ema, isnull ? NULL : &x, head, SCAN_INCLUSIVE);
}

/* ---- by elapsed time ---- */

/* Returns a half-life in microseconds. A month has 30 days, as in comparisons of intervals. */
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

/* Raises the errors of a time. `last` is the time before `at` in its segment, NULL if there is none. */
static void
check_time(WindowCall *call, TimestampTz at, const int64 *last)
{
	if (TIMESTAMP_NOT_FINITE(at))
		ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("argument \"at\" must be finite"),
						errhint("Write NULL instead: rows whose \"at\" is NULL are skipped.")));
	if (last != NULL && at < *last)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("argument \"at\" must not run backwards"),
						errdetail("A row has %s, but an earlier row has %s.",
								  window_arg_text(call, 1, TimestampTzGetDatum(at), false),
								  window_arg_text(call, 1, TimestampTzGetDatum(*last), false)),
						errhint(SCAN_BACKWARDS_HINT)));
}

PG_FUNCTION_INFO_V1(scan_ema_by_time);
Datum
scan_ema_by_time(PG_FUNCTION_ARGS)
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

	if (first)
	{
		ema->half_life = half_life_of(call, half_life);
		ema->memory = &scan->memory.memory;
	}
	x.x = DatumGetFloat8(window_arg(call, 0, &no_value));
	x.at = DatumGetTimestampTz(window_arg(call, 1, &no_at));
	if (!no_value && !no_at)
		check_time(call, x.at, scan->carry.any && !head ? &acc->last : NULL);
	return window_step(call, scan, &line, ema, no_value || no_at ? NULL : &x, head, SCAN_INCLUSIVE);
}
