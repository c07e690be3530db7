/*
 * decimal_average.c: quotients of a total and a count, rounded as core's numeric_div rounds them.
 *
 * Nearly every average is a quotient of up to sixteen decimals before the last place of the total and as many behind
 * it.  store_quotient() multiplies by the count's reciprocal (decimal_digits.h), and takes the digits behind the last
 * place from a fraction of 64 bits.  The fraction decides how the quotient is rounded, but in one case of a thousand.
 * That case and everything else are computed in 128 bits, or by core.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/fmgrprotos.h"

#include "compat.h"
#include "number/decimal.h"
#include "number/decimal_digits.h"

/* Returns the number of digits of x, which is less than 10000^UNITS_DIGITS; of 0 there is one. */
static inline int
digits_in(uint128 x)
{
	int n = WORD_DIGITS + 1;

	if (likely(x < WORD_BASE))
		return 1 + ((uint64) x >= BASE) + ((uint64) x >= HALF_BASE) + ((uint64) x >= WORD_BASE / BASE);
	while (n < UNITS_DIGITS && x >= powers_of_base[n])
		n++;
	return n;
}

/*
 * Returns the scale that core gives to x * 10000^-places / count (select_div_scale): at least sixteen
 * significant digits, as estimated from the first digits of both, and never less than the scale of the total.
 * *max: the quotient is below 10000^max.
 */
static inline int
quotient_scale(uint128 x, int places, int scale, uint64 count, int *max)
{
	int	   digits = digits_in(x);
	int	   weight = x == 0 ? 0 : digits - places - 1;
	int	   count_weight = 0;
	uint64 count_first = count;
	int	   estimate;

	for (; count_first >= BASE; count_first /= BASE)
		count_weight++;
	estimate = weight - count_weight;
	*max = estimate + 1;
	/* the first digit of x is no larger than that of count */
	if (x < (count_first + 1) * powers_of_base[digits - 1])
		estimate--;
	return Min(Max(NUMERIC_MIN_SIG_DIGITS - estimate * BASE_DIGITS, scale), NUMERIC_MAX_DISPLAY_SCALE);
}

/*
 * Computes total / count, rounded half away from zero.  Returns false if 128 bits are not enough.  `quotient` may be
 * `total`.
 */
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

/* ---- most averages ---- */

/* How a fraction of WORD_DIGITS digits is rounded to 0 to WORD_DIGITS of them. */
typedef struct Roundings
{
	uint64 half[WORD_DIGITS + 1]; /* half of the last digit's unit, in units of 2^-64, rounded down, less 1 */
	uint64 kept[WORD_DIGITS + 1]; /* the packed digits that are kept */
} Roundings;

#define HALF_OF(unit) (-1 + (UINT64CONST(1) << 63) / (unit))

static const Roundings roundings = {
	{HALF_OF(1), HALF_OF(BASE), HALF_OF(HALF_BASE), HALF_OF(WORD_BASE / BASE), HALF_OF(WORD_BASE)},
	{0, UINT64CONST(0xFFFF), UINT64CONST(0xFFFFFFFF), UINT64CONST(0xFFFFFFFFFFFF), ~UINT64CONST(0)},
};

#define NINES UINT64CONST(0x270F270F270F270F) /* packed digits */

/* the most places of a total: the short header then holds every scale and weight */
#define QUICK_PLACES 8

/* A number x * 10000^-places, divided by a count. */
typedef struct Division
{
	uint128			  x; /* the number without its sign */
	uint64			  places;
	uint64			  scale; /* the least scale of the quotient */
	uint64			  sign;	 /* SHORT_NEGATIVE, or 0 */
	uint64			  whole; /* the quotient, in units of the last place */
	uint64			  rest;
	const Reciprocal *count;
} Division;

/*
 * Returns the weight that core estimates of the quotient (select_div_scale): the largest w for which the number is
 * beyond * BASE^w or more.  The weight itself is the estimate or one more.
 */
static inline uint64
estimated_weight(const Division *d)
{
	uint64 beyond = d->count->beyond;

	if (d->whole < HALF_BASE)
		return d->x >= beyond * BASE;
	return 1 + (d->x >= beyond * HALF_BASE) + (d->x >= (uint128) beyond * (WORD_BASE / BASE));
}

static inline uint64
next_digit(uint64 *fraction)
{
	uint64 digit = high_product(*fraction, BASE);

	*fraction *= BASE;
	return digit;
}

/*
 * Computes the digits behind the last place, packed: the first `more` of them, rounded half away from zero.  Returns
 * false if the fraction is too near to a half to decide, or is rounded up to 1.
 */
static pg_attribute_always_inline bool
fraction_digits(const Division *d, uint64 more, uint64 *digits)
{
	uint64 fraction = reciprocal_fraction(d->count, d->rest), dropped;

	if (unlikely(__builtin_add_overflow(fraction, roundings.half[more], &fraction)))
		return false;
	*digits = next_digit(&fraction);
	*digits |= next_digit(&fraction) << 16;
	*digits |= next_digit(&fraction) << 32;
	*digits |= next_digit(&fraction) << 48;
	/*
	 * What the fraction and the half lack together is less than 3 * 2^-64.  It carries only into digits that are
	 * dropped, unless all of them are nines.
	 */
	dropped = ~roundings.kept[more];
	if (unlikely(fraction > PG_UINT64_MAX - 3 * WORD_BASE) && (*digits & dropped) == (NINES & dropped))
		return false;
	*digits &= roundings.kept[more];
	return true;
}

/* Stores a quotient without digits behind the last place. */
static pg_noinline Size
store_units(char *to, uint64 units, bool negative, int places)
{
	Decimal quotient = {negative ? -(int128) units : (int128) units, places, places * BASE_DIGITS};

	return decimal_store(to, &quotient);
}

/*
 * Stores the quotient, which is 1 or more in units of the last place.  Returns false if it cannot.  The first word's
 * leading zeros are stored where the header comes afterwards.
 */
static pg_attribute_always_inline bool
store_quotient(char *to, const Division *d, uint64 count, Size *size)
{
	uint64 first, second, weight, more, n, scale;

	if (unlikely(d->whole >= WORD_BASE))
	{
		if (d->x < (uint128) d->count->beyond * WORD_BASE || d->places * BASE_DIGITS < d->scale)
			return false;
		*size = store_units(to, d->whole + (d->rest >= count - d->rest), d->sign != 0, (int) d->places);
		return true;
	}
	more = WORD_DIGITS - estimated_weight(d);
	if (d->whole < HALF_BASE)
	{
		first = (uint64) packed_half((uint32) d->whole) << 32;
		weight = d->whole >= BASE;
	}
	else
	{
		first = packed_digits(d->whole);
		weight = WORD_DIGITS - 1 - (unsigned) __builtin_ctzll(first) / 16;
	}
	scale = (more + d->places) * BASE_DIGITS;
	if (d->scale > 0 && unlikely(scale < d->scale))
	{
		/* the total shows more decimals */
		scale = d->scale;
		more = scale / BASE_DIGITS - d->places;
		if (scale % BASE_DIGITS != 0 || more > WORD_DIGITS)
			return false;
	}
	if (!fraction_digits(d, more, &second))
		return false;
	put_packed(to + weight * sizeof(int16), first);
	put_packed(to + (weight + WORD_DIGITS) * sizeof(int16), second);
	n = weight + 1 + more;
	/* the last digit is seldom 0 */
	if (unlikely(second <= roundings.kept[more - 1]))
		n = weight + 1 + (second != 0 ? digits_to_last(second) : digits_to_last(first) - WORD_DIGITS);
	*size = put_header(
		to, FORM_SHORT + d->sign + (scale << SHORT_SCALE_SHIFT) + ((weight - d->places) & SHORT_WEIGHT_MASK), n);
	return true;
}

/* Stores x / count, where x is 2^63 at most; false if it cannot, or if the count is not in the table of reciprocals. */
static pg_attribute_always_inline bool
store_narrow(char *to, int64 units, int places, int scale, int64 count, Size *size)
{
	uint64	 sign = (uint64) (units >> 63);
	uint64	 x = ((uint64) units ^ sign) - sign;
	Division d = {.places = places, .scale = scale, .sign = sign & SHORT_NEGATIVE, .count = reciprocal_entry(count)};

	if (unlikely(d.count->divisor != (uint64) count))
		return false;
	if (unlikely(x < d.count->beyond))
	{
		if (x == 0)
			return false;
		/* the quotient may be less than 1; core estimates its weight as 0 once this loop has ended */
		do
		{
			x *= BASE;
			d.places++;
		} while (x < d.count->beyond);
	}
	d.x = x;
	d.whole = reciprocal_divide(d.count, x);
	d.rest = x - d.whole * count;
	return store_quotient(to, &d, count, size);
}

/* The same for a larger x. */
static bool
store_wide(char *to, const Decimal *total, int64 count, Size *size)
{
	Division d = {.x = int128_magnitude(total->units),
				  .places = total->places,
				  .scale = total->scale,
				  .sign = total->units < 0 ? SHORT_NEGATIVE : 0,
				  .count = reciprocal_entry(count)};
	uint64	 high = (uint64) (d.x >> 32), low;

	/* the quotient is less than 2^63 */
	if (d.x >> 64 >= (uint64) count / 2)
		return false;
	d.whole = reciprocal_divide(d.count, high);
	low = (high - d.whole * count) << 32 | (uint32) d.x;
	d.rest = reciprocal_divide(d.count, low);
	d.whole = d.whole << 32 | d.rest;
	d.rest = low - d.rest * count;
	return store_quotient(to, &d, count, size);
}

/* As decimal_store_average(), for any total and count. */
static pg_noinline Size
store_any_average(char *to, int128 units, int places, int scale, int64 count)
{
	Decimal total = {units, places, scale};
	Size	size;

	if (count < RECIPROCAL_LIMIT && places <= QUICK_PLACES)
	{
		if (reciprocal_entry(count)->divisor != (uint64) count)
			reciprocal_enter(count);
		if (units == (int64) units ? store_narrow(to, (int64) units, places, scale, count, &size)
								   : store_wide(to, &total, count, &size))
			return size;
	}
	return decimal_divide(&total, &total, count) ? decimal_store(to, &total) : 0;
}

Size
decimal_store_average(char *to, const Decimal *total, int64 count)
{
	int64 units = (int64) total->units;
	Size  size;

	if (likely(units == total->units && total->places <= QUICK_PLACES) &&
		likely(store_narrow(to, units, total->places, total->scale, count, &size)))
		return size;
	return store_any_average(to, total->units, total->places, total->scale, count);
}

Size
decimal_store_integer_average(char *to, int128 total, int64 count)
{
	int64 units = (int64) total;
	Size  size;

	if (likely(units == total) && likely(store_narrow(to, units, 0, 0, count, &size)))
		return size;
	return store_any_average(to, total, 0, 0, count);
}

Datum
decimal_average(DecimalBuffer *buffer, const Decimal *total, int64 count)
{
	if (decimal_store_average(buffer->bytes, total, count) > 0)
		return PointerGetDatum(buffer);
	return DirectFunctionCall2(numeric_div, decimal_show(buffer, total), NumericGetDatum(int64_to_numeric(count)));
}
