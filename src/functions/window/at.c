/*
 * at.c: the types of the argument `at` (at.h).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "error.h"
#include "functions/window/at.h"
#include "number/exact_numeric.h"
#include "op/exact.h"

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

static bool
integer_before(Datum a, Datum b)
{
	return DatumGetInt64(a) < DatumGetInt64(b);
}

static bool
integer_finite(Datum at)
{
	return true;
}

static Step
integer_step(Datum from, Datum to)
{
	return step_of_integer((uint64) DatumGetInt64(to) - (uint64) DatumGetInt64(from));
}

/* ---- floats and numeric ---- */

static bool
float_negative(Datum gap)
{
	return !(DatumGetFloat8(gap) >= 0); /* a NaN is refused, too */
}

/*
 * True if at > previous + gap.  If one of the three is infinite or NaN, the comparison follows core's order, in which
 * NaN is after everything.  Otherwise it is a comparison of real numbers: the sign of the exact sum at - previous -
 * gap.
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

/* Infinity added to -Infinity is NaN, which is after everything. */
static bool
float_ends_later(Datum earlier, Datum later, Datum gap)
{
	double span = DatumGetFloat8(gap);

	if (isfinite(DatumGetFloat8(earlier)) && isfinite(span))
		return false;
	return float_less(DatumGetFloat8(later) + span, DatumGetFloat8(earlier) + span);
}

static bool
float_before(Datum a, Datum b)
{
	return float_less(DatumGetFloat8(a), DatumGetFloat8(b));
}

static bool
float_finite(Datum at)
{
	return isfinite(DatumGetFloat8(at));
}

static Step
float_step(Datum from, Datum to)
{
	return step_of_doubles(DatumGetFloat8(from), DatumGetFloat8(to));
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

/* As float_ends_later(). */
static bool
numeric_ends_later(Datum earlier, Datum later, Datum gap)
{
	return numeric_is_inf(DatumGetNumeric(earlier)) &&
		   numeric_apart(later, DirectFunctionCall2(numeric_add, earlier, gap), gap);
}

/* ---- limits that are numeric, where `at` is not ---- */

static bool
integer_apart_numeric(Datum previous, Datum at, Datum gap)
{
	return numeric_apart(NumericGetDatum(int64_to_numeric(DatumGetInt64(previous))),
						 NumericGetDatum(int64_to_numeric(DatumGetInt64(at))), gap);
}

static bool
rounded_negative(Datum gap)
{
	return float_negative(DirectFunctionCall1(numeric_float8, gap));
}

static bool
float_apart_rounded(Datum previous, Datum at, Datum gap)
{
	return float_apart(previous, at, DirectFunctionCall1(numeric_float8, gap));
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
 * Core adds the months first, then the days, then the time, and raises an error if a step leaves the range of the type,
 * even if the next step returns.  The calendar repeats every 400 years.  A moment near the end of time is moved 40000
 * years back.  A moment from which negative months or days lead before the beginning of time, or within two days of it
 * in local time, is moved as far as they lead; a timestamptz only if all steps stay where time zones have their local
 * mean time, since another offset from UTC would move the end of the gap.
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
 * Returns a time, in microseconds, that the gap is at least as long as, from any moment.
 *
 * A month has 28 days at least, and going back 31 at most.  In a time zone, core adds the months, and then the days, to
 * the local time: each of the two steps takes an offset from UTC away and adds another one.  Core assumes that all
 * offsets are less than 24 hours, so a step is less than two days shorter than its days say.  The dates that a zone
 * left out when it changed sides of the date line, as Apia did in 2011, come near that.
 */
static scan_int128
shortest_gap(const Interval *span, bool is_zoned)
{
	scan_int128 days = (scan_int128) span->month * (span->month > 0 ? 28 : 31) + span->day;
	int			steps = (span->month != 0) + (span->day != 0);

	return (days - (is_zoned ? 2 * steps : 0)) * USECS_PER_DAY + span->time;
}

/*
 * True if at > previous + gap, where `add` is core's timestamp + interval, and at > previous: a gap whose months, days
 * and time have different signs may lead back from some moments, though as an interval it is not negative.  A day has
 * `day` microseconds; 0 if that depends on the time zone.  The calendar is asked only where it matters: a gap without
 * months or days is a number of microseconds, and no gap ends before shortest_gap() has passed.
 */
static bool
moment_apart(Datum previous, Datum at, Datum gap, int64 day, PGFunction add)
{
	Timestamp		from = DatumGetTimestamp(previous);
	Timestamp		to = DatumGetTimestamp(at);
	const Interval *span = DatumGetIntervalP(gap);
	int64			shift;

	if (to <= from || TIMESTAMP_NOT_FINITE(from) || TIMESTAMP_NOT_FINITE(to))
		return to > from;
	if (span->month == 0 && (span->day == 0 || day != 0))
		return (scan_int128) to - from > span->time + (scan_int128) span->day * day;
	if ((scan_int128) to - from <= shortest_gap(span, day == 0))
		return false;
	shift = moved_for_gap(from, span, day == 0);
	/* `to`, moved by the shift, may be out of the type's range: hence 128 bits */
	return (scan_int128) to + shift > DatumGetTimestamp(DirectFunctionCall2(add, TimestampGetDatum(from + shift), gap));
}

/*
 * Months, and in a time zone days, lead from two moments that are less than a month apart to ends that may be in the
 * other order.  The calendar is asked only there, and only for ends that the type can hold.
 */
static bool
moment_ends_later(Datum earlier, Datum later, Datum gap, int64 day, PGFunction add)
{
	Timestamp		from = DatumGetTimestamp(earlier);
	Timestamp		to = DatumGetTimestamp(later);
	const Interval *span = DatumGetIntervalP(gap);
	scan_int128		longest = ((scan_int128) span->month * 31 + span->day + 4) * USECS_PER_DAY + span->time;
	int64			shift;

	if (TIMESTAMP_NOT_FINITE(from) || TIMESTAMP_NOT_FINITE(to) || (span->month == 0 && (span->day == 0 || day != 0)) ||
		(scan_int128) to - from > 31 * USECS_PER_DAY)
		return false;
	shift = moved_for_gap(from, span, day == 0);
	if ((scan_int128) to + shift + Max(longest, 0) >= END_TIMESTAMP)
		return false;
	from = Max(from + shift, DatumGetTimestamp(DirectFunctionCall2(add, TimestampGetDatum(from + shift), gap)));
	return from > Max(to + shift, DatumGetTimestamp(DirectFunctionCall2(add, TimestampGetDatum(to + shift), gap)));
}

static bool
timestamp_ends_later(Datum earlier, Datum later, Datum gap)
{
	return moment_ends_later(earlier, later, gap, USECS_PER_DAY, timestamp_pl_interval);
}

static bool
timestamptz_ends_later(Datum earlier, Datum later, Datum gap)
{
	return moment_ends_later(earlier, later, gap, 0, timestamptz_pl_interval);
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

/* ---- dates, with a gap that is a number of days: midnights, as above ---- */

static bool
days_negative(Datum gap)
{
	return DatumGetInt32(gap) < 0;
}

static bool
days_apart(Datum previous, Datum at, Datum gap)
{
	Interval span = {.day = DatumGetInt32(gap)};

	return timestamp_apart(previous, at, IntervalPGetDatum(&span));
}

static bool
moment_finite(Datum at)
{
	return !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(at));
}

/* ---- the types ---- */

#define INTEGERS(NEGATIVE, APART) NEGATIVE, APART, integer_before, integer_finite, integer_step, 1
#define FLOATS(NEGATIVE, APART) NEGATIVE, APART, float_before, float_finite, float_step, 1
#define NUMERICS numeric_negative, numeric_apart, numeric_is_less, numeric_is_finite, NULL, 1
#define MOMENTS(NEGATIVE, APART) NEGATIVE, APART, integer_before, moment_finite, integer_step, USECS_PER_SEC

const AtType at_int2 = {INTEGERS(integer_negative, integer_apart), int28, INT8OID, INT8OID};
const AtType at_int4 = {INTEGERS(integer_negative, integer_apart), int48, INT8OID, INT8OID};
const AtType at_int8 = {INTEGERS(integer_negative, integer_apart), NULL, INT8OID, INT8OID};
const AtType at_int2_numeric = {INTEGERS(numeric_negative, integer_apart_numeric), int28, INT8OID, NUMERICOID};
const AtType at_int4_numeric = {INTEGERS(numeric_negative, integer_apart_numeric), int48, INT8OID, NUMERICOID};
const AtType at_int8_numeric = {INTEGERS(numeric_negative, integer_apart_numeric), NULL, INT8OID, NUMERICOID};
const AtType at_float8 = {FLOATS(float_negative, float_apart), NULL, FLOAT8OID, FLOAT8OID, float_ends_later};
const AtType at_float8_numeric = {FLOATS(rounded_negative, float_apart_rounded), NULL, FLOAT8OID, NUMERICOID};
const AtType at_numeric = {NUMERICS, NULL, NUMERICOID, NUMERICOID, numeric_ends_later};
const AtType at_date = {MOMENTS(interval_negative, timestamp_apart), date_timestamp, TIMESTAMPOID, INTERVALOID,
						timestamp_ends_later};
const AtType at_days = {MOMENTS(days_negative, days_apart), date_timestamp, TIMESTAMPOID, INT4OID};
const AtType at_timestamp = {MOMENTS(interval_negative, timestamp_apart), NULL, TIMESTAMPOID, INTERVALOID,
							 timestamp_ends_later};
const AtType at_timestamptz = {MOMENTS(interval_negative, timestamptz_apart), NULL, TIMESTAMPTZOID, INTERVALOID,
							   timestamptz_ends_later};

/* ---- rows ---- */

const RetainedType *
at_retained_type(WindowCall *call, const AtType *type, int arg)
{
	if (type->lift == NULL)
		return &call->type[arg];
	if (unlikely(call->detail == NULL))
	{
		call->detail = MemoryContextAlloc(call->fcinfo->flinfo->fn_mcxt, sizeof(RetainedType));
		*(RetainedType *) call->detail = retained_type(type->lifted);
	}
	return (const RetainedType *) call->detail;
}

void
at_check_order(const AtType *type, Datum previous, Datum at)
{
	if (unlikely(type->before(at, previous)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("argument \"at\" must not run backwards"),
						errdetail("A row has %s, but an earlier row has %s.", window_text(type->lifted, at, false),
								  window_text(type->lifted, previous, false)),
						errhint(SCAN_BACKWARDS_HINT)));
}

void
at_retain(WindowCall *call, RetainedDatum *last, const AtType *type, const RetainedType *at_type, Datum at)
{
	if (last->present)
		at_check_order(type, last->value, at);
	retained_set(last, at_type, at, false, call->memory);
}

void
at_check_finite(const AtType *type, Datum at)
{
	if (unlikely(!type->finite(at)))
		ereport(ERROR,
				(errcode(type->unit == 1 ? ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE : ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("argument \"at\" must be finite"),
				 errhint("Write NULL instead: rows whose \"at\" is NULL are skipped.")));
}

NullableDatum
at_limit(WindowCall *call, const AtType *type, WindowConstant *constant, int arg, const char *name, const char *hint)
{
	bool		  is_first = !constant->present;
	NullableDatum limit = window_constant(call, constant, arg, name);

	if (unlikely(is_first) && !limit.isnull && type->negative(limit.value))
		at_raise_negative(type, name, limit.value, hint);
	return limit;
}

void
at_raise_negative(const AtType *type, const char *name, Datum limit, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("argument \"%s\" must not be negative: %s", name, window_text(type->limit, limit, false)),
					errhint("%s", hint)));
}
