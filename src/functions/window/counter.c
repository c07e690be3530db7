/*
 * counter.c: scan_counter(numeric, reset): what a counter has gained that falls back to 0 now and then.
 *
 * Integers and float8 are operations of list.h (op/counter.h); their entry point is in entry.c. A numeric's gain is
 * kept as the 128-bit decimal gain - last, which changes only where the counter falls. From the first value on for
 * which 128 bits are not enough, core's arithmetic replaces it.
 *
 * The display scale of a result is the largest of the values so far.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "compat.h"
#include "functions/window/scan_row.h"
#include "number/decimal.h"

typedef struct Counter
{
	RetainedDatum last; /* present: the segment had a value */
	RetainedDatum gain; /* beyond: the gain */
	struct
	{
		Decimal base;	/* gain - last, unless `beyond` */
		bool	beyond; /* true if the gain is a numeric */
	} now;
	DecimalBuffer shown; /* memory of the last result */
} Counter;

/* True if the counter has fallen from `last` to `value`. */
static bool
counter_falls(const DecimalParts *last, const DecimalParts *parts, Datum last_value, Datum value)
{
	int order;

	if (decimal_compare(parts, last, &order))
		return order < 0;
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, value, last_value)) < 0;
}

/* *total := the gain with a value, *base := that - value.  Returns false, with both unchanged, if 128 bits do not do.
 */
static bool
gain_take(Decimal *base, Decimal *total, const DecimalParts *last, const DecimalParts *parts, bool falls)
{
	Decimal next = *base, sum;

	if (parts->special != DECIMAL_NUMBER || (falls && !decimal_add(&next, last)))
		return false;
	sum = next;
	if (!decimal_add(&sum, parts))
		return false;
	next.scale = sum.scale;
	*base = next;
	*total = sum;
	return true;
}

/* Returns the gain with a value that is not the segment's first, in core's arithmetic. */
static Datum
gain_beyond(const Counter *counter, Datum value, bool falls)
{
	DecimalBuffer base;
	Datum		  last = counter->last.value;
	Datum		  gain = counter->now.beyond ? counter->gain.value
											 : DirectFunctionCall2(numeric_add, decimal_show(&base, &counter->now.base), last);

	return DirectFunctionCall2(numeric_add, gain, falls ? value : DirectFunctionCall2(numeric_sub, value, last));
}

/* Takes the first value of a segment. */
static Datum
counter_start(WindowCall *call, Counter *counter, Datum value, const DecimalParts *parts)
{
	DecimalParts negated = *parts;
	Decimal		 zero = {.scale = parts->special == DECIMAL_NUMBER ? parts->scale : 0};

	memset(&counter->now, 0, sizeof(counter->now));
	negated.negative = !negated.negative;
	counter->now.beyond = parts->special != DECIMAL_NUMBER || !decimal_add(&counter->now.base, &negated);
	if (counter->now.beyond)
		retained_set(&counter->gain, &call->type[0], decimal_show(&counter->shown, &zero), false, call->memory);
	return decimal_show(&counter->shown, &zero);
}

/* Takes a value and returns the gain. */
static Datum
counter_value(WindowCall *call, Counter *counter, Datum value)
{
	struct varlena *plain = decimal_plain(value);
	Datum			flat = PointerGetDatum(plain);
	DecimalParts	parts, last;
	Decimal			total;
	Datum			gain;
	bool			falls;

	decimal_read(&parts, plain);
	if (!counter->last.present)
		gain = counter_start(call, counter, flat, &parts);
	else
	{
		decimal_read(&last, (struct varlena *) DatumGetPointer(counter->last.value));
		falls = counter_falls(&last, &parts, counter->last.value, flat);
		if (!counter->now.beyond && gain_take(&counter->now.base, &total, &last, &parts, falls))
			gain = decimal_show(&counter->shown, &total);
		else
		{
			gain = gain_beyond(counter, flat, falls);
			counter->now.beyond = true;
			retained_set(&counter->gain, &call->type[0], gain, false, call->memory);
		}
	}
	retained_set(&counter->last, &call->type[0], flat, false, call->memory);
	decimal_free_plain(plain, value);
	return gain;
}

/* Returns the gain after a row without a value. */
static Datum
counter_again(Counter *counter)
{
	struct varlena *last = (struct varlena *) DatumGetPointer(counter->last.value);
	Decimal			total = counter->now.base;
	DecimalParts	parts;

	if (counter->now.beyond)
		return counter->gain.value;
	decimal_read(&parts, last);
	if (!decimal_add(&total, &parts))
		elog(ERROR, "scan: a counter's gain is lost");
	return decimal_show(&counter->shown, &total);
}

PG_FUNCTION_INFO_V1(scan_counter_numeric);
Datum
scan_counter_numeric(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	Counter	   *counter = (Counter *) window_state(call, sizeof(Counter));
	bool		isnull;
	Datum		value;

	window_keeps(call, 0, &counter->last, &call->type[0]);
	window_keeps(call, 1, &counter->gain, &call->type[0]);
	window_keeps_bytes(call, &counter->now, sizeof(counter->now));
	if (window_flag(call, 1))
		retained_clear(&counter->last);

	value = window_arg(call, 0, &isnull);
	if (!isnull)
		PG_RETURN_DATUM(counter_value(call, counter, value));
	if (!counter->last.present)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(counter_again(counter));
}
