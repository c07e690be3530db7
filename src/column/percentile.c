/*
 * percentile.c: interpolation between two values.
 */
#include "postgres.h"

#include <math.h>

#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "column/percentile.h"
#include "compat.h"

Datum
interpolate_float8(Datum low, Datum high, double part)
{
	double x = DatumGetFloat8(low);
	double y = DatumGetFloat8(high);

	return Float8GetDatum(x + part * (y - x));
}

/*
 * Sets *y to `part` of an interval: fractions of months go to days, and fractions of days to the time.  This is the
 * arithmetic of core's interval_mul() without fused multiplications and additions, so the result is the same on every
 * machine.  False if the result is out of range.
 */
static bool
part_of_interval(const Interval *x, double part, Interval *y)
{
	int64  day = (int64) (x->day * part);
	double days, seconds, time;

	y->month = (int32) (x->month * part);
	days = TSROUND((x->month * part - y->month) * DAYS_PER_MONTH);
	seconds = TSROUND((x->day * part - day + days - (int) days) * SECS_PER_DAY);
	if (fabs(seconds) >= SECS_PER_DAY)
	{
		int whole = (int) (seconds / SECS_PER_DAY);

		day += whole;
		seconds -= whole * SECS_PER_DAY;
	}
	day += (int32) days;
	time = rint(x->time * part + seconds * USECS_PER_SEC);
	if (day != (int32) day || !FLOAT8_FITS_IN_INT64(time))
		return false;
	y->day = (int32) day;
	y->time = (int64) time;
	return true;
}

Datum
interpolate_interval(Datum low, Datum high, double part)
{
	Datum	  difference = DirectFunctionCall2(interval_mi, high, low);
	Interval *x = DatumGetIntervalP(difference);
	Interval *y = (Interval *) palloc(sizeof(Interval));
	Datum	  product = IntervalPGetDatum(y);

	/* core raises the error, or continues without one; and it knows infinite intervals */
	if (COMPAT_INTERVAL_NOT_FINITE(x) || !part_of_interval(x, part, y))
		product = DirectFunctionCall2(interval_mul, difference, Float8GetDatum(part));

	return DirectFunctionCall2(interval_pl, product, low);
}
