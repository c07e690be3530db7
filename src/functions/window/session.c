/*
 * session.c: scan_session(at, gap, reset), which numbers the sessions of a partition from 1. A new session begins where
 * `at` is more than `gap` after the last `at` that was not NULL.
 *
 * One loop serves eight types; a SessionKind says how each type compares. Steps are exact: no difference of two int8 or
 * two doubles is rounded or overflows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "functions/window/scan_row.h"
#include "op/exact.h"

typedef struct SessionKind
{
	bool (*negative)(Datum gap);

	/* True if at > previous + gap. */
	bool (*apart)(Datum previous, Datum at, Datum gap);

	PGFunction lift;   /* converts `at` to the type that `apart` takes; NULL: not converted */
	Oid		   lifted; /* the type that `lift` returns */
} SessionKind;

typedef struct Session
{
	WindowConstant gap;
	bool		   checked;
	RetainedDatum  previous; /* the last `at`; present: the segment had one */
	int64		   number;
} Session;

/* Returns the type of the values that are compared. */
static const RetainedType *
session_type(WindowCall *call, const SessionKind *kind)
{
	if (kind->lift == NULL)
		return &call->type[0];
	if (unlikely(call->detail == NULL))
	{
		call->detail = MemoryContextAlloc(call->fcinfo->flinfo->fn_mcxt, sizeof(RetainedType));
		*(RetainedType *) call->detail = retained_type(kind->lifted);
	}
	return (const RetainedType *) call->detail;
}

static Datum
session(FunctionCallInfo fcinfo, const SessionKind *kind)
{
	WindowCall		   *call = window_call(fcinfo);
	Session			   *session = (Session *) window_state(call, sizeof(Session));
	Datum				gap = window_constant_not_null(call, &session->gap, 1, "gap");
	const RetainedType *type = session_type(call, kind);
	bool				isnull;
	Datum				at;

	if (!session->checked && kind->negative(gap))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"gap\" must not be negative: %s", window_arg_text(call, 1, gap, false)),
						errhint("It is the longest step within a session: the later value minus the earlier one.")));
	session->checked = true;
	window_keeps(call, 0, &session->previous, type);
	window_keeps_bytes(call, &session->number, sizeof(session->number));
	if (window_flag(call, 2))
		retained_clear(&session->previous);

	at = window_arg(call, 0, &isnull);
	if (!isnull)
	{
		if (kind->lift != NULL)
			at = DirectFunctionCall1(kind->lift, at);
		if (!session->previous.present)
			session->number = 1;
		else if (kind->apart(session->previous.value, at, gap))
			session->number++;
		retained_set(&session->previous, type, at, false, call->memory);
	}
	if (!session->previous.present)
		PG_RETURN_NULL();
	PG_RETURN_INT64(session->number);
}

/* ---- integers ---- */

static bool
integer_negative(Datum gap)
{
	return DatumGetInt64(gap) < 0;
}

/* The difference of two int8 as an unsigned number cannot overflow. */
static bool
integer_apart(Datum previous, Datum at, Datum gap)
{
	return DatumGetInt64(at) > DatumGetInt64(previous) &&
		   (uint64) DatumGetInt64(at) - (uint64) DatumGetInt64(previous) > (uint64) DatumGetInt64(gap);
}

/* ---- floats and numeric ---- */

static bool
float_negative(Datum gap)
{
	return !(DatumGetFloat8(gap) >= 0); /* a NaN is refused, too */
}

/*
 * True if at > previous + gap. If one of the three is infinite or NaN, the comparison follows core's order, in which
 * NaN is after everything. Otherwise it is a comparison of real numbers: the sign of the exact sum at - previous - gap.
 */
static bool
float_apart(Datum previous, Datum at, Datum gap)
{
	double	 from = DatumGetFloat8(previous);
	double	 to = DatumGetFloat8(at);
	double	 span = DatumGetFloat8(gap);
	double	 excess;
	ExactSum sum;

	if (!isfinite(from) || !isfinite(span))
		return float_less(from + span, to);
	if (!isfinite(to))
		return float_less(from, to);
	exact_lift(to, &sum);
	exact_accumulate(&sum, -from);
	exact_accumulate(&sum, -span);
	(void) exact_round(&sum, &excess);
	return excess > 0;
}

static bool
numeric_negative(Datum gap)
{
	return numeric_is_nan(DatumGetNumeric(gap)) ||
		   DatumGetBool(DirectFunctionCall2(numeric_lt, gap, NumericGetDatum(int64_to_numeric(0))));
}

static bool
numeric_apart(Datum previous, Datum at, Datum gap)
{
	/* core's order is right: Infinity + gap is Infinity, and only NaN is greater */
	return DatumGetBool(DirectFunctionCall2(numeric_gt, at, DirectFunctionCall2(numeric_add, previous, gap)));
}

/* ---- moments, with a gap by the calendar ---- */

static bool
interval_negative(Datum gap)
{
	Interval zero = {0};

	return DatumGetBool(DirectFunctionCall2(interval_lt, gap, IntervalPGetDatum(&zero)));
}

#define FOUR_HUNDRED_YEARS (INT64CONST(146097) * USECS_PER_DAY)
#define FORTY_THOUSAND_YEARS (100 * FOUR_HUNDRED_YEARS)

/* No time zone has left its local mean time before the year 1800. */
#define LOCAL_MEAN_TIME_ENDS (MIN_TIMESTAMP + 16 * FOUR_HUNDRED_YEARS)

/*
 * Returns how many microseconds, a multiple of 400 years, a moment is moved before `add` computes the end of the gap.
 *
 * Core adds the months first, then the days, then the time, and raises an error if a step leaves the range of the
 * type, even if the next step returns.  The calendar repeats every 400 years.  A moment near the end of time is moved
 * 40000 years back.  A moment from which negative months or days lead before the beginning of time, or within two days
 * of it in local time, is moved as far as they lead; a timestamptz only if all steps stay where time zones have their
 * local mean time, since another offset from UTC would move the end of the gap.
 */
static int64
moved_for_gap(Timestamp from, const Interval *span, bool is_zoned)
{
	int64		earliest_month = (int64) span->month * (span->month < 0 ? 31 : 28); /* in days */
	int64		latest_month = (int64) span->month * (span->month < 0 ? 28 : 31);
	scan_int128 back = (scan_int128) (Max(-Min(earliest_month, earliest_month + span->day), 0) + 2) * USECS_PER_DAY;
	scan_int128 forth = (scan_int128) Max(Max(latest_month, latest_month + span->day), 0) * USECS_PER_DAY +
						Max(span->time, 0);
	scan_int128 missing = MIN_TIMESTAMP + back - (scan_int128) from;
	scan_int128 shift;

	if (from > END_TIMESTAMP - FORTY_THOUSAND_YEARS)
		return -FORTY_THOUSAND_YEARS;
	if (missing <= 0)
		return 0;
	shift = (missing / FOUR_HUNDRED_YEARS + 1) * FOUR_HUNDRED_YEARS;
	if (from + shift + forth >= (is_zoned ? LOCAL_MEAN_TIME_ENDS : END_TIMESTAMP))
		return 0;
	return (int64) shift;
}

/*
 * True if at > previous + gap, where `add` is core's timestamp + interval. A day has `day` microseconds; 0 if that
 * depends on the time zone. The calendar is asked only where it matters: a gap without months or days is a number of
 * microseconds, and any gap is at least as long as its months and days at their shortest.
 */
static bool
moment_apart(Datum previous, Datum at, Datum gap, int64 day, PGFunction add)
{
	Timestamp		from = DatumGetTimestamp(previous);
	Timestamp		to = DatumGetTimestamp(at);
	const Interval *span = DatumGetIntervalP(gap);
	scan_int128		shortest;
	int64			shift;

	if (to <= from || TIMESTAMP_NOT_FINITE(from) || TIMESTAMP_NOT_FINITE(to))
		return to > from;
	if (span->month == 0 && (span->day == 0 || day != 0))
		return (scan_int128) to - from > span->time + (scan_int128) span->day * day;
	shortest = (scan_int128) span->month * (span->month > 0 ? 28 : 32) * USECS_PER_DAY;
	shortest += (scan_int128) span->day * (USECS_PER_DAY + (span->day > 0 ? -1 : 1) * 2 * USECS_PER_HOUR);
	shortest += span->time - 4 * USECS_PER_HOUR; /* the offset from UTC may change, too */
	if ((scan_int128) to - from <= shortest)
		return false;
	shift = moved_for_gap(from, span, day == 0);
	/* `to`, moved by the shift, may be out of the type's range: hence 128 bits */
	return (scan_int128) to + shift > DatumGetTimestamp(DirectFunctionCall2(add, TimestampGetDatum(from + shift), gap));
}

static bool
timestamp_apart(Datum previous, Datum at, Datum gap)
{
	return moment_apart(previous, at, gap, USECS_PER_DAY, timestamp_pl_interval);
}

static bool
timestamptz_apart(Datum previous, Datum at, Datum gap)
{
	return moment_apart(previous, at, gap, 0, timestamptz_pl_interval);
}

/* ---- the entry points ---- */

#define SESSION(TYPE, ...)                             \
	PG_FUNCTION_INFO_V1(scan_session_##TYPE);          \
	Datum scan_session_##TYPE(PG_FUNCTION_ARGS)        \
	{                                                  \
		static const SessionKind kind = {__VA_ARGS__}; \
                                                       \
		return session(fcinfo, &kind);                 \
	}

SESSION(int2, integer_negative, integer_apart, int28, INT8OID)
SESSION(int4, integer_negative, integer_apart, int48, INT8OID)
SESSION(int8, integer_negative, integer_apart, NULL, INT8OID)
SESSION(float8, float_negative, float_apart, NULL, FLOAT8OID)
SESSION(numeric, numeric_negative, numeric_apart, NULL, NUMERICOID)
SESSION(date, interval_negative, timestamp_apart, date_timestamp, TIMESTAMPOID)
SESSION(timestamp, interval_negative, timestamp_apart, NULL, TIMESTAMPOID)
SESSION(timestamptz, interval_negative, timestamptz_apart, NULL, TIMESTAMPTZOID)
