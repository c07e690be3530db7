/*
 * counter.c: scan_counter(numeric, reset): what a counter has gained that falls back to 0 now and then.
 *
 * Integers and float8 are operations of list.h (op/counter.h); their entry point is in entry.c.  A numeric's gain is a
 * WideDecimal, to which each row adds its value, less the value before unless the counter fell.
 *
 * The display scale of a result is the largest of the values so far.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"

#include "compat.h"
#include "functions/window/scan_row.h"
#include "number/decimal.h"
#include "number/wide_decimal.h"

typedef struct NumericCounter
{
	RetainedDatum last; /* present: the segment had a value */
	WideDecimal	  gain;
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

/* Adds to the gain what a value that is not the segment's first brings. */
static void
numeric_counter_gain(NumericCounter *counter, Datum value, const DecimalParts *parts)
{
	Datum		 last_value = counter->last.value;
	Decimal		 step = {0};
	DecimalParts last;

	decimal_read(&last, (struct varlena *) DatumGetPointer(last_value));
	if (numeric_counter_falls(&last, parts, last_value, value))
		wide_decimal_add(&counter->gain, value);
	else if (likely(numeric_counter_step(&step, &last, parts)))
		wide_decimal_add_decimal(&counter->gain, &step);
	else
		wide_decimal_add(&counter->gain, DirectFunctionCall2(numeric_sub, value, last_value));
}

static void
numeric_counter_take(WindowCall *call, NumericCounter *counter, Datum value)
{
	struct varlena *plain = decimal_plain(value);
	DecimalParts	parts;

	decimal_read(&parts, plain);
	if (counter->last.present)
		numeric_counter_gain(counter, PointerGetDatum(plain), &parts);
	else
		wide_decimal_clear(&counter->gain, parts.special == DECIMAL_NUMBER ? parts.scale : 0);
	retained_set(&counter->last, &call->type[0], PointerGetDatum(plain), false, call->memory);
	decimal_free_plain(plain, value);
}

PG_FUNCTION_INFO_V1(scan_counter_numeric);
Datum
scan_counter_numeric(PG_FUNCTION_ARGS)
{
	WindowCall	   *call = window_call(fcinfo);
	NumericCounter *counter = (NumericCounter *) window_state(call, sizeof(NumericCounter));
	bool			isnull;
	Datum			value;

	counter->gain.memory = call->memory;
	window_keeps(call, 0, &counter->last, &call->type[0]);
	window_keeps_decimal(call, &counter->gain);
	if (window_flag(call, 1))
		retained_clear(&counter->last);

	value = window_arg(call, 0, &isnull);
	if (!isnull)
		numeric_counter_take(call, counter, value);
	if (!counter->last.present)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(wide_decimal_numeric(&counter->gain));
}
