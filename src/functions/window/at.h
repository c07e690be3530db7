/*
 * at.h: the argument `at` of functions over times or numbers: how values of its type are compared, and how far they lie
 * apart.
 *
 * Used by scan_session, by scan_locf and scan_nocb with an age, by scan_integral, by scan_interpolate, by scan_ema with
 * times and by the aggregate scan_funnel, whose loops serve all types.  Steps are exact: no difference of two int8 or
 * two doubles is rounded or overflows.  A limit of a step between moments is an interval, and is added by the calendar.
 * Between dates it may be a number of days instead.
 */
#ifndef SCAN_FUNCTIONS_WINDOW_AT_H
#define SCAN_FUNCTIONS_WINDOW_AT_H

#include "postgres.h"

#include "functions/window/argument.h"
#include "op/step.h"

typedef struct AtType
{
	/* True if a limit is negative, or NaN. */
	bool (*negative)(Datum limit);

	/* True if at > previous + limit. */
	bool (*apart)(Datum previous, Datum at, Datum limit);

	/* True if a comes before b. */
	bool (*before)(Datum a, Datum b);

	bool (*finite)(Datum at);

	/* Returns to - from, for finite values of which `to` is not before `from`.  NULL: only numerics hold the step. */
	Step (*step)(Datum from, Datum to);

	uint64	   unit;   /* steps are in this part of a second, or of 1 */
	PGFunction lift;   /* converts `at` to the type that these functions take; NULL: not converted */
	Oid		   lifted; /* that type */
	Oid		   limit;  /* the type of a limit, to the functions above */

	/*
	 * True if earlier + limit lies after later + limit, although `earlier` is not after `later`: January 30th, 23:00,
	 * plus a month is February 28th, 23:00, but so is January 31st plus a month at any earlier time of day.  NULL:
	 * never.
	 */
	bool (*ends_later)(Datum earlier, Datum later, Datum limit);
} AtType;

extern const AtType at_int2, at_int4, at_int8, at_float8, at_numeric, at_date, at_timestamp, at_timestamptz;

/* A date, whose limit is a number of days: an int4, or a scan_days. */
extern const AtType at_days;

/* With limits that are numeric: integers, and a float8, whose limit is rounded to float8. */
extern const AtType at_int2_numeric, at_int4_numeric, at_int8_numeric, at_float8_numeric;

/* Returns the type of the lifted values of argument `arg`.  It is kept in call->detail. */
extern const RetainedType *at_retained_type(WindowCall *call, const AtType *type, int arg);

/* Returns `at`, the argument `arg`, of the current row, lifted. */
static inline Datum
at_arg(WindowCall *call, const AtType *type, int arg, bool *isnull)
{
	Datum at = window_arg(call, arg, isnull);

	return *isnull || type->lift == NULL ? at : DirectFunctionCall1(type->lift, at);
}

/* Raises an error if `at` is before `previous`, which a row before had. */
extern void at_check_order(const AtType *type, Datum previous, Datum at);

/* Keeps the current row's `at` in `last`, and raises an error if it is before the one that was there. */
extern void at_retain(WindowCall *call, RetainedDatum *last, const AtType *type, const RetainedType *at_type, Datum at);

/* Raises an error if `at` is an infinity or NaN. */
extern void at_check_finite(const AtType *type, Datum at);

/*
 * Returns a limit, the argument `name`, which must not change within a partition.  Raises an error at the partition's
 * first row if it is negative.
 */
extern NullableDatum at_limit(WindowCall *call, const AtType *type, WindowConstant *constant, int arg, const char *name,
							  const char *hint);

/* Raises the error that a limit, the argument `name`, is negative. */
extern void at_raise_negative(const AtType *type, const char *name, Datum limit, const char *hint)
	__attribute__((noreturn));

#endif /* SCAN_FUNCTIONS_WINDOW_AT_H */
