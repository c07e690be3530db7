/*
 * recurrence.c: scan_recurrence: y = a y' + b, of first order and of order k.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "call/running.h"

/* ---- scan_recurrence(float8) ---- */

typedef struct First
{
	bool		   started;
	WindowConstant init;
	Running		   running;
} First;

PG_FUNCTION_INFO_V1(scan_recurrence_float8);
Datum
scan_recurrence_float8(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	First	   *first = (First *) window_state(call, sizeof(First));
	double		init = DatumGetFloat8(window_constant_not_null(call, &first->init, 2, "init"));
	bool		no_a, no_b;
	double		a, b;

	if (!first->started || window_flag(call, 3))
		running_start(&first->running, 1, &init);
	first->started = true;
	a = DatumGetFloat8(window_arg(call, 0, &no_a));
	b = DatumGetFloat8(window_arg(call, 1, &no_b));
	if (!no_a && !no_b)
		running_apply(call, &first->running, &a, b);
	if (!first->running.any)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(first->running.r.y[0]);
}

/* ---- scan_recurrence(numeric) ---- */

typedef struct FirstNumeric
{
	WindowConstant init;
	Held		   y; /* present: a row has been applied since the head */
} FirstNumeric;

static bool
numeric_is_finite(Datum x)
{
	return !numeric_is_nan(DatumGetNumeric(x)) && !numeric_is_inf(DatumGetNumeric(x));
}

/* The digits behind the point that a number is shown with; 0 for those that have none. */
static int
numeric_shown_scale(Datum x)
{
	return numeric_is_finite(x) ? DatumGetInt32(DirectFunctionCall1(numeric_scale, x)) : 0;
}

#define RECURRENCE_SCALE_LEAST 16

PG_FUNCTION_INFO_V1(scan_recurrence_numeric);
Datum
scan_recurrence_numeric(PG_FUNCTION_ARGS)
{
	WindowCall	 *call = window_call(fcinfo);
	FirstNumeric *first = (FirstNumeric *) window_state(call, sizeof(FirstNumeric));
	Datum		  init = window_constant_not_null(call, &first->init, 2, "init");
	bool		  no_a, no_b;
	Datum		  a, b, y;

	if (window_flag(call, 3))
		held_clear(&first->y);
	a = window_arg(call, 0, &no_a);
	b = window_arg(call, 1, &no_b);
	if (!no_a && !no_b)
	{
		int scale = Max(RECURRENCE_SCALE_LEAST, Max(numeric_shown_scale(b), numeric_shown_scale(init)));

		y = DirectFunctionCall2(numeric_mul, a, first->y.present ? first->y.value : init);
		y = DirectFunctionCall2(numeric_add, y, b);
		if (numeric_is_finite(y))
			y = DirectFunctionCall2(numeric_round, y, Int32GetDatum(scale));
		held_set(&first->y, &call->type[1], y, false, call->memory);
	}
	if (!first->y.present)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(first->y.value);
}

/* ---- order k ---- */

typedef struct OrderK
{
	bool		   started;
	WindowConstant init;
	int			   order;
	double		   start[RECURRENCE_ORDERS];
	Running		   running;
} OrderK;

/* The initial values, which decide the order. */
static void
order_k_read(OrderK *k, Datum init)
{
	const double *values = vector_of_array(init, "init", &k->order);

	if (k->order < 1 || k->order > RECURRENCE_ORDERS)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("the order of a recurrence must be between 1 and %d, not %d", RECURRENCE_ORDERS, k->order)));
	memcpy(k->start, values, k->order * sizeof(double));
}

PG_FUNCTION_INFO_V1(scan_recurrence_vector);
Datum
scan_recurrence_vector(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	OrderK	   *k = (OrderK *) window_state(call, sizeof(OrderK));
	Datum		init = window_constant_not_null(call, &k->init, 2, "init");
	bool		no_a, no_b;
	Datum		a;
	double		b;

	if (!k->started)
		order_k_read(k, init);
	if (!k->started || window_flag(call, 3))
		running_start(&k->running, k->order, k->start);
	k->started = true;
	a = window_arg(call, 0, &no_a);
	b = DatumGetFloat8(window_arg(call, 1, &no_b));
	if (!no_a && !no_b)
	{
		int			  n;
		const double *coefficients = vector_of_array(a, "a", &n);

		if (n != k->order)
			ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
							errmsg("argument \"a\" must have as many elements as \"init\": %d, not %d", k->order, n)));
		running_apply(call, &k->running, coefficients, b);
	}
	if (!k->running.any)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(k->running.r.y[0]);
}
