/*
 * reciprocal.h: division by counts, by multiplication.
 *
 * An average is a total over a count, and the counts of running totals are 1, 2, 3 and so on, in each partition anew.
 * So the reciprocals of the last counts are kept in a table.  Rejected: to divide by the processor, or to compute a
 * reciprocal for each answer, since all later steps of an answer wait for it.
 *
 * Source: Granlund and Montgomery, Division by invariant integers using multiplication, figure 4.1.
 */
#ifndef SCAN_NUMBER_RECIPROCAL_H
#define SCAN_NUMBER_RECIPROCAL_H

#include "postgres.h"

#include "compat.h"

/* Divisors are from 1 to this less 1; dividends are 2^63 at most. */
#define RECIPROCAL_LIMIT (UINT64CONST(1) << 31)

#define RECIPROCAL_ENTRIES 4096

/* What is known of a divisor. */
typedef struct Reciprocal
{
	uint64 divisor; /* 0: the entry is empty */
	uint64 factor;	/* 2^(64 + shift) / divisor, rounded down, plus 1, minus 2^64 */
	uint64 beyond;	/* the divisor with its first digit of base 10000 increased, and zeros for the other digits */
	int	   shift;	/* the least power of 2 that is not less than the divisor is 2^shift */
} Reciprocal;

extern Reciprocal reciprocals[RECIPROCAL_ENTRIES];

/* Returns the entry in which a divisor is, if it is in the table. */
static inline const Reciprocal *
reciprocal_entry(uint64 divisor)
{
	return &reciprocals[divisor % RECIPROCAL_ENTRIES];
}

/* Puts a divisor less than RECIPROCAL_LIMIT into the table, and those that are likely to be next. */
extern void reciprocal_enter(uint64 divisor);

static inline uint64
high_product(uint64 a, uint64 b)
{
	return (uint64) (((uint128) a * b) >> 64);
}

/* Returns x / divisor. */
static inline uint64
reciprocal_divide(const Reciprocal *reciprocal, uint64 x)
{
	return (high_product(reciprocal->factor, x) + x) >> reciprocal->shift;
}

/* Returns 2^64 * rest / divisor, where rest is less than the divisor; the quotient is off by less than 1. */
static inline uint64
reciprocal_fraction(const Reciprocal *reciprocal, uint64 rest)
{
	/* of the divisor 1, whose shift would be 64, the rest is 0 */
	uint64 x = rest << (-reciprocal->shift & 63);

	return high_product(reciprocal->factor, x) + x;
}

#endif /* SCAN_NUMBER_RECIPROCAL_H */
