/*
 * counter.c: scan_counter(value, wraps_at, reset), and scan_counter(numeric, reset): what a counter has gained that
 * falls back to 0 when it reaches a number, or now and then.
 *
 * Of counters that fall now and then, integers and float8 are operations of list.h (op/counter.h); their entry point is
 * in entry.c.  Where it falls, a counter that wraps has gained `wraps_at` more than the difference of both values.  So
 * the gain of integers is the last value, less the first one, plus `wraps_at` times the number of falls.  That of
 * floats is an exact sum.  That of numerics is a WideDecimal, whose display scale is the largest of the values so far
 * and of `wraps_at`.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "call/entry.h"
#include "compat.h"
#include "error.h"
#include "functions/window/window.h"
#include "functions/window/window_functions.h"
#include "number/decimal.h"
#include "number/exact_numeric.h"
#include "number/wide_decimal.h"
#include "op/counter.h"

/* ---- what a counter that wraps shows ---- */

static void
counter_raise_wraps_at(WindowCall *call, Datum wraps_at)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("argument \"wraps_at\" must be above 0 and finite: %s", window_arg_text(call, 1, wraps_at, false)),
			 errhint("\"wraps_at\" is the number at which the counter is 0 again: 4294967296 for a counter of "
					 "32 bits.")));
}

static void
counter_raise_value(WindowCall *call, Datum value, Datum wraps_at)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("a counter that wraps at %s cannot be %s", window_arg_text(call, 1, wraps_at, false),
					window_arg_text(call, 0, value, false)),
			 errhint("Values must be at least 0 and less than \"wraps_at\". For a counter that restarts at 0 now and "
					 "then, leave out \"wraps_at\".")));
}

/* ---- integers ---- */

typedef struct IntegerCounter
{
	WindowConstant wraps_at;
	struct IntegerCounterState
	{
		bool  any; /* the segment had a value */
		int64 first, last, falls;
	} state;
} IntegerCounter;

/* f(value, wraps_at, reset) of integers of any size */
PG_FUNCTION_INFO_V1(scan_counter_wraps_int8);
Datum
scan_counter_wraps_int8(PG_FUNCTION_ARGS)
{
	WindowCall				   *call = window_call(fcinfo);
	IntegerCounter			   *counter = (IntegerCounter *) window_state(call, sizeof(IntegerCounter));
	struct IntegerCounterState *state = &counter->state;
	int64		wraps_at = DatumGetInt64(window_constant_not_null(call, &counter->wraps_at, 1, "wraps_at"));
	bool		isnull;
	Datum		value;
	scan_int128 gain;

	if (wraps_at <= 0)
		counter_raise_wraps_at(call, Int64GetDatum(wraps_at));
	window_keeps_bytes(call, state, sizeof(*state));
	if (window_flag(call, 2))
		state->any = false;
	value = window_arg(call, 0, &isnull);
	if (!isnull)
	{
		int64 x = column_integer(column_format(call->type[0].length, true), value);

		if (x < 0 || x >= wraps_at)
			counter_raise_value(call, value, Int64GetDatum(wraps_at));
		if (!state->any)
			*state = (struct IntegerCounterState){.any = true, .first = x};
		else if (x < state->last)
			state->falls++;
		state->last = x;
	}
	if (!state->any)
		PG_RETURN_NULL();
	gain = (scan_int128) state->last - state->first + (scan_int128) state->falls * wraps_at;
	if (gain > PG_INT64_MAX)
		scan_raise(SCAN_INT8_OUT_OF_RANGE);
	PG_RETURN_INT64((int64) gain);
}

SCAN_ENTRY(scan_counter_wraps_int2, scan_counter_wraps_int8(fcinfo))
SCAN_ENTRY(scan_counter_wraps_int4, scan_counter_wraps_int8(fcinfo))

/* ---- floats ---- */

typedef struct FloatCounter
{
	WindowConstant wraps_at;
	struct FloatCounterState
	{
		bool			  any; /* the segment had a value */
		exact_counter_acc acc;
	} state;
} FloatCounter;

PG_FUNCTION_INFO_V1(scan_counter_wraps_float8);
Datum
scan_counter_wraps_float8(PG_FUNCTION_ARGS)
{
	WindowCall				 *call = window_call(fcinfo);
	FloatCounter			 *counter = (FloatCounter *) window_state(call, sizeof(FloatCounter));
	struct FloatCounterState *state = &counter->state;
	double wraps_at = DatumGetFloat8(window_constant_not_null(call, &counter->wraps_at, 1, "wraps_at"));
	bool   isnull;
	Datum  value;
	double y;

	if (!(wraps_at > 0) || isinf(wraps_at))
		counter_raise_wraps_at(call, Float8GetDatum(wraps_at));
	window_keeps_bytes(call, state, sizeof(*state));
	if (window_flag(call, 2))
		state->any = false;
	value = window_arg(call, 0, &isnull);
	if (!isnull)
	{
		double x = DatumGetFloat8(value);

		if (!(x >= 0 && x < wraps_at))
			counter_raise_value(call, value, Float8GetDatum(wraps_at));
		if (!state->any)
			exact_counter_lift(x, &state->acc);
		else if (x < state->acc.last)
			exact_accumulate(&state->acc.base, wraps_at);
		state->acc.last = x;
		state->any = true;
	}
	if (!state->any)
		PG_RETURN_NULL();
	scan_check(exact_counter_round(&state->acc, &y));
	PG_RETURN_FLOAT8(y);
}

/* ---- numeric ---- */

typedef struct NumericCounter
{
	WindowConstant wraps_at;
	RetainedDatum  last; /* present: the segment had a value */
	WideDecimal	   gain;
} NumericCounter;

/* True if the counter has fallen from `last` to `value`. */
static bool
numeric_counter_falls(const DecimalParts *last, const DecimalParts *parts, Datum last_value, Datum value)
{
	int order;

	if (decimal_compare(parts, last, &order))
		return order < 0;
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, value, last_value)) < 0;
}

/* *step := value - last.  Returns false if 128 bits are not enough. */
static bool
numeric_counter_step(Decimal *step, const DecimalParts *last, const DecimalParts *parts)
{
	DecimalParts negated = *last;

	negated.negative = !negated.negative;
	return last->special == DECIMAL_NUMBER && parts->special == DECIMAL_NUMBER && decimal_add(step, parts) &&
		   decimal_add(step, &negated);
}

/* Adds to the gain what a value that is not the segment's first brings.  `wraps_at` is NULL if there is none. */
static void
numeric_counter_gain(NumericCounter *counter, Datum value, const DecimalParts *parts, const Datum *wraps_at)
{
	Datum		 last_value = counter->last.value;
	Decimal		 step = {0};
	DecimalParts last;
	bool		 falls;

	decimal_read(&last, (struct varlena *) DatumGetPointer(last_value));
	falls = numeric_counter_falls(&last, parts, last_value, value);
	if (falls && wraps_at != NULL)
		wide_decimal_add(&counter->gain, *wraps_at);
	if (falls && wraps_at == NULL)
		wide_decimal_add(&counter->gain, value);
	else if (likely(numeric_counter_step(&step, &last, parts)))
		wide_decimal_add_decimal(&counter->gain, &step);
	else
		wide_decimal_add(&counter->gain, DirectFunctionCall2(numeric_sub, value, last_value));
}

/* Raises an error unless `wraps_at` is finite and above 0. */
static void
numeric_counter_check(WindowCall *call, Datum wraps_at)
{
	if (decimal_head(wraps_at).special != DECIMAL_NUMBER ||
		!numeric_is_less(NumericGetDatum(int64_to_numeric(0)), wraps_at))
		counter_raise_wraps_at(call, wraps_at);
}

static void
numeric_counter_take(WindowCall *call, NumericCounter *counter, Datum value, const Datum *wraps_at)
{
	struct varlena *plain = decimal_plain(value);
	DecimalParts	parts;

	decimal_read(&parts, plain);
	if (counter->last.present)
		numeric_counter_gain(counter, PointerGetDatum(plain), &parts, wraps_at);
	else
		wide_decimal_clear(&counter->gain, Max(parts.special == DECIMAL_NUMBER ? parts.scale : 0,
											   wraps_at == NULL ? 0 : decimal_head(*wraps_at).scale));
	retained_set(&counter->last, &call->type[0], PointerGetDatum(plain), false, call->memory);
	decimal_free_plain(plain, value);
}

/* f(value, reset), or f(value, wraps_at, reset) */
static Datum
numeric_counter(FunctionCallInfo fcinfo)
{
	WindowCall	   *call = window_call(fcinfo);
	NumericCounter *counter = (NumericCounter *) window_state(call, sizeof(NumericCounter));
	bool			wraps = PG_NARGS() == 3;
	bool			isnull;
	Datum			value, wraps_at = (Datum) 0;

	if (wraps)
	{
		bool is_first = !counter->wraps_at.present;

		wraps_at = window_constant_not_null(call, &counter->wraps_at, 1, "wraps_at");
		if (unlikely(is_first))
			numeric_counter_check(call, wraps_at);
	}
	counter->gain.memory = call->memory;
	window_keeps(call, 0, &counter->last, &call->type[0]);
	window_keeps_decimal(call, &counter->gain);
	if (window_flag(call, PG_NARGS() - 1))
		retained_clear(&counter->last);

	value = window_arg(call, 0, &isnull);
	if (!isnull && wraps &&
		(numeric_is_less(value, NumericGetDatum(int64_to_numeric(0))) || !numeric_is_less(value, wraps_at)))
		counter_raise_value(call, value, wraps_at);
	if (!isnull)
		numeric_counter_take(call, counter, value, wraps ? &wraps_at : NULL);
	if (!counter->last.present)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(wide_decimal_numeric(&counter->gain));
}

SCAN_ENTRY(scan_counter_numeric, numeric_counter(fcinfo))
SCAN_ENTRY(scan_counter_wraps_numeric, numeric_counter(fcinfo))

/* ---- `reset` is a literal without a type: a scan_flag is a bool (argument_types.c) ---- */

#define COUNTER_FLAG(TYPE) SCAN_ENTRY(scan_counter_flag_##TYPE, scan_counter_##TYPE(fcinfo))

COUNTER_FLAG(int2)
COUNTER_FLAG(int4)
COUNTER_FLAG(int8)
COUNTER_FLAG(float8)
COUNTER_FLAG(numeric)
