/*
 * percentile.c: interpolation between two values.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"

#include "column/percentile.h"

Datum
interpolate_float8(Datum low, Datum high, double part)
{
	double x = DatumGetFloat8(low);
	double y = DatumGetFloat8(high);

	return Float8GetDatum(x + part * (y - x));
}

Datum
interpolate_interval(Datum low, Datum high, double part)
{
	Datum difference = DirectFunctionCall2(interval_mi, high, low);
	Datum product = DirectFunctionCall2(interval_mul, difference, Float8GetDatum(part));

	return DirectFunctionCall2(interval_pl, product, low);
}
