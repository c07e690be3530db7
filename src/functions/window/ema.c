/*
 * ema.c: scan_ema: exponential moving averages, by row and by elapsed time.
 *
 * By row it is pandas' ewm(alpha, adjust, ignore_na=True): a NULL row neither ages the average nor restarts it.  By
 * time it is Polars' ewm_mean_by: the older value has lost half its weight after half_life; with `adjust` it is pandas'
 * ewm(halflife, times).  A time without a zone is as far from another one as the clocks say, and a date is its
 * midnight: a day has 24 hours.  Numbers may be times, too.  All are recurrences (op/in_sequence.h).  Their
 * coefficients are rounded to float8 first, and the first row's result is its value.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "call/entry.h"
#include "column/datum.h"
#include "compat.h"
#include "functions/window/at.h"
#include "functions/window/window.h"
#include "number/exact_numeric.h"

double
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

static const WindowSignature ema_signature = {{{"alpha"}, {"adjust"}}, ema_read};

WINDOW_ROW(ema_float8, float8, float8, ema_signature)

/*
 * scan_ema(value, span => n), and scan_ema(value).  The form's second argument keeps calls by position away: it is of
 * type money, to which PostgreSQL casts no number implicitly, and which it does not prefer for a literal without a
 * type.
 */
SCAN_REFUSAL(scan_ema_without_alpha, ERRCODE_INVALID_PARAMETER_VALUE, errmsg("scan_ema needs the argument \"alpha\""),
			 errhint("For a span of n rows, write alpha => 2.0 / (n + 1)."))

/* ---- by elapsed time ---- */

/* Returns a half-life in the unit of `at`; of times, in microseconds.  A month has 30 days, as in comparisons of
 * intervals. */
static double
half_life_of(WindowCall *call, const AtType *type, Datum half_life)
{
	double units;

	if (type->limit == INTERVALOID)
	{
		const Interval *span = DatumGetIntervalP(half_life);

		units = (double) span->time + ((double) span->month * DAYS_PER_MONTH + span->day) * USECS_PER_DAY;
	}
	else
		units = DatumGetFloat8(half_life);
	if (!(units > 0 && isfinite(units)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"half_life\" must be positive%s: %s", units > 0 ? " and finite" : "",
							   window_arg_text(call, 2, half_life, false)),
						errhint("\"half_life\" is the time in which the weight of a value falls to one half.")));
	return units;
}

static void
ema_by_time_read(WindowCall *call, WindowScan *scan, const AtType *type, bool has_adjust)
{
	EmaByTimeParam *param = &scan->param.ema_by_time;
	Datum			half_life = window_constant_not_null(call, &scan->constant[0], 2, "half_life");
	Datum			adjust = BoolGetDatum(false);

	if (has_adjust)
		adjust = window_constant_not_null(call, &scan->constant[1], 3, "adjust");
	if (param->ema.memory != NULL)
		return;
	param->half_life = half_life_of(call, type, half_life);
	param->ema.adjust = DatumGetBool(adjust);
	param->ema.memory = &scan->memory.memory;
	param->times = type->lifted == FLOAT8OID	? EMA_TIMES_DOUBLES
				   : type->lifted == NUMERICOID ? EMA_TIMES_STEPS
												: EMA_TIMES_INTEGERS;
}

/* Returns the time elapsed since the last row, of numeric times, rounded once. */
static double
numeric_elapsed(const AtType *type, const RetainedDatum *last, Datum at)
{
	at_check_order(type, last->value, at);
	return nearest_double(DirectFunctionCall2(numeric_sub, at, last->value));
}

/* Returns `at` as the operation takes it. */
static int64
ema_at(WindowScan *scan, const AtType *type, Datum at, bool head)
{
	const ema_by_time_acc *acc = (const ema_by_time_acc *) scan->carry.acc;
	bool				   starts = head || !scan->carry.any;

	if (type->lifted == NUMERICOID)
		return (int64) double_bits(starts ? 0.0 : numeric_elapsed(type, &scan->at, at));
	if (!starts)
		at_check_order(type,
					   type->lifted == FLOAT8OID ? Float8GetDatum(double_from_bits((uint64) acc->last))
												 : Int64GetDatum(acc->last),
					   at);
	return type->lifted == FLOAT8OID ? (int64) double_bits(DatumGetFloat8(at)) : DatumGetInt64(at);
}

/* f(value, at, half_life, reset) and f(value, at, half_life, adjust, reset) */
static Datum
ema_by_time(FunctionCallInfo fcinfo, const AtType *type)
{
	static const WindowLine line = {SCAN_OP_ema_by_time, NULL, datum_from_float8};

	WindowCall		   *call = window_call(fcinfo);
	bool				first, no_value, no_at;
	WindowScan		   *scan = window_scan(call, &line, &first);
	const RetainedType *at_type = at_retained_type(call, type, 1);
	bool				head = window_flag(call, PG_NARGS() - 1);
	TimedValue			x;
	Datum				at;

	ema_by_time_read(call, scan, type, PG_NARGS() == 5);
	if (type->lifted == NUMERICOID)
		window_keeps(call, 0, &scan->at, at_type);
	x.x = DatumGetFloat8(window_arg(call, 0, &no_value));
	at = at_arg(call, type, 1, &no_at);
	if (!no_value && !no_at)
	{
		at_check_finite(type, at);
		x.at = ema_at(scan, type, at, head);
		if (type->lifted == NUMERICOID)
			retained_set(&scan->at, at_type, at, false, call->memory);
	}
	return window_step(call, scan, &line, &scan->param.ema_by_time, no_value || no_at ? NULL : &x, head,
					   SCAN_INCLUSIVE);
}

#define EMA_BY_TIME(NAME, TYPE) SCAN_ENTRY(scan_ema_##NAME, ema_by_time(fcinfo, &at_##TYPE))

EMA_BY_TIME(by_time, timestamptz)
EMA_BY_TIME(date, date)
EMA_BY_TIME(timestamp, timestamp)
EMA_BY_TIME(by_int8, int8)
EMA_BY_TIME(by_float8, float8)
EMA_BY_TIME(by_numeric, numeric)
EMA_BY_TIME(adjusted_timestamptz, timestamptz)
EMA_BY_TIME(adjusted_date, date)
EMA_BY_TIME(adjusted_timestamp, timestamp)
EMA_BY_TIME(adjusted_int8, int8)
EMA_BY_TIME(adjusted_float8, float8)
EMA_BY_TIME(adjusted_numeric, numeric)
