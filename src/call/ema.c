/*
 * ema.c: scan_ema: exponential moving averages, by row and by elapsed time.
 *
 * By row it is pandas' ewm(alpha, adjust, ignore_na=True): NULL rows neither age
 * the average nor start it again.  By time it is Polars' ewm_mean_by: the older
 * value has lost half its weight after half_life.  Both are recurrences, with
 * their coefficients rounded to float8 first and the first row set to its value.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "call/running.h"

typedef struct Ema
{
	bool		   started;
	WindowConstant alpha;
	WindowConstant adjust;
	double		   y;
	Running		   above; /* the average, or its numerator */
	Running		   below; /* adjust: the denominator */
} Ema;

static double
ema_alpha(Datum alpha)
{
	double a = DatumGetFloat8(alpha);

	if (!(a > 0 && a <= 1))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"alpha\" must be above 0 and at most 1: %s",
							   DatumGetCString(DirectFunctionCall1(float8out, alpha)))));
	return a;
}

/* The average with the value x: of the segment's first row, x itself. */
static double
ema_apply(WindowCall *call, Ema *ema, double alpha, bool adjust, double x)
{
	double keep = ema->above.any ? 1 - alpha : 0;
	double above, below;

	if (!adjust)
		return running_apply(call, &ema->above, &keep, ema->above.any ? alpha * x : x);
	above = running_apply(call, &ema->above, &keep, x);
	below = running_apply(call, &ema->below, &keep, 1);
	return canonical_nan(above / below);
}

PG_FUNCTION_INFO_V1(scan_ema_float8);
Datum
scan_ema_float8(PG_FUNCTION_ARGS)
{
	static const double zero;

	WindowCall *call = window_call(fcinfo);
	Ema		   *ema = (Ema *) window_state(call, sizeof(Ema));
	double		alpha = ema_alpha(window_constant_not_null(call, &ema->alpha, 1, "alpha"));
	bool		adjust = DatumGetBool(window_constant_not_null(call, &ema->adjust, 2, "adjust"));
	bool		isnull;
	double		x;

	if (!ema->started || window_flag(call, 3))
	{
		running_start(&ema->above, 1, &zero);
		running_start(&ema->below, 1, &zero);
	}
	ema->started = true;
	x = DatumGetFloat8(window_arg(call, 0, &isnull));
	if (!isnull)
		ema->y = ema_apply(call, ema, alpha, adjust, x);
	if (!ema->above.any)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(ema->y);
}

/* ---- by elapsed time ---- */

typedef struct EmaByTime
{
	bool		   started;
	WindowConstant half_life;
	TimestampTz	   last; /* `at` of the last row applied */
	Running		   running;
} EmaByTime;

/* A half-life in microseconds; a month has 30 days, as in comparisons of intervals. */
static double
half_life_of(WindowCall *call, Datum half_life)
{
	const Interval *span = DatumGetIntervalP(half_life);
	double			microseconds;

	microseconds = (double) span->time + ((double) span->month * DAYS_PER_MONTH + span->day) * USECS_PER_DAY;
	if (!(microseconds > 0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("argument \"half_life\" must be positive: %s",
																		 window_arg_text(call, 2, half_life, false))));
	return microseconds;
}

/* The weight that the average keeps until `at`. */
static double
weight_kept(WindowCall *call, const EmaByTime *ema, TimestampTz at, double half_life)
{
	if (TIMESTAMP_NOT_FINITE(at))
		ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("argument \"at\" must be finite")));
	if (!ema->running.any)
		return 0;
	if (at < ema->last)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("argument \"at\" must not run backwards"),
						errdetail("It is %s after %s.", window_arg_text(call, 1, TimestampTzGetDatum(at), false),
								  window_arg_text(call, 1, TimestampTzGetDatum(ema->last), false))));
	return exp2(-((double) ((scan_int128) at - ema->last) / half_life));
}

PG_FUNCTION_INFO_V1(scan_ema_by_time);
Datum
scan_ema_by_time(PG_FUNCTION_ARGS)
{
	static const double zero;

	WindowCall *call = window_call(fcinfo);
	EmaByTime  *ema = (EmaByTime *) window_state(call, sizeof(EmaByTime));
	double		half_life = half_life_of(call, window_constant_not_null(call, &ema->half_life, 2, "half_life"));
	bool		no_value, no_at;
	double		x;
	TimestampTz at;

	if (!ema->started || window_flag(call, 3))
		running_start(&ema->running, 1, &zero);
	ema->started = true;
	x = DatumGetFloat8(window_arg(call, 0, &no_value));
	at = DatumGetTimestampTz(window_arg(call, 1, &no_at));
	if (!no_value && !no_at)
	{
		double kept = weight_kept(call, ema, at, half_life);

		running_apply(call, &ema->running, &kept, (1 - kept) * x);
		ema->last = at;
	}
	if (!ema->running.any)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(ema->running.r.y[0]);
}
