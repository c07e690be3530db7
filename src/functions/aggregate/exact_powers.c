/*
 * exact_powers.c: the aggregates exact_skewness* and exact_kurtosis*.
 *
 * They share one transition value, an exact_state of powers (op/powers.h), and its transition functions, so that core
 * adds a value once for several of them.  A bigint and a numeric are taken as they are, since as a double they would
 * lose digits.  A numeric goes in as an integer in units of 10000^-places; the first value that has more places than
 * the state multiplies its sums.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/datum.h"

#include "compat.h"
#include "error.h"
#include "functions/aggregate/exact_argument.h"
#include "number/decimal.h"

#define TAKE(D, NAME, ARGUMENTS, FIRST, SECOND, TAKEN) \
	EXACT_TAKE_BOTH(EXACT_STATE_POWERS, EXACT_POWERS_SUMS, NAME, ARGUMENTS, TAKEN)

/* limb := limb * factor + term, for a number of *n limbs and room for one more */
static void
limbs_append(uint64 *limb, int *n, uint64 factor, uint64 term)
{
	for (int i = 0; i < *n; i++)
	{
		uint128 product = (uint128) limb[i] * factor + term;

		limb[i] = (uint64) product;
		term = (uint64) (product >> 64);
	}
	if (term != 0)
		limb[(*n)++] = term;
}

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

EXACT_TAKINGS_OF_POWERS(TAKE, )
TAKE(, powers_numeric, 1, NUMERICOID, 0, take_numeric(&state->powers, memory, PG_GETARG_DATUM(1), leaves))

/* Joins the powers in a Datum to those of an open state. */
static void
join_powers(Powers *powers, ScanMemory *memory, Datum value)
{
	Powers other;

	exact_state_view(value, EXACT_STATE_POWERS, &other);
	if (other.places < powers->places)
	{
		ExactStateMemory other_memory;
		ExactState		*copy = exact_state_open(datumCopy(value, false, -1), EXACT_STATE_POWERS, &other_memory);

		rescale(&copy->powers, &other_memory.memory, powers->places);
		other = copy->powers;
	}
	rescale(powers, memory, other.places);
	powers->decimal |= other.decimal;
	exact_check_joined(powers_join(powers, memory, &other));
}

EXACT_TAKE(combine_powers, EXACT_STATE_POWERS, EXACT_POWERS_SUMS, !PG_ARGISNULL(1),
		   join_powers(&state->powers, memory, PG_GETARG_DATUM(1)))

/* ---- final functions ---- */

#define FINAL(D, NAME, KIND, SQUARES, ANSWER) EXACT_FINAL(NAME, EXACT_STATE_POWERS, Powers, Float8, ANSWER)

EXACT_OF_POWERS(FINAL, )
