/*
 * decimal_average.c: quotients of a total and a count, rounded as core's numeric_div rounds them.
 *
 * Nearly every average is a quotient of at most sixteen digits before the last place of the total, and of up to twenty
 * decimals behind it.  store_quick() computes it eight decimals at a time, which are two digits: a remainder times
 * 10^8, over the count, is less than 10^8, and a product of floats with the count's reciprocal misses it by 1 at most.
 * Everything else is computed in 128 bits, or by core.
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

/* ---- most averages ---- */

#define QUICK_COUNT (UINT64CONST(1) << 31) /* a larger count is divided by in 128 bits */
#define QUICK_TOTAL (UINT64CONST(1) << 50) /* a larger total is divided by the processor */
#define QUICK_PLACES (WORD_DIGITS + 1)	   /* digits behind the total's last place: twenty decimals */

/* Returns x / count, where the quotient is below 2^50, and the rest. */
static inline uint64
quick_divide(uint64 x, uint64 count, double reciprocal, uint64 *rest)
{
	int64 q = (int64) ((double) (int64) x * reciprocal);
	int64 r = (int64) x - q * (int64) count;

	/* the product is off by less than 3 * 2^-53 of itself */
	if (r < 0)
	{
		q--;
		r += (int64) count;
	}
	if (r >= (int64) count)
	{
		q++;
		r -= (int64) count;
	}
	*rest = (uint64) r;
	return (uint64) q;
}

/* Returns x / count, for a quotient below 2^64, and the rest; count is less than QUICK_COUNT. */
static inline uint64
whole_divide(uint128 x, uint64 count, double reciprocal, uint64 *rest)
{
	uint64 high, low, q;

	if (likely(x < QUICK_TOTAL))
		return quick_divide((uint64) x, count, reciprocal, rest);
	if (x <= PG_UINT64_MAX)
	{
		q = (uint64) x / count;
		*rest = (uint64) x - q * count;
		return q;
	}
	/* 32 bits at a time */
	high = (uint64) (x >> 32);
	q = high / count;
	low = (high - q * count) << 32 | (uint32) x;
	*rest = low % count;
	return q << 32 | low / count;
}

/*
 * Stores |total| / count, of scale `scale`, with `more` digits behind the total's last place; returns 0 if it cannot.
 */
static inline Size
store_quick(char *to, const Decimal *total, uint64 count, int scale, int more)
{
	double reciprocal = 1.0 / (double) count;
	uint64 half = count / 2, rest, whole, first, second, third = 0;
	int	   zeros, n, weight;
	char  *digits = to + VARHDRSZ + sizeof(uint16);

	/* rounded half away from zero: half of the count is added for the last digit */
	whole = whole_divide(int128_magnitude(total->units) + (more == 0 ? half : 0), count, reciprocal, &rest);
	if (unlikely(whole >= WORD_BASE))
		return 0;
	if (more == 0)
		second = 0;
	else
	{
		int	   high = Min(more, 2), low = Min(more - high, 2);
		uint64 unit = powers_of_ten[BASE_DIGITS * high];
		uint64 a = quick_divide(rest * unit + (low == 0 ? half : 0), count, reciprocal, &rest), b = 0;

		if (unlikely(a == unit))
			return 0;
		a *= powers_of_ten[BASE_DIGITS * (2 - high)];
		if (low > 0)
		{
			unit = powers_of_ten[BASE_DIGITS * low];
			b = quick_divide(rest * unit + (more > WORD_DIGITS ? 0 : half), count, reciprocal, &rest);
			if (unlikely(b == unit))
				return 0;
			b *= powers_of_ten[BASE_DIGITS * (2 - low)];
		}
		if (more > WORD_DIGITS)
		{
			third = quick_divide(rest * BASE + half, count, reciprocal, &rest);
			if (unlikely(third == BASE))
				return 0;
		}
		second = packed_halves((uint32) a, (uint32) b);
	}

	first = packed_digits(whole);
	if (unlikely(first == 0))
	{
		/* digits of the fraction come first */
		if (second == 0)
			return 0;
		zeros = zeros_before(second);
		weight = -zeros - total->places - 1;
		put_packed(digits, second >> 16 * zeros);
		n = WORD_DIGITS - zeros;
		put_digit(digits, n, third);
		n = third != 0 ? n + 1 : digits_to_last(second) - zeros;
	}
	else
	{
		zeros = zeros_before(first);
		n = WORD_DIGITS - zeros;
		weight = n - total->places - 1;
		put_packed(digits, first >> 16 * zeros);
		put_packed(digits + n * sizeof(int16), second);
		put_digit(digits, n + WORD_DIGITS, third);
		n = third != 0 ? n + WORD_DIGITS + 1 : second != 0 ? n + digits_to_last(second) : digits_to_last(first) - zeros;
	}
	if (unlikely(!fits_short_header(scale, weight)))
		return 0;
	return put_short_header(to, total->units < 0, scale, weight, n);
}

Size
decimal_store_average(char *to, const Decimal *total, int64 count)
{
	uint128 x = int128_magnitude(total->units);
	Decimal quotient;

	if (likely(count < QUICK_COUNT && x < powers_of_base[UNITS_DIGITS] && x >> 64 < (uint64) count))
	{
		int	 max;
		int	 scale = quotient_scale(x, total->places, total->scale, (uint64) count, &max);
		int	 more = scale - total->places * BASE_DIGITS;
		Size size = 0;

		if (likely(more % BASE_DIGITS == 0 && more >= 0 && more <= QUICK_PLACES * BASE_DIGITS))
			size = store_quick(to, total, (uint64) count, scale, more / BASE_DIGITS);
		if (likely(size > 0))
			return size;
	}
	return decimal_divide(&quotient, total, count) ? decimal_store(to, &quotient) : 0;
}

Datum
decimal_average(DecimalBuffer *buffer, const Decimal *total, int64 count)
{
	if (decimal_store_average(buffer->bytes, total, count) > 0)
		return PointerGetDatum(buffer);
	return DirectFunctionCall2(numeric_div, decimal_show(buffer, total), NumericGetDatum(int64_to_numeric(count)));
}
