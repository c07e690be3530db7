/*
 * decimal_sum.h: a running sum of numerics.
 *
 * sum and avg in the plan node, scan_sum in either node and array_scan_sum all add here, so their results cannot
 * differ.  The total is a 128-bit integer (decimal.h) as long as the total and the values fit.  From the first value
 * that does not fit on, core's transition function adds, beginning with the total so far.  A user cannot tell where
 * that happened: a sum shows only its value and its display scale.
 */
#ifndef SCAN_NUMBER_DECIMAL_SUM_H
#define SCAN_NUMBER_DECIMAL_SUM_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "number/decimal.h"
#include "op/exact.h"

typedef struct DecimalSum
{
	/* cleared with each sum; zero bytes: no value was added */
	int64	 count;
	Decimal	 total;
	int64	 scaled;	  /* number of values with the scale of the total, for a sum that values leave */
	Specials specials;	  /* if there are any, the sum is NaN or infinite */
	bool	 beyond;	  /* `core` has the sum */
	bool	 handed_over; /* core continues a sum that it has not begun */

	/* kept from sum to sum */
	MemoryContext	  memory; /* context for `core`, set by the owner; must live as long as this struct */
	struct CoreState *core;	  /* NULL: no sum has needed core yet */
	DecimalBuffer	  shown;  /* memory of the last result */
} DecimalSum;

/* True if the sum is its total. */
static inline bool
decimal_sum_is_decimal(const DecimalSum *sum)
{
	return !sum->beyond && specials_flags(&sum->specials) == 0;
}

/* Starts a new sum. */
static inline void
decimal_sum_clear(DecimalSum *sum)
{
	memset(sum, 0, offsetof(DecimalSum, memory));
}

/*
 * Adds a value, which is not NULL.  Does not fail if the total is out of range: decimal_sum_show() raises that error.
 */
extern void decimal_sum_add(DecimalSum *sum, Datum value);

/*
 * For a sum that values leave again.  Core has taken a value out if it knows the scale that the sum has without it; so
 * does decimal_sum_remove().  It returns false where the sum has to begin anew, as it has to once core has continued
 * it.  decimal_sum_clear_moving() then has core add from the first value on, so that values can leave.
 */
extern void decimal_sum_clear_moving(DecimalSum *sum);
extern bool decimal_sum_remove(DecimalSum *sum, Datum value);

/*
 * Returns the sum, or 0 if no value was added.  The result lives until the next result of this sum, or is in the
 * current context.
 */
extern Datum decimal_sum_show(DecimalSum *sum);

/* Returns the average, of one value at least. */
extern Datum decimal_sum_average(DecimalSum *sum);

/*
 * Returns what core's partial aggregation of sum and avg returns for one value at least: the transition value as a
 * bytea, in the current context.  No value has left the sum, and none is added after that.
 */
extern Datum decimal_sum_serialize(DecimalSum *sum);

/*
 * Evaluates one row of scan_sum.  Starts a new sum at a head, adds the value if it is not NULL, and returns the sum:
 * with the row if inclusive, without it if exclusive.  *isnull is the value's on entry and the result's on return.
 */
extern Datum decimal_sum_step(DecimalSum *sum, bool head, bool exclusive, Datum value, bool *isnull);

/* Saves a sum of numerics.  It is restored into a sum whose `memory` is set. */
extern void save_decimal_sum(StringInfo bytes, DecimalSum *sum);
extern void restore_decimal_sum(StringInfo bytes, DecimalSum *sum);

#endif /* SCAN_NUMBER_DECIMAL_SUM_H */
