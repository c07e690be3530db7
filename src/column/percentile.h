/*
 * percentile.h: where a percentile lies among sorted values, and what is between two of them.
 *
 * For functions/aggregate/moving.c, which has the values of a frame in a tree, and evaluate/order_statistics.c, which
 * has them numbered: both answer as core's orderedsetaggs.c does, to the bit.
 */
#ifndef SCAN_COLUMN_PERCENTILE_H
#define SCAN_COLUMN_PERCENTILE_H

#include "postgres.h"

#include <math.h>

#include "utils/fmgrprotos.h"

typedef Datum (*Interpolate)(Datum low, Datum high, double part);

/* The two values of n that the percentile lies between, from 0, and how far it is from the lower one. */
static inline void
percentile_cont_place(double fraction, int64 n, int64 *low, int64 *high, double *part)
{
	double place = fraction * (n - 1);

	*low = (int64) floor(place);
	*high = (int64) ceil(place);
	*part = place - floor(place);
}

/* The first of n values, from 0, up to which there are so many of them. */
static inline int64
percentile_disc_place(double fraction, int64 n)
{
	return Max((int64) ceil(fraction * n) - 1, 0);
}

static inline Datum
interpolate_float8(Datum low, Datum high, double part)
{
	double x = DatumGetFloat8(low);
	double y = DatumGetFloat8(high);

	return Float8GetDatum(x + part * (y - x));
}

static inline Datum
interpolate_interval(Datum low, Datum high, double part)
{
	Datum difference = DirectFunctionCall2(interval_mi, high, low);
	Datum product = DirectFunctionCall2(interval_mul, difference, Float8GetDatum(part));

	return DirectFunctionCall2(interval_pl, product, low);
}

#endif /* SCAN_COLUMN_PERCENTILE_H */
