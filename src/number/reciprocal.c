/*
 * reciprocal.c: fills the table of the reciprocals of counts; decimal_digits.h divides by them.
 */
#include "postgres.h"

#include "number/decimal_digits.h"

/* Counts that follow each other are entered together, up to a multiple of this. */
#define RUN 16

#define EXPONENT_SHIFT 52
#define EXPONENT_BIAS 1023

StaticAssertDecl(BASE % RUN == 0, "a power of BASE begins a run, so all divisors of a run have as many digits");

Reciprocal reciprocals[RECIPROCAL_ENTRIES];

/*
 * Computes the factor and the shift of a divisor, by one step of Newton from a float.  The float misses the factor by
 * 2^11 at most.  So what it lacks, times the divisor, is less than 2^43, and exact both as an integer and as a float.
 * Rejected: to count the leading zeros of the divisor.  Without the instruction lzcnt, each count waits for the last
 * one, and a divisor takes 19 ns instead of 7.
 */
static void
compute_reciprocal(Reciprocal *entry, uint64 divisor)
{
	double twice = (double) (int64) (2 * divisor - 1), power, part;
	uint64 bits, factor;
	int64  lack;

	memcpy(&bits, &twice, sizeof(bits));
	entry->shift = (int) (bits >> EXPONENT_SHIFT) - EXPONENT_BIAS;
	bits = (uint64) (EXPONENT_BIAS + 61 + entry->shift) << EXPONENT_SHIFT;
	memcpy(&power, &bits, sizeof(power));
	/* an eighth of the factor plus 2^64, so that it fits in an int64 */
	part = power / (double) (int64) divisor;
	factor = (uint64) (int64) part << 3;
	lack = -(int64) (factor * divisor);
	factor += (int64) ((double) lack / (double) (int64) divisor);
	lack = -(int64) (factor * divisor);
	entry->factor = factor + (lack >= 0);
	entry->divisor = divisor;
}

void
reciprocal_enter(uint64 divisor)
{
	uint64 end = divisor + 1, unit = 1, beyond;

	if (reciprocals[(divisor - 1) % RECIPROCAL_ENTRIES].divisor == divisor - 1)
		end = (divisor | (RUN - 1)) + 1;
	while (unit * BASE <= divisor)
		unit *= BASE;
	beyond = (divisor / unit + 1) * unit;
	for (; divisor < end; divisor++)
	{
		Reciprocal *entry = &reciprocals[divisor % RECIPROCAL_ENTRIES];

		if (divisor == beyond)
			beyond += unit;
		entry->beyond = beyond;
		compute_reciprocal(entry, divisor);
	}
}
