/*
 * numeric_percentile.h: moving_median and moving_percentile_cont of integers and numerics, which return numeric.
 *
 * It is for functions/aggregate/moving.c, which has the values of a frame in a tree, and for
 * aggregate/order_statistics.c, which has them numbered; percentile.h has the other types.  Nothing passes through a
 * float but the fraction, which is taken as the shortest decimal that it is printed as: 0.3 is three tenths.  So the
 * place among the values, the part of the way from one to the next, and the result are exact.  Only a median between
 * two values is a quotient, with the digits that core's numeric division gives it.
 *
 * Rejected: core's place, fraction * (n - 1) in float8.  0.3 of the way through 123458 values is then 37037.1 less
 * 1e-12, and the result shows it.
 */
#ifndef SCAN_NUMBER_NUMERIC_PERCENTILE_H
#define SCAN_NUMBER_NUMERIC_PERCENTILE_H

#include "postgres.h"

#include "number/decimal.h"

typedef struct NumericPercentile
{
	Oid			  type;		  /* of the values: smallint, integer, bigint or numeric */
	bool		  is_median;  /* half of the sum of two values; else interpolated between them */
	double		  fraction;	  /* as it was given */
	Datum		  as_numeric; /* the fraction; 0: none was given yet */
	MemoryContext memory;	  /* holds as_numeric and part */
	DecimalSum	  sum;		  /* of the two values of a median */

	/* of a frame with `n` values; n = 0: of none yet */
	int64 n;
	int64 low; /* positions, from 0, of the two values that the result lies between */
	int64 high;
	Datum part; /* numeric: how far the result is from the lower to the higher value; 0: there is none */
} NumericPercentile;

/* Prepares the medians or percentiles of values of a type.  Everything lives in `memory`. */
extern void numeric_percentile_start(NumericPercentile *percentile, Oid type, bool is_median, MemoryContext memory);

/* Sets the fraction of a percentile, which may change from group to group. */
extern void numeric_percentile_set(NumericPercentile *percentile, double fraction);

/* Finds the positions of the two values that the result for n values lies between. */
extern void numeric_percentile_place(NumericPercentile *percentile, int64 n);

/*
 * Returns the result that lies between two values, which may be the same one.  It lives until the next one, as long as
 * the values, or in the current context.  A numeric may be out of range.
 */
extern Datum numeric_percentile_answer(NumericPercentile *percentile, Datum low, Datum high);

#endif /* SCAN_NUMBER_NUMERIC_PERCENTILE_H */
