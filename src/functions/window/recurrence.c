/*
 * recurrence.c: scan_recurrence: y = a y' + b, of first order and of order k.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "column/array.h"
#include "column/datum.h"
#include "compat.h"
#include "functions/window/window.h"
#include "number/exact_numeric.h"

/* ---- scan_recurrence(float8), and of order k ---- */

/* Reads the initial values, whose number is the order. */
static void
order_k_read(RecurrenceParam *param, Datum init)
{
	int			  k;
	const double *values = vector_of_array(init, "init", &k);

	if (k < 1 || k > RECURRENCE_ORDERS)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("the order of a recurrence must be between 1 and %d, not %d", RECURRENCE_ORDERS, k),
						errhint("The order is the number of elements of \"init\", which has the results before the "
								"first row, newest first.")));
	memcpy(param->init, values, k * sizeof(double));
	param->width = k * sizeof(double);
	param->order = k;
}

/* Copies a row's coefficients to x, one for each earlier result. */
static void
order_k_row(const RecurrenceParam *param, Datum a, double *x)
{
	int			  n;
	const double *coefficients = vector_of_array(a, "a", &n);

	if (n != param->order)
		ereport(
			ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg("argument \"a\" must have as many elements as \"init\": %d, not %d", param->order, n),
			 errhint("\"a\" has a factor for each previous result. \"init\" has the results before the first row.")));
	memcpy(x, coefficients, param->width);
}

/* f(a, b, init, reset): `a` and `init` are numbers, or arrays of numbers with `vector`. */
static pg_attribute_always_inline Datum
window_recurrence(FunctionCallInfo fcinfo, const WindowLine *line, bool vector)
{
	WindowCall		*call = window_call(fcinfo);
	bool			 first, no_a, no_b;
	WindowScan		*scan = window_scan(call, line, &first);
	RecurrenceParam *param = &scan->param.recurrence;
	Datum			 init = window_constant_not_null(call, &scan->constant[0], 2, "init");
	bool			 head = window_flag(call, 3);
	Datum			 a = window_arg(call, 0, &no_a);
	double			 b = DatumGetFloat8(window_arg(call, 1, &no_b));
	double			 x[RECURRENCE_ORDERS + 1]; /* of order 1, it is an AffineRow */

	if (first)
	{
		param->memory = &scan->memory.memory;
		param->order = 1;
		if (vector)
			order_k_read(param, init);
		else
			param->init[0] = DatumGetFloat8(init);
	}
	if (!no_a && !no_b)
	{
		if (vector)
			order_k_row(param, a, x);
		else
			x[0] = DatumGetFloat8(a);
		x[param->order] = b;
	}
	window_columns(call, 2, true);
	return window_step(call, scan, line, param, no_a || no_b ? NULL : x, head, SCAN_INCLUSIVE);
}

#define RECURRENCE(TYPE, VECTOR)                                                             \
	PG_FUNCTION_INFO_V1(scan_recurrence_##TYPE);                                             \
	Datum scan_recurrence_##TYPE(PG_FUNCTION_ARGS)                                           \
	{                                                                                        \
		static const WindowLine line = {SCAN_OP_recurrence_##TYPE, NULL, datum_from_float8}; \
                                                                                             \
		return window_recurrence(fcinfo, &line, VECTOR);                                     \
	}

RECURRENCE(float8, false)
RECURRENCE(vector, true)

/* ---- scan_recurrence(numeric) ---- */

typedef struct FirstNumeric
{
	WindowConstant init;
	RetainedDatum  y; /* present: a row was applied since the segment's head */
} FirstNumeric;

/* Returns the number of digits after the point in a number's text, 0 if the number is not finite. */
static int
numeric_shown_scale(Datum x)
{
	return numeric_is_finite(x) ? DatumGetInt32(DirectFunctionCall1(numeric_scale, x)) : 0;
}

#define RECURRENCE_SCALE_MIN 16

PG_FUNCTION_INFO_V1(scan_recurrence_numeric);
Datum
scan_recurrence_numeric(PG_FUNCTION_ARGS)
{
	WindowCall	 *call = window_call(fcinfo);
	FirstNumeric *first = (FirstNumeric *) window_state(call, sizeof(FirstNumeric));
	Datum		  init = window_constant_not_null(call, &first->init, 2, "init");
	bool		  no_a, no_b;
	Datum		  a, b, y;

	window_keeps(call, 0, &first->y, &call->type[1]);
	if (window_flag(call, 3))
		retained_clear(&first->y);
	a = window_arg(call, 0, &no_a);
	b = window_arg(call, 1, &no_b);
	if (!no_a && !no_b)
	{
		int scale = Max(RECURRENCE_SCALE_MIN, Max(numeric_shown_scale(b), numeric_shown_scale(init)));

		y = DirectFunctionCall2(numeric_mul, a, first->y.present ? first->y.value : init);
		y = DirectFunctionCall2(numeric_add, y, b);
		if (numeric_is_finite(y))
			y = DirectFunctionCall2(numeric_round, y, Int32GetDatum(scale));
		retained_set(&first->y, &call->type[1], y, false, call->memory);
	}
	if (!first->y.present)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(first->y.value);
}
