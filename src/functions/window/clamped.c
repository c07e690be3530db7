/*
 * clamped.c: scan_clamped_sum(numeric) and (float8): y = min(upper, max(lower, y' + x)).
 *
 * Both go row by row: numeric by core's functions, float8 as an exact sum (op/in_sequence.h).  The integer lines of
 * list.h are maps that compose (op/monoid.h, clamp); their entry point is in entry.c.  The constants of all of them are
 * read here.
 */
#include "postgres.h"

#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "column/datum.h"
#include "compat.h"
#include "functions/window/window.h"
#include "functions/window/window_functions.h"

typedef struct Clamped
{
	WindowConstant lower, upper, init;
	RetainedDatum  total; /* present: a value was added since the segment's head */
} Clamped;

#define CROSSED_HINT "Write \"lower\" before \"upper\". Write NULL for no bound."

static void
bound_is_nan(void)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a bound must not be NaN"),
					errhint("Write NULL for no bound.")));
}

static int
clamp_compare(Datum a, Datum b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, a, b));
}

PG_FUNCTION_INFO_V1(scan_clamped_sum_numeric);
Datum
scan_clamped_sum_numeric(PG_FUNCTION_ARGS)
{
	WindowCall	 *call = window_call(fcinfo);
	Clamped		 *clamped = (Clamped *) window_state(call, sizeof(Clamped));
	bool		  is_first = !clamped->init.present, isnull;
	NullableDatum lower = window_constant(call, &clamped->lower, 1, "lower");
	NullableDatum upper = window_constant(call, &clamped->upper, 2, "upper");
	Datum		  init = window_constant_not_null(call, &clamped->init, 3, "init");
	Datum		  value;

	if (is_first && !lower.isnull && !upper.isnull && clamp_compare(lower.value, upper.value) > 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("lower bound %s is above upper bound %s", window_arg_text(call, 1, lower.value, false),
							   window_arg_text(call, 2, upper.value, false)),
						errhint(CROSSED_HINT)));
	if (is_first && ((!lower.isnull && numeric_is_nan(DatumGetNumeric(lower.value))) ||
					 (!upper.isnull && numeric_is_nan(DatumGetNumeric(upper.value)))))
		bound_is_nan();
	window_keeps(call, 0, &clamped->total, &call->type[0]);
	if (window_flag(call, 4))
		retained_clear(&clamped->total);

	value = window_arg(call, 0, &isnull);
	if (!isnull)
	{
		value = DirectFunctionCall2(numeric_add, clamped->total.present ? clamped->total.value : init, value);
		/* a NaN stays NaN, as in every sum: by numeric's order it would become the upper bound */
		if (numeric_is_nan(DatumGetNumeric(value)))
			;
		else if (!lower.isnull && clamp_compare(value, lower.value) < 0)
			value = lower.value;
		else if (!upper.isnull && clamp_compare(value, upper.value) > 0)
			value = upper.value;
		retained_set(&clamped->total, &call->type[0], value, false, call->memory);
	}
	if (!clamped->total.present)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(clamped->total.value);
}

/* ---- integers ---- */

void
clamp_read(ClampParam *param, NullableDatum lower, NullableDatum upper, int64 init)
{
	if (!lower.isnull && !upper.isnull && DatumGetInt64(lower.value) > DatumGetInt64(upper.value))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("lower bound " INT64_FORMAT " is above upper bound " INT64_FORMAT,
							   DatumGetInt64(lower.value), DatumGetInt64(upper.value)),
						errhint(CROSSED_HINT)));
	param->lower = lower.isnull ? -CLAMP_INFINITY : (scan_int128) DatumGetInt64(lower.value);
	param->upper = upper.isnull ? CLAMP_INFINITY : (scan_int128) DatumGetInt64(upper.value);
	param->init = init;
}

/* ---- float8 ---- */

/* Returns a bound, or `none`, an infinity, if the bound is NULL. */
static double
float_bound(NullableDatum bound, double none)
{
	if (!bound.isnull && isnan(DatumGetFloat8(bound.value)))
		bound_is_nan();
	return bound.isnull ? none : DatumGetFloat8(bound.value);
}

void
clamp_read_float(ClampedFloatParam *param, NullableDatum lower, NullableDatum upper, double init)
{
	param->lower = float_bound(lower, -get_float8_infinity());
	param->upper = float_bound(upper, get_float8_infinity());
	param->init = init;
	if (param->lower > param->upper)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("lower bound %s is above upper bound %s", float8out_internal(param->lower),
							   float8out_internal(param->upper)),
						errhint(CROSSED_HINT)));
}

static void
clamp_constants_float(WindowCall *call, WindowScan *scan, const NullableDatum *constant)
{
	clamp_read_float(&scan->param.clamped_float, constant[0], constant[1], DatumGetFloat8(constant[2].value));
}

static const WindowSignature clamped_signature = {{{"lower", true}, {"upper", true}, {"init"}}, clamp_constants_float};

WINDOW_ROW(clamped_sum_float8, float8, float8, clamped_signature)
