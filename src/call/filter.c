/*
 * filter.c: scan_filter(value, numerator, denominator, reset): the IIR filter of
 * SciPy's lfilter, from a state of zeros.
 *
 * The coefficients are divided by denominator[1] first.  The feed-forward part of a
 * row is one dot product rounded once; the rest is the recurrence of order k.
 */
#include "postgres.h"

#include "call/running.h"
#include "error.h"
#include "op/dot.h"

typedef struct Filter
{
	bool		   started;
	WindowConstant numerator;
	WindowConstant denominator;
	int			   taps;  /* of the feed-forward part */
	int			   order; /* of the recurrence */
	double		  *feed;  /* taps coefficients, the newest value's first */
	double		  *value; /* as many values, newest first; zeros before the first */
	double		   back[RECURRENCE_ORDERS];
	double		   y; /* the answer, when order is 0 */
	bool		   any;
	Running		   running;
} Filter;

/* The coefficients, divided by denominator[1]. */
static void
filter_read(WindowCall *call, Filter *filter, Datum numerator, Datum denominator)
{
	int			  n;
	const double *above = vector_of_array(numerator, "numerator", &filter->taps);
	const double *below = vector_of_array(denominator, "denominator", &n);

	filter->order = n - 1;
	if (filter->order > RECURRENCE_ORDERS)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("argument \"denominator\" must have at most %d coefficients, not %d",
							   RECURRENCE_ORDERS + 1, n)));
	if (below[0] == 0.0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the first coefficient of argument \"denominator\" must not be 0")));
	filter->feed = MemoryContextAlloc(call->memory, filter->taps * sizeof(double));
	filter->value = MemoryContextAllocZero(call->memory, filter->taps * sizeof(double));
	for (int i = 0; i < filter->taps; i++)
		filter->feed[i] = above[i] / below[0];
	for (int j = 0; j < filter->order; j++)
		filter->back[j] = -(below[j + 1] / below[0]);
}

static void
filter_start(Filter *filter)
{
	static const double zeros[RECURRENCE_ORDERS];

	filter->any = false;
	memset(filter->value, 0, filter->taps * sizeof(double));
	running_start(&filter->running, filter->order, zeros);
}

/* The answer with one more value: the feed-forward dot product, then the recurrence. */
static double
filter_apply(WindowCall *call, Filter *filter, double x)
{
	double	   fed;
	ScanStatus status;

	memmove(filter->value + 1, filter->value, (filter->taps - 1) * sizeof(double));
	filter->value[0] = x;
	status = dot_exact(filter->feed, 1, filter->value, 1, filter->taps, &fed);
	if (status != SCAN_OK)
		scan_raise(status);
	filter->any = true;
	return filter->order == 0 ? fed : running_apply(call, &filter->running, filter->back, fed);
}

PG_FUNCTION_INFO_V1(scan_filter_float8);
Datum
scan_filter_float8(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	Filter	   *filter = (Filter *) window_state(call, sizeof(Filter));
	Datum		numerator = window_constant_not_null(call, &filter->numerator, 1, "numerator");
	Datum		denominator = window_constant_not_null(call, &filter->denominator, 2, "denominator");
	bool		isnull;
	double		x;

	if (!filter->started)
		filter_read(call, filter, numerator, denominator);
	if (!filter->started || window_flag(call, 3))
		filter_start(filter);
	filter->started = true;
	x = DatumGetFloat8(window_arg(call, 0, &isnull));
	if (!isnull)
		filter->y = filter_apply(call, filter, x);
	if (!filter->any)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(filter->y);
}
