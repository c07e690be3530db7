/*
 * locf.c: scan_locf: the last observation carried forward, over at most so many rows, or as long as it is not too old.
 * A value that is not passed by value is copied (column/retained.c).
 */
#include "postgres.h"

#include "call/entry.h"
#include "compat.h"
#include "functions/window/at.h"

typedef struct Locf
{
	WindowConstant max_gap;
	RetainedDatum  last;
	int64		   age; /* rows since the last value */
} Locf;

PG_FUNCTION_INFO_V1(scan_locf_any);
Datum
scan_locf_any(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	Locf	   *locf = (Locf *) window_state(call, sizeof(Locf));
	int64		max_gap = window_max_gap(call, &locf->max_gap, NULL);
	bool		isnull;
	Datum		value;

	window_keeps(call, 0, &locf->last, &call->type[0]);
	window_keeps_bytes(call, &locf->age, sizeof(locf->age));
	if (window_flag(call, 2))
		retained_clear(&locf->last);

	value = window_arg(call, 0, &isnull);
	if (!isnull)
	{
		retained_set(&locf->last, &call->type[0], value, false, call->memory);
		locf->age = 0;
		PG_RETURN_DATUM(value);
	}
	locf->age++;
	if (!locf->last.present || locf->age > max_gap)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(locf->last.value);
}

/* An untyped literal as max_gap: a scan_rows is an int8. */
SCAN_ENTRY(scan_locf_literal, scan_locf_any(fcinfo))

/* ---- by age ---- */

typedef struct AgedLocf
{
	WindowConstant max_age;
	RetainedDatum  last;  /* the last value; present: the segment had one */
	RetainedDatum  since; /* its `at` */
	RetainedDatum  at;	  /* the last `at` of a row; present: the segment had one */
} AgedLocf;

/* True if the last value may be returned at the last `at`. */
static bool
locf_is_fresh(const AgedLocf *locf, const AtType *type, NullableDatum max_age)
{
	return locf->last.present && (max_age.isnull || !type->apart(locf->since.value, locf->at.value, max_age.value));
}

/*
 * f(value, at, max_age, reset).  A row whose `at` is NULL is skipped: it has the result of the row before, and its
 * value is not observed.
 */
static Datum
locf_by_age(FunctionCallInfo fcinfo, const AtType *type)
{
	WindowCall		   *call = window_call(fcinfo);
	AgedLocf		   *locf = (AgedLocf *) window_state(call, sizeof(AgedLocf));
	const RetainedType *at_type = at_retained_type(call, type, 1);
	NullableDatum		max_age = at_limit(call, type, &locf->max_age, 2, "max_age",
										   "\"max_age\" is how long a value is carried forward. Write NULL for no limit.");
	bool				no_at, isnull;
	Datum				at, value;

	window_keeps(call, 0, &locf->last, &call->type[0]);
	window_keeps(call, 1, &locf->since, at_type);
	window_keeps(call, 2, &locf->at, at_type);
	if (window_flag(call, 3))
	{
		retained_clear(&locf->last);
		retained_clear(&locf->at);
	}
	at = at_arg(call, type, 1, &no_at);
	if (!no_at)
	{
		at_retain(call, &locf->at, type, at_type, at);
		value = window_arg(call, 0, &isnull);
		if (!isnull)
		{
			retained_set(&locf->last, &call->type[0], value, false, call->memory);
			retained_set(&locf->since, at_type, at, false, call->memory);
		}
	}
	if (!locf_is_fresh(locf, type, max_age))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(locf->last.value);
}

#define LOCF_BY_AGE(TYPE) SCAN_ENTRY(scan_locf_##TYPE, locf_by_age(fcinfo, &at_##TYPE))

LOCF_BY_AGE(int8)
LOCF_BY_AGE(float8)
LOCF_BY_AGE(numeric)
LOCF_BY_AGE(date)
LOCF_BY_AGE(days)
LOCF_BY_AGE(timestamp)
LOCF_BY_AGE(timestamptz)
