/*
 * bucket_average.c: scan_time_average(summary, lower, upper): the average over the time from `lower` to `upper` of what
 * the aggregate time_summary has of a bucket's rows (number/exact_state.h), of the last row before the bucket and, for
 * lines, of the first row after it.
 *
 * With 'previous', the value before the bucket is a row at `lower`, and the last value is one at `upper`: the area of
 * all (op/time_area.h) is exact.  Of lines, what a bound cuts off is a fraction of a step.  There, numerics hold the
 * exact numerator and denominator of the average, which is rounded once.  A bucket has one such division, whatever
 * number of rows it has.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "call/entry.h"
#include "compat.h"
#include "error.h"
#include "functions/window/argument.h"
#include "number/exact_numeric.h"
#include "number/exact_state.h"
#include "number/time_argument.h"

#define BOUNDS_HINT \
	"Give the bounds of the bucket, as in scan_time_average(summary, bucket, bucket + interval '1 hour')."

typedef struct Buckets
{
	bool	   started, has_before;
	TimedPoint before; /* the last row of the buckets before */
	int64	   flags;  /* TimeArea.flags; -1: no bucket had rows */

	/* the next bucket that has rows */
	int64	   next;  /* the first row of the window that was not read ahead */
	int64	   found; /* where it is; -1: none was found */
	bool	   ended; /* all rows were read ahead */
	TimedPoint after; /* its first row */
} Buckets;

/* What is averaged. */
typedef struct Bucket
{
	TimeArea		  area;			  /* of its rows */
	const TimedPoint *before, *after; /* NULL: there is none */
	int64			  lower, upper;
} Bucket;

/* Returns a bound.  The same types as those of `at` have it. */
static int64
bucket_bound(WindowCall *call, int arg, Oid type, const char *name)
{
	bool  isnull;
	Datum bound = window_arg(call, arg, &isnull);

	if (isnull)
		scan_raise_null(name);
	if (type == FLOAT8OID ? !isfinite(DatumGetFloat8(bound))
		: type == DATEOID ? DATE_NOT_FINITE(DatumGetDateADT(bound))
						  : type != INT8OID && TIMESTAMP_NOT_FINITE(DatumGetTimestamp(bound)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("argument \"%s\" must be finite", name),
						errhint(BOUNDS_HINT)));
	return time_argument(type, bound);
}

static void
raise_bounds(const char *message)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", message), errhint(BOUNDS_HINT)));
}

static void
check_bucket(const Buckets *buckets, const Bucket *bucket, int64 flags)
{
	const TimeArea *area = &bucket->area;

	if (!time_is_before(flags, bucket->lower, bucket->upper))
		raise_bounds("argument \"lower\" must be before \"upper\"");
	if (buckets->has_before && time_is_before(flags, bucket->lower, buckets->before.at))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"lower\" must not be before a row of an earlier bucket"),
						errhint("Begin the window's ORDER BY with \"lower\", and use PARTITION BY to keep different "
								"series apart.")));
	if (area->rows > 0 &&
		(time_is_before(flags, area->first.at, bucket->lower) || time_is_before(flags, bucket->upper, area->last.at)))
		raise_bounds("argument \"summary\" must not have rows before \"lower\" or after \"upper\"");
}

/* Reads a summary.  Returns false if it is NULL or has no rows. */
static bool
read_summary(Buckets *buckets, Datum summary, bool isnull, Oid type, TimeArea *area)
{
	memset(area, 0, sizeof(*area));
	if (isnull)
		return false;
	exact_state_view(summary, EXACT_STATE_TIMES, area);
	if (area->rows == 0)
		return false;
	if (((area->flags & TIME_AREA_DOUBLES) != 0) != (type == FLOAT8OID))
		raise_bounds("the bounds must have the type of \"at\"");
	if (buckets->flags >= 0 && buckets->flags != area->flags)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"method\" of time_summary must not change within a partition"),
						errhint("Pass all calls of time_summary in the window's query the same \"method\".")));
	buckets->flags = area->flags;
	return true;
}

/* Finds the first row after the current bucket. */
static void
look_after(WindowCall *call, Buckets *buckets, Oid type)
{
	int64 row = window_position(call);

	buckets->next = Max(buckets->next, row + 1);
	while (buckets->found <= row && !buckets->ended)
	{
		bool	 isnull;
		Datum	 summary = window_ahead(call, 0, buckets->next, false, &isnull, &buckets->ended);
		TimeArea area;

		if (!buckets->ended && read_summary(buckets, summary, isnull, type, &area))
		{
			buckets->found = buckets->next;
			buckets->after = area.first;
		}
		buckets->next++;
	}
}

/* ---- values that hold ---- */

static ScanStatus
average_previous(const Bucket *bucket, int64 flags, double *y)
{
	ContextMemory memory;
	TimeArea	  all = {.flags = flags};
	TimedPoint	  end;

	context_memory(&memory, CurrentMemoryContext);
	if (bucket->before != NULL)
	{
		TimedPoint start = {bucket->before->value, bucket->lower};

		(void) time_area_take(&all, &memory.memory, &start);
	}
	(void) time_area_join(&all, &memory.memory, &bucket->area);
	if (all.rows == 0)
		return SCAN_NULL;
	end = (TimedPoint){all.last.value, bucket->upper};
	(void) time_area_take(&all, &memory.memory, &end);
	return time_area_average(&all, y);
}

/* ---- lines ---- */

/* Returns to - from. */
static Datum
elapsed(int64 flags, int64 from, int64 to)
{
	if ((flags & TIME_AREA_DOUBLES) != 0)
		return DirectFunctionCall2(numeric_sub, exact_numeric(double_from_bits((uint64) to)),
								   exact_numeric(double_from_bits((uint64) from)));
	return DirectFunctionCall2(numeric_sub, NumericGetDatum(int64_to_numeric(to)),
							   NumericGetDatum(int64_to_numeric(from)));
}

/* Returns twice the area of the rows. */
static Datum
area_of_rows(const TimeArea *area)
{
	uint64 limb[LONG_SUM_LIMBS];
	Long   sum;
	Datum  result;

	time_area_read(area, limb, &sum);
	if (sum.n == 0)
		return numeric_literal("0");
	result = numeric_of_limbs(limb, sum.n, Min(sum.lsb, 0));
	if (sum.lsb > 0)
		result = numeric_times(result, numeric_exact_power(2, sum.lsb));
	return sum.negative ? DirectFunctionCall1(numeric_uminus, result) : result;
}

/*
 * Adds the part from p to q of the line through the rows a and b to an area: *above is twice the area times *below.
 * Twice the part is (q - p) (v(p) + v(q)), where v(t) (b - a) = a.value (b - t) + b.value (t - a).
 */
static void
add_part(int64 flags, const TimedPoint *a, const TimedPoint *b, int64 p, int64 q, Datum *above, Datum *below)
{
	Datum whole = elapsed(flags, a->at, b->at);
	Datum left = numeric_plus(elapsed(flags, p, b->at), elapsed(flags, q, b->at));
	Datum right = numeric_plus(elapsed(flags, a->at, p), elapsed(flags, a->at, q));
	Datum part = numeric_times(elapsed(flags, p, q), numeric_plus(numeric_times(exact_numeric(a->value), left),
																  numeric_times(exact_numeric(b->value), right)));

	*above = numeric_plus(numeric_times(*above, whole), numeric_times(part, *below));
	*below = numeric_times(*below, whole);
}

/* Notes a value of a step that is not empty: an area that is not finite. */
static void
note_special(TimeArea *area, double value)
{
	if (!isfinite(value))
		specials_take(&area->specials, value, 1);
}

static ScanStatus
average_linear(Bucket *bucket, int64 flags, double *y)
{
	TimeArea		 *area = &bucket->area;
	bool			  empty = area->rows == 0;
	const TimedPoint *before = bucket->before, *after = bucket->after;
	const TimedPoint *first = empty ? after : &area->first, *last = empty ? before : &area->last;
	int64			  left = empty ? bucket->upper : area->first.at, right = empty ? bucket->upper : area->last.at;
	bool			  has_left = before != NULL && first != NULL && time_is_before(flags, bucket->lower, left);
	bool			  has_right = !empty && after != NULL && time_is_before(flags, right, bucket->upper);
	Datum			  above, below = numeric_literal("1");
	Datum			  duration;

	if (empty && !has_left)
		return SCAN_NULL;
	if (!has_left && !has_right)
		return time_area_average(area, y);
	if (has_left)
		note_special(area, before->value), note_special(area, first->value);
	if (has_right)
		note_special(area, last->value), note_special(area, after->value);
	if (specials_flags(&area->specials) != 0)
	{
		*y = exact_special_value(specials_flags(&area->specials));
		return SCAN_OK;
	}
	above = area_of_rows(area);
	if (has_left)
		add_part(flags, before, first, bucket->lower, left, &above, &below);
	if (has_right)
		add_part(flags, last, after, right, bucket->upper, &above, &below);
	duration = elapsed(flags, has_left ? bucket->lower : left, has_right ? bucket->upper : right);
	*y = nearest_quotient(above, numeric_times(numeric_plus(duration, duration), below));
	return SCAN_OK;
}

/* ---- rows ---- */

/* f(summary, lower, upper) */
static Datum
time_average_call(FunctionCallInfo fcinfo, Oid type)
{
	WindowCall *call = window_call(fcinfo);
	Buckets	   *buckets = (Buckets *) window_state(call, sizeof(Buckets));
	Bucket		bucket = {.lower = bucket_bound(call, 1, type, "lower"), .upper = bucket_bound(call, 2, type, "upper")};
	bool		isnull;
	Datum		summary;
	int64		flags;
	double		y = 0.0;
	ScanStatus	status;

	if (!buckets->started)
		buckets->found = buckets->flags = -1;
	buckets->started = true;
	summary = window_arg(call, 0, &isnull);
	(void) read_summary(buckets, summary, isnull, type, &bucket.area);
	flags = buckets->flags >= 0 ? buckets->flags : time_flags(type, false);
	check_bucket(buckets, &bucket, flags);
	bucket.before = buckets->has_before ? &buckets->before : NULL;
	if ((flags & TIME_AREA_PREVIOUS) != 0)
		status = average_previous(&bucket, flags, &y);
	else
	{
		LongSum *sum = &bucket.area.area;
		uint64	 limb[LONG_SUM_LIMBS];

		/* the summary that has them does not live until another one is read */
		if (sum->n > 0)
			sum->limb = (uint64 *) memcpy(limb, sum->limb, sum->n * sizeof(uint64));
		look_after(call, buckets, type);
		if (buckets->found > window_position(call))
			bucket.after = &buckets->after;
		if (bucket.after != NULL && time_is_before(flags, bucket.after->at, bucket.upper))
			raise_bounds("argument \"upper\" must not be after a row of a later bucket");
		status = average_linear(&bucket, flags, &y);
	}
	if (bucket.area.rows > 0)
	{
		buckets->before = bucket.area.last;
		buckets->has_before = true;
	}
	if (status == SCAN_NULL)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(y);
}

#define BUCKET_AVERAGE(NAME, TYPE) SCAN_ENTRY(scan_time_average_##NAME, time_average_call(fcinfo, TYPE))

TIME_TYPES(BUCKET_AVERAGE)
