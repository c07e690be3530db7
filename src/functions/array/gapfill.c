/*
 * gapfill.c: scan_gapfill(at, step, from, to): the starts of the buckets that hold none of an array's times.
 *
 * Bucket i begins at from + i * step, by the calendar for times, so that months are counted from `from`, and ends where
 * the next one begins.  The times are sorted, and buckets and times are gone through side by side.  A start is returned
 * as soon as it is found, so that a LIMIT above ends the search.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/date.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "call/entry.h"
#include "compat.h"
#include "error.h"
#include "functions/window/at.h"

typedef struct GapType
{
	const AtType *at;
	/* Returns from + i * step, of lifted values.  Sets *is_out if the type cannot hold it. */
	Datum (*start)(Datum from, Datum step, int64 i, bool *is_out);
	PGFunction lower; /* converts a start to the type of the result; NULL: not converted */
} GapType;

/* A call. */
typedef struct Gapfill
{
	const GapType *type;
	Datum		   step, from, to;
	bool		   has_to;
	Datum		  *time; /* sorted */
	int64		   times;
	int64		   next;	 /* the first time that is not before the next bucket */
	int64		   i;		 /* the next bucket */
	Datum		   start;	 /* where it begins */
	Datum		   returned; /* the start that was returned last */
	bool		   ended;
} Gapfill;

/* ---- the types ---- */

static Datum
integer_start(Datum from, Datum step, int64 i, bool *is_out)
{
	int64 distance = 0, start = 0;

	*is_out = pg_mul_s64_overflow(DatumGetInt64(step), i, &distance) ||
			  pg_add_s64_overflow(DatumGetInt64(from), distance, &start);
	return Int64GetDatum(start);
}

static Datum
numeric_start(Datum from, Datum step, int64 i, bool *is_out)
{
	Datum times = NumericGetDatum(int64_to_numeric(i));
	Datum distance = DirectFunctionCall2(numeric_mul, step, times);
	Datum start = DirectFunctionCall2(numeric_add, from, distance);

	pfree(DatumGetPointer(times));
	pfree(DatumGetPointer(distance));
	return start;
}

/* The end of a type's range is only met if `to` is there, so an error of core's is right. */
static Datum
moment_start(Datum from, Datum step, int64 i, PGFunction add, bool *is_out)
{
	const Interval *one = DatumGetIntervalP(step);
	Interval		span = {0};
	int64			months, days;

	*is_out = pg_mul_s64_overflow(one->time, i, &span.time) || pg_mul_s64_overflow(one->month, i, &months) ||
			  pg_mul_s64_overflow(one->day, i, &days) || months > PG_INT32_MAX || days > PG_INT32_MAX;
	if (*is_out)
		return (Datum) 0;
	span.month = (int32) months;
	span.day = (int32) days;
	return DirectFunctionCall2(add, from, IntervalPGetDatum(&span));
}

static Datum
timestamp_start(Datum from, Datum step, int64 i, bool *is_out)
{
	return moment_start(from, step, i, timestamp_pl_interval, is_out);
}

static Datum
timestamptz_start(Datum from, Datum step, int64 i, bool *is_out)
{
	return moment_start(from, step, i, timestamptz_pl_interval, is_out);
}

static const GapType gap_timestamptz = {&at_timestamptz, timestamptz_start, NULL};
static const GapType gap_timestamp = {&at_timestamp, timestamp_start, NULL};
static const GapType gap_date = {&at_date, timestamp_start, timestamp_date};
static const GapType gap_int8 = {&at_int8, integer_start, NULL};
static const GapType gap_int4 = {&at_int4, integer_start, int84};
static const GapType gap_numeric = {&at_numeric, numeric_start, NULL};

/* ---- the arguments ---- */

/* Returns a value of the arguments, lifted, in the current context. */
static Datum
gap_value(const GapType *type, Datum value)
{
	if (type->at->lift != NULL)
		return DirectFunctionCall1(type->at->lift, value);
	return type->at->lifted == NUMERICOID ? NumericGetDatum(DatumGetNumericCopy(value)) : value;
}

/* Reads argument `arg`, a bound.  Returns false if it is NULL. */
static bool
gap_bound(FunctionCallInfo fcinfo, const GapType *type, int arg, const char *name, Datum *bound)
{
	if (PG_ARGISNULL(arg))
		return false;
	*bound = gap_value(type, PG_GETARG_DATUM(arg));
	if (!type->at->finite(*bound))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("argument \"%s\" must be finite", name),
				 errhint("Write NULL instead: then the buckets begin with the first time, or end with the last one.")));
	return true;
}

/* True if a step leads forward from everywhere. */
static bool
step_is_positive(const GapType *type, Datum step)
{
	const Interval *span = DatumGetIntervalP(step);

	if (type->at->limit == INT8OID)
		return DatumGetInt64(step) > 0;
	if (type->at->limit == NUMERICOID)
		return type->at->finite(step) && type->at->before(NumericGetDatum(int64_to_numeric(0)), step);
	return span->month >= 0 && span->day >= 0 && span->time >= 0 &&
		   (span->month > 0 || span->day > 0 || span->time > 0);
}

static Datum
gap_step(FunctionCallInfo fcinfo, const GapType *type)
{
	Datum step = PG_GETARG_DATUM(1);

	if (PG_ARGISNULL(1))
		scan_raise_null("step");
	if (type->at == &at_int4)
		step = Int64GetDatum(DatumGetInt32(step));
	else if (type->at->limit == NUMERICOID)
		step = NumericGetDatum(DatumGetNumericCopy(step));
	else if (type->at->limit == INTERVALOID)
		step = datumCopy(step, false, sizeof(Interval));
	if (!step_is_positive(type, step))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"step\" must be positive: %s", window_text(type->at->limit, step, false)),
						errhint("\"step\" is the width of a bucket. Of an interval, neither months, days nor time may "
								"be negative.")));
	if (type->at == &at_date && DatumGetIntervalP(step)->time % USECS_PER_DAY != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"step\" must be whole days for dates: %s", window_text(INTERVALOID, step, false)),
				 errhint("Cast the dates to timestamp for shorter steps.")));
	return step;
}

static int
compare_times(const void *a, const void *b, void *arg)
{
	const AtType *type = (const AtType *) arg;

	CHECK_FOR_INTERRUPTS();
	return type->before(*(const Datum *) a, *(const Datum *) b)	  ? -1
		   : type->before(*(const Datum *) b, *(const Datum *) a) ? 1
																  : 0;
}

/* Reads the array, if it is not NULL, and sorts its times. */
static void
gap_times(FunctionCallInfo fcinfo, Gapfill *gapfill)
{
	ArrayType *array;
	Datum	  *element;
	bool	  *isnull;
	int		   n;
	int16	   length;
	bool	   by_value;
	char	   align;

	if (PG_ARGISNULL(0))
		return;
	array = PG_GETARG_ARRAYTYPE_P(0);
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, align, &element, &isnull, &n);
	gapfill->time = element;
	for (int k = 0; k < n; k++)
	{
		if (isnull[k])
			continue;
		element[gapfill->times] = gap_value(gapfill->type, element[k]);
		at_check_finite(gapfill->type->at, element[gapfill->times++]);
	}
	qsort_arg(gapfill->time, gapfill->times, sizeof(Datum), compare_times, unconstify(AtType *, gapfill->type->at));
}

static Gapfill *
gapfill_begin(FunctionCallInfo fcinfo, const GapType *type)
{
	Gapfill *gapfill = (Gapfill *) palloc(sizeof(Gapfill));

	*gapfill = (Gapfill){.type = type, .step = gap_step(fcinfo, type)};
	gap_times(fcinfo, gapfill);
	gapfill->has_to = gap_bound(fcinfo, type, 3, "to", &gapfill->to);
	if (!gap_bound(fcinfo, type, 2, "from", &gapfill->from))
	{
		gapfill->ended = gapfill->times == 0;
		gapfill->from = gapfill->ended ? (Datum) 0 : gapfill->time[0];
	}
	if (!gapfill->ended)
		gapfill->start = type->start(gapfill->from, gapfill->step, 0, &gapfill->ended);
	return gapfill;
}

/* ---- the buckets ---- */

/* True if the next bucket begins where no bucket is asked for. */
static bool
gapfill_is_over(const Gapfill *gapfill)
{
	const AtType *at = gapfill->type->at;

	if (gapfill->ended)
		return true;
	if (gapfill->has_to)
		return !at->before(gapfill->start, gapfill->to);
	return gapfill->times == 0 || at->before(gapfill->time[gapfill->times - 1], gapfill->start);
}

/* Frees a start, if it is a pointer. */
static void
gapfill_free(const Gapfill *gapfill, Datum start)
{
	if (gapfill->type->at->lifted == NUMERICOID && start != (Datum) 0)
		pfree(DatumGetPointer(start));
}

/* Goes to the next bucket without a time, and returns true, and where it begins; false: there is none. */
static bool
gapfill_next(Gapfill *gapfill, Datum *start, MemoryContext memory)
{
	const AtType *at = gapfill->type->at;

	gapfill_free(gapfill, gapfill->returned);
	gapfill->returned = (Datum) 0;
	while (!gapfill_is_over(gapfill))
	{
		MemoryContext old = MemoryContextSwitchTo(memory);
		Datum		  end = gapfill->type->start(gapfill->from, gapfill->step, ++gapfill->i, &gapfill->ended);
		bool		  holds;

		MemoryContextSwitchTo(old);
		CHECK_FOR_INTERRUPTS();
		while (gapfill->next < gapfill->times && at->before(gapfill->time[gapfill->next], gapfill->start))
			gapfill->next++;
		holds = gapfill->next < gapfill->times && (gapfill->ended || at->before(gapfill->time[gapfill->next], end));
		*start = gapfill->start;
		gapfill->start = end;
		/* where a time zone has left out a day, a bucket may be empty of time */
		if (!holds && (gapfill->ended || at->before(*start, end)))
		{
			gapfill->returned = *start;
			return true;
		}
		gapfill_free(gapfill, *start);
	}
	return false;
}

static Datum
gapfill_call(FunctionCallInfo fcinfo, const GapType *type)
{
	FuncCallContext *context;
	Datum			 start;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;

		context = SRF_FIRSTCALL_INIT();
		old = MemoryContextSwitchTo(context->multi_call_memory_ctx);
		context->user_fctx = gapfill_begin(fcinfo, type);
		MemoryContextSwitchTo(old);
	}
	context = SRF_PERCALL_SETUP();
	if (!gapfill_next((Gapfill *) context->user_fctx, &start, context->multi_call_memory_ctx))
		SRF_RETURN_DONE(context);
	if (type->lower != NULL)
		start = DirectFunctionCall1(type->lower, start);
	SRF_RETURN_NEXT(context, start);
}

#define GAPFILL(TYPE) SCAN_ENTRY(scan_gapfill_##TYPE, gapfill_call(fcinfo, &gap_##TYPE))

GAPFILL(timestamptz)
GAPFILL(timestamp)
GAPFILL(date)
GAPFILL(int8)
GAPFILL(int4)
GAPFILL(numeric)
