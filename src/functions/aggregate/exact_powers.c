/*
 * exact_powers.c: powers of numerics, for the aggregates exact_skewness* and exact_kurtosis* (exact.c).
 *
 * A numeric is taken as it is, since as a double it would lose digits.  It goes in as an integer in units of
 * 10000^-places; the first value that has more places than the state multiplies its sums.
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "functions/aggregate/exact_argument.h"
#include "number/decimal.h"

/* Changes the unit of the sums. */
static void
rescale(Powers *powers, ScanMemory *memory, int64 places)
{
	if (places != powers->places && !powers_rescale(powers, memory, places))
		exact_state_refuse();
}

/* Adds a finite numeric, or removes it if `leaves`. */
static void
take_number(Powers *powers, ScanMemory *memory, const DecimalParts *parts, bool leaves)
{
	uint64 limb[POWERS_VALUE_LIMBS + 1];
	int	   n = 0, behind = parts->n - 1 - parts->weight;

	if (parts->n > 0 && (parts->weight >= POWERS_PLACES || behind > POWERS_PLACES))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("argument \"value\" must have at most %d digits before and after the decimal point",
						4 * POWERS_PLACES),
				 errhint("Round it with round(), or multiply all values by one number: skewness and kurtosis stay "
						 "the same.")));
	if (parts->n == 0)
		behind = 0;
	powers->decimal = 1;
	rescale(powers, memory, Max(powers->places, behind));
	for (int i = 0; i < parts->n; i++)
	{
		int16 digit;

		memcpy(&digit, parts->digits + i * sizeof(int16), sizeof(int16));
		limbs_append(limb, &n, 10000, (uint64) digit);
	}
	for (int64 i = behind; i < powers->places; i++)
		limbs_append(limb, &n, 10000, 0);
	powers_take_magnitude(powers, memory, limb, n, parts->negative, leaves);
}

static void
take_numeric(Powers *powers, ScanMemory *memory, Datum value, bool leaves)
{
	struct varlena *plain = decimal_plain(value);
	DecimalParts	parts;

	decimal_read(&parts, plain);
	if (parts.special == DECIMAL_NUMBER)
		take_number(powers, memory, &parts, leaves);
	else
		specials_take(&powers->x.specials, decimal_special_value(parts.special), leaves ? -1 : 1);
	decimal_free_plain(plain, value);
}

EXACT_TAKE_BOTH(POWERS, powers_numeric, 1, NUMERICOID, 0, take_numeric(c, memory, PG_GETARG_DATUM(1), leaves))

bool
exact_powers_join(Powers *powers, ScanMemory *memory, Powers *other, Datum value)
{
	if (powers->decimal != other->decimal && powers->x.finite != 0 && other->x.finite != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid %s value", "exact_state"),
						errdetail("A state of numerics is joined with one of other numbers, which has another unit."),
						errhint("Pass a state only to functions of the aggregate that made it.")));
	exact_powers_align(other, value, powers->places);
	rescale(powers, memory, other->places);
	powers->decimal |= other->decimal;
	return powers_join(powers, memory, other);
}
