/*
 * decimal_average.c: quotients of a total and a count, rounded as core's numeric_div rounds them.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/fmgrprotos.h"

#include "compat.h"
#include "number/decimal.h"
#include "number/decimal_digits.h"

/* Returns the number of digits of x, which is less than 10000^UNITS_DIGITS. */
static inline int
digits_in(uint128 x)
{
	int n = 1;

	while (n < UNITS_DIGITS && x >= powers_of_base[n])
		n++;
	return n;
}

/*
 * Returns the scale that core gives to x * 10000^-places / count (select_div_scale): at least sixteen
 * significant digits, as estimated from the first digits of both, and never less than the scale of the total.
 * *max: the quotient is below 10000^max.
 */
static int
quotient_scale(uint128 x, int places, int scale, uint64 count, int *max)
{
	int	   digits = digits_in(x);
	int	   weight = x == 0 ? 0 : digits - places - 1;
	int	   count_weight = digits_in(count) - 1;
	uint64 count_first = count / (uint64) powers_of_base[count_weight];
	int	   estimate = weight - count_weight;

	*max = estimate + 1;
	/* the first digit of x is no larger than that of count */
	if (x < (count_first + 1) * powers_of_base[digits - 1])
		estimate--;
	return Min(Max(NUMERIC_MIN_SIG_DIGITS - estimate * BASE_DIGITS, scale), NUMERIC_MAX_DISPLAY_SCALE);
}

/* Computes total / count, rounded half away from zero.  Returns false if 128 bits are not enough. */
static bool
decimal_divide(Decimal *quotient, const Decimal *total, int64 count)
{
	uint128 x = int128_magnitude(total->units);
	uint64	divisor = (uint64) count;
	uint64	rest;
	uint128 q;
	int		max, scale, more;

	if (x >= powers_of_base[UNITS_DIGITS])
		return false;
	scale = quotient_scale(x, total->places, total->scale, divisor, &max);
	/* the result's decimals, with up to three zeros that fill its last digit, must fit */
	if (max * BASE_DIGITS + scale + BASE_DIGITS - 1 > UNITS_DIGITS * BASE_DIGITS)
		return false;

	/*
	 * `more`: decimals of the quotient beyond the total's.  If it is negative, it is less than a digit, but for
	 * numerics with more decimals than they display, which core does not make.
	 */
	more = scale - total->places * BASE_DIGITS;
	if (more <= -BASE_DIGITS || (more < 0 && __builtin_mul_overflow(divisor, powers_of_ten[-more], &divisor)) ||
		divisor > PG_INT64_MAX)
		return false;

	if (x <= PG_UINT64_MAX)
		q = (uint64) x / divisor;
	else
		q = x / divisor;
	rest = (uint64) (x - q * divisor);
	while (more > 0)
	{
		int		n = Min(more, MAX_POWER_OF_TEN);
		uint128 next = (uint128) rest * powers_of_ten[n];
		uint64	part = (uint64) (next / divisor);

		rest = (uint64) (next - (uint128) part * divisor);
		q = q * powers_of_ten[n] + part;
		more -= n;
	}
	if (rest >= divisor - rest)
		q++;
	quotient->scale = scale;
	quotient->places = (scale + BASE_DIGITS - 1) / BASE_DIGITS;
	q *= powers_of_ten[quotient->places * BASE_DIGITS - scale];
	quotient->units = total->units < 0 ? -(int128) q : (int128) q;
	return true;
}

Size
decimal_store_average(char *to, const Decimal *total, int64 count)
{
	Decimal quotient;

	return decimal_divide(&quotient, total, count) ? decimal_store(to, &quotient) : 0;
}

Datum
decimal_average(DecimalBuffer *buffer, const Decimal *total, int64 count)
{
	if (decimal_store_average(buffer->bytes, total, count) > 0)
		return PointerGetDatum(buffer);
	return DirectFunctionCall2(numeric_div, decimal_show(buffer, total), NumericGetDatum(int64_to_numeric(count)));
}
