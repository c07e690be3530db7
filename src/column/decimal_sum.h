/*
 * decimal_sum.h: a running sum of numerics.
 *
 * There is one: sum and avg in the plan node, scan_sum in either node and array_scan_sum add here,
 * so that they cannot differ.  The total is an integer of 128 bits (decimal.h) as long as it and
 * the values fit.  The first value that does not fit takes the sum to core's own transition
 * function, which begins with the total so far: its value and its display scale are all that
 * shows, so that nobody sees where that was.
 */
#ifndef SCAN_COLUMN_DECIMAL_SUM_H
#define SCAN_COLUMN_DECIMAL_SUM_H

#include "postgres.h"

#include "column/decimal.h"

typedef struct DecimalSum
{
	/* zero bytes: no value has gone in */
	int64		   count;
	Decimal		   total;
	DecimalSpecial special; /* if not DECIMAL_NUMBER, this is the sum */
	bool		   beyond;	/* core has the sum */

	/* not forgotten with a sum */
	MemoryContext	memory; /* of what core needs: the owner sets it, and it lives as long as the struct */
	struct CoreSum *core;	/* NULL: not needed yet */
	DecimalBuffer	shown;	/* the last result */
} DecimalSum;

/* Begins another sum. */
static inline void
decimal_sum_clear(DecimalSum *sum)
{
	memset(sum, 0, offsetof(DecimalSum, memory));
}

/* Adds a value, which is not NULL.  It cannot fail: a total that is out of range is an error where it is shown. */
extern void decimal_sum_add(DecimalSum *sum, Datum value);

/* Begins a sum in core's arithmetic with a total; the count is the caller's. */
extern void decimal_sum_go_beyond(DecimalSum *sum, Datum total);

/* The sum, 0 where there is no value: until the next result, or in the current context. */
extern Datum decimal_sum_show(DecimalSum *sum);

/* The sum by the count, of one value at least. */
extern Datum decimal_sum_average(DecimalSum *sum);

/*
 * One row of scan_sum: takes its value in, if it is not NULL, at a head into a new sum, and gives
 * the sum up to here, or up to before the row if that is exclusive.
 */
extern Datum decimal_sum_step(DecimalSum *sum, bool head, bool exclusive, Datum value, bool *isnull);

#endif /* SCAN_COLUMN_DECIMAL_SUM_H */
