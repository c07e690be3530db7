/*
 * percentile.h: the position of a percentile among sorted values, and interpolation between two values.
 *
 * It is for functions/aggregate/moving.c, which has the values of a frame in a tree, and for
 * aggregate/order_statistics.c, which has them numbered.  Both return the same bits on every machine.  On x86-64 these
 * are the bits of core's orderedsetaggs.c.  On arm64 and s390x, the compiler fuses multiplications and additions in
 * core's functions, so core's percentile_cont may differ in the last bit.
 */
#ifndef SCAN_COLUMN_PERCENTILE_H
#define SCAN_COLUMN_PERCENTILE_H

#include "postgres.h"

#include <math.h>

typedef Datum (*Interpolate)(Datum low, Datum high, double part);

/*
 * Finds the positions, from 0, of the two of n values that percentile_cont lies between.  *part: how far it is from the
 * lower to the higher one, from 0 to 1.
 */
static inline void
percentile_cont_place(double fraction, int64 n, int64 *low, int64 *high, double *part)
{
	double place = fraction * (n - 1);

	*low = (int64) floor(place);
	*high = (int64) ceil(place);
	*part = place - floor(place);
}

/*
 * Returns the position, from 0, of the value that percentile_disc returns: the first at which `fraction` of the n
 * values are reached.
 */
static inline int64
percentile_disc_place(double fraction, int64 n)
{
	return Max((int64) ceil(fraction * n) - 1, 0);
}

/* Return the value that is `part` of the way from the lower value to the higher one. */
extern Datum interpolate_float8(Datum low, Datum high, double part);
extern Datum interpolate_interval(Datum low, Datum high, double part); /* may raise an error: out of range */

/* Returns the rank of a value as a fraction, as core's percent_rank(): `below` of `n` values are less. */
static inline double
percent_rank(int64 below, int64 n)
{
	return n <= 1 ? 0.0 : (double) below / (double) (n - 1);
}

#endif /* SCAN_COLUMN_PERCENTILE_H */
