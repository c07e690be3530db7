/*
 * integral.c: scan_integral(value, at, method, reset): the area under a series so far.
 *
 * A row adds what lies between it and the row before: a trapezium, or with the method 'previous' a rectangle as high as
 * the value before.  The area is exact (op/area.h) and rounded once where it is returned, so that the result depends
 * neither on a drift of roundings nor on where the scan ran.  Steps of numeric `at` are no doubles; there the area is a
 * numeric, which is exact as well and slower.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "call/entry.h"
#include "compat.h"
#include "error.h"
#include "functions/window/at.h"
#include "number/decimal.h"
#include "number/exact_numeric.h"
#include "number/time_argument.h"
#include "op/area.h"

/* What goes to another process as bytes. */
typedef struct IntegralState
{
	double value; /* of the last row that was taken */
	Area   area;  /* in units of `at`, and twice as large for trapezia; of numeric `at`, only NaN and infinities */
} IntegralState;

typedef struct Integral
{
	WindowConstant method;
	bool		   linear;
	RetainedDatum  at;	  /* of the last row that was taken; present: the segment had one */
	RetainedDatum  total; /* the area, if `at` is numeric, as in IntegralState */
	IntegralState  state;
} Integral;

/* ---- numeric `at` ---- */

/* Adds x times the step to a total. */
static Datum
add_numeric(Datum total, double x, Datum step)
{
	return DirectFunctionCall2(numeric_add, total, DirectFunctionCall2(numeric_mul, exact_numeric(x), step));
}

static void
numeric_add_step(WindowCall *call, Integral *integral, double x, Datum at)
{
	IntegralState *state = &integral->state;
	Datum		   step = DirectFunctionCall2(numeric_sub, at, integral->at.value);
	Datum		   total = integral->total.value;

	if (DatumGetBool(DirectFunctionCall2(numeric_eq, at, integral->at.value)))
		return;
	if (!isfinite(state->value))
		exact_accumulate(&state->area.sum, state->value);
	if (integral->linear && !isfinite(x))
		exact_accumulate(&state->area.sum, x);
	if (state->area.sum.form == EXACT_SPECIAL)
		return;
	total = add_numeric(total, state->value, step);
	if (integral->linear)
		total = add_numeric(total, x, step);
	retained_set(&integral->total, &numeric_type, total, false, call->memory);
}

static ScanStatus
numeric_area(const Integral *integral, double *y)
{
	const ExactSum *sum = &integral->state.area.sum;
	Datum			half;

	if (sum->form == EXACT_SPECIAL)
		return exact_round(sum, y);
	half = integral->linear ? exact_numeric(0.5) : exact_numeric(1.0);
	*y = nearest_double(DirectFunctionCall2(numeric_mul, integral->total.value, half));
	return isfinite(*y) ? SCAN_OK : SCAN_FLOAT_OVERFLOW;
}

/* ---- rows ---- */

/* Begins a segment. */
static void
integral_start(WindowCall *call, Integral *integral, const AtType *type)
{
	area_start(&integral->state.area);
	if (type->step == NULL)
		retained_set(&integral->total, &numeric_type, NumericGetDatum(int64_to_numeric(0)), false, call->memory);
}

/* Adds what lies between the row before and a row with a value. */
static void
integral_add(WindowCall *call, Integral *integral, const AtType *type, double x, Datum at)
{
	IntegralState *state = &integral->state;
	Step		   step;

	at_check_order(type, integral->at.value, at);
	if (type->step == NULL)
	{
		numeric_add_step(call, integral, x, at);
		return;
	}
	step = type->step(integral->at.value, at);
	if (integral->linear)
		area_add_both(&state->area, state->value, x, &step);
	else
		area_add(&state->area, state->value, &step);
}

/* f(value, at, method, reset).  A row without a value or without `at` is skipped. */
static Datum
integral_call(FunctionCallInfo fcinfo, const AtType *type)
{
	WindowCall		   *call = window_call(fcinfo);
	Integral		   *integral = (Integral *) window_state(call, sizeof(Integral));
	const RetainedType *at_type = at_retained_type(call, type, 1);
	bool				is_first = !integral->method.present, no_value, no_at;
	Datum				method = window_constant_not_null(call, &integral->method, 2, "method");
	Datum				at;
	double				x, y;

	if (unlikely(is_first))
		integral->linear = !time_method_is_previous(DatumGetTextPP(method));
	window_keeps(call, 0, &integral->at, at_type);
	window_keeps(call, 1, &integral->total, &numeric_type);
	window_keeps_bytes(call, &integral->state, sizeof(integral->state));
	if (window_flag(call, 3))
		retained_clear(&integral->at);
	x = DatumGetFloat8(window_arg(call, 0, &no_value));
	at = at_arg(call, type, 1, &no_at);
	if (!no_value && !no_at)
	{
		at_check_finite(type, at);
		if (integral->at.present)
			integral_add(call, integral, type, x, at);
		else
			integral_start(call, integral, type);
		integral->state.value = x;
		retained_set(&integral->at, at_type, at, false, call->memory);
	}
	if (!integral->at.present)
		PG_RETURN_NULL();
	scan_check(type->step == NULL ? numeric_area(integral, &y)
								  : area_divide(&integral->state.area, (integral->linear ? 2 : 1) * type->unit, &y));
	PG_RETURN_FLOAT8(y);
}

#define INTEGRAL(TYPE) SCAN_ENTRY(scan_integral_##TYPE, integral_call(fcinfo, &at_##TYPE))

INTEGRAL(int8)
INTEGRAL(float8)
INTEGRAL(numeric)
INTEGRAL(date)
INTEGRAL(timestamp)
INTEGRAL(timestamptz)
