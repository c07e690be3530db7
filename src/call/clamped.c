/*
 * clamped.c: scan_clamped_sum(numeric): y = min(upper, max(lower, y' + x)).
 *
 * Row after row by core's numeric functions; the integer lines of list.h run as
 * maps that compose (op/monoid.h, clamp) and have their entry in window.c.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "call/window.h"

typedef struct Clamped
{
	WindowConstant lower;
	WindowConstant upper;
	WindowConstant init;
	bool		   checked;
	Held		   total; /* present: a value has been applied since the head */
} Clamped;

static int
numeric_compare(Datum a, Datum b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, a, b));
}

PG_FUNCTION_INFO_V1(scan_clamped_sum_numeric);
Datum
scan_clamped_sum_numeric(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	Clamped	   *clamped = (Clamped *) window_state(call, sizeof(Clamped));
	bool		no_lower, no_upper, isnull;
	Datum		lower = window_constant(call, &clamped->lower, 1, "lower", &no_lower);
	Datum		upper = window_constant(call, &clamped->upper, 2, "upper", &no_upper);
	Datum		init = window_constant_not_null(call, &clamped->init, 3, "init");
	Datum		value;

	if (!clamped->checked && !no_lower && !no_upper && numeric_compare(lower, upper) > 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("lower bound %s is above upper bound %s", window_arg_text(call, 1, lower, false),
							   window_arg_text(call, 2, upper, false))));
	if (!clamped->checked && ((!no_lower && numeric_is_nan(DatumGetNumeric(lower))) ||
							  (!no_upper && numeric_is_nan(DatumGetNumeric(upper)))))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a bound must not be NaN")));
	clamped->checked = true;
	if (window_flag(call, 4))
		held_clear(&clamped->total);

	value = window_arg(call, 0, &isnull);
	if (!isnull)
	{
		value = DirectFunctionCall2(numeric_add, clamped->total.present ? clamped->total.value : init, value);
		/* a NaN stays one, as in every sum: by numeric's order it would become the upper bound */
		if (numeric_is_nan(DatumGetNumeric(value)))
			;
		else if (!no_lower && numeric_compare(value, lower) < 0)
			value = lower;
		else if (!no_upper && numeric_compare(value, upper) > 0)
			value = upper;
		held_set(&clamped->total, &call->type[0], value, false, call->memory);
	}
	if (!clamped->total.present)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(clamped->total.value);
}
