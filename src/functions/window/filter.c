/*
 * filter.c: scan_filter(value, numerator, denominator, reset), the IIR filter of SciPy's lfilter, from a state of
 * zeros.
 *
 * The coefficients are divided by denominator[1] first.  The feed-forward part of a row is one dot product, rounded
 * once; the rest is a recurrence of order k.
 */
#include "postgres.h"

#include "utils/float.h"

#include "column/array.h"
#include "column/datum.h"
#include "compat.h"
#include "functions/window/window.h"

/* Returns x / by.  Raises an error if a finite coefficient leaves the doubles, since results would be NaN. */
static double
filter_coefficient(double x, double by)
{
	double quotient = x / by;

	if (isinf(quotient) && !isinf(x))
		float_overflow_error();
	return quotient;
}

/* Reads the coefficients, divided by denominator[1]; the feed-forward ones in the partition's memory. */
static void
filter_read(WindowCall *call, WindowScan *scan, const NullableDatum *constant)
{
	FilterParam	 *filter = &scan->param.filter;
	int			  n;
	const double *above = vector_of_array(constant[0].value, "numerator", &filter->taps);
	const double *below = vector_of_array(constant[1].value, "denominator", &n);
	double		 *feed;

	filter->order = n - 1;
	if (filter->order > RECURRENCE_ORDERS)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("argument \"denominator\" must have at most %d coefficients, not %d", RECURRENCE_ORDERS + 1, n),
				 errhint("Split the filter into filters of lower order, and apply one after the other.")));
	if (below[0] == 0.0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the first coefficient of argument \"denominator\" must not be 0"),
						errhint("The first coefficient multiplies the result of the row itself. The following "
								"coefficients multiply the results of the rows before.")));
	feed = MemoryContextAlloc(call->memory, filter->taps * sizeof(double));
	for (int i = 0; i < filter->taps; i++)
		feed[i] = filter_coefficient(above[i], below[0]);
	for (int j = 0; j < filter->order; j++)
		filter->back[j] = -filter_coefficient(below[j + 1], below[0]);
	filter->feed = feed;
	filter->memory = &scan->memory.memory;
}

static const WindowSignature filter_signature = {{{"numerator"}, {"denominator"}}, filter_read};

WINDOW_ROW(filter_float8, float8, float8, filter_signature)
