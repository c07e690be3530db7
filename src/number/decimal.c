/*
 * decimal.c: reads and writes the bytes of PostgreSQL's numeric.
 *
 * The bytes after the varlena header are as in core's numeric.c: the same since 9.1, infinities since 14.  All are
 * 16-bit words in the machine's byte order, not aligned where the varlena header is one byte:
 *
 *   short  10sddddd dwwwwwww             s sign, d display scale, w weight (signed)
 *   long   0sdddddd dddddddd, weight     s sign, d display scale
 *   other  1100.. NaN, 1101.. infinity, 1111.. -infinity; no digits
 *
 * The digits follow, of base 10000; the first one is worth digit * 10000^weight.  There are no zeros at either end, and
 * 0 has no digits at all.  The short form is used wherever scale and weight fit.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/fmgrprotos.h"

#include "compat.h"
#include "number/decimal.h"

#define FORM_MASK 0xC000
#define FORM_SHORT 0x8000
#define FORM_NEGATIVE 0x4000 /* in the long form */

#define SHORT_NEGATIVE 0x2000
#define SHORT_SCALE_SHIFT 7
#define SHORT_SCALE_MAX 0x3F
#define SHORT_WEIGHT_MASK 0x7F
#define SHORT_WEIGHT_MAX 63
#define SHORT_WEIGHT_MIN (-64)

#define LONG_SCALE_MASK 0x3FFF

#define BASE 10000
#define BASE_DIGITS 4 /* decimals in a digit */

StaticAssertDecl(VARHDRSZ == sizeof(int32), "a varlena has a header of four bytes");
StaticAssertDecl(NUMERIC_MIN_SIG_DIGITS == 4 * BASE_DIGITS, "the scale of quotients is not the one known here");
StaticAssertDecl(NUMERIC_MAX_DISPLAY_SCALE == 1000, "the scale of quotients is not the one known here");

/* a uint64 word holds 4 digits: 10000^4 */
#define WORD_DIGITS 4
#define WORD_BASE UINT64CONST(10000000000000000)

/* digits that always fit in an int128, sign included: 10^36 */
#define UNITS_DIGITS 9

static const uint64 powers_of_ten[] = {
	1,
	10,
	100,
	1000,
	10000,
	100000,
	1000000,
	10000000,
	100000000,
	1000000000,
	UINT64CONST(10000000000),
	UINT64CONST(100000000000),
	UINT64CONST(1000000000000),
	UINT64CONST(10000000000000),
	UINT64CONST(100000000000000),
	UINT64CONST(1000000000000000),
	UINT64CONST(10000000000000000),
	UINT64CONST(100000000000000000),
	UINT64CONST(1000000000000000000),
};
#define MAX_POWER_OF_TEN 18

#define WIDE(factor) ((uint128) WORD_BASE * (factor))

static const uint128 powers_of_base[UNITS_DIGITS + 1] = {
	1,
	10000,
	100000000,
	UINT64CONST(1000000000000),
	WORD_BASE,
	WIDE(10000),
	WIDE(100000000),
	WIDE(UINT64CONST(1000000000000)),
	WIDE(WORD_BASE),
	WIDE(WORD_BASE) * 10000,
};

static inline uint128
int128_magnitude(int128 x)
{
	return x < 0 ? -(uint128) x : (uint128) x;
}

/* ---- from bytes ---- */

static inline uint16
numeric_word(const char *bytes)
{
	uint16 word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static inline int
numeric_digit(const DecimalParts *parts, int i)
{
	return (int16) numeric_word(parts->digits + i * sizeof(int16));
}

void
decimal_read(DecimalParts *parts, const struct varlena *value)
{
	const char *bytes = VARDATA_ANY(value);
	uint16		header = numeric_word(bytes);
	int			size = VARSIZE_ANY_EXHDR(value);

	parts->special = DECIMAL_NUMBER;
	if ((header & FORM_MASK) == FORM_SHORT)
	{
		/* the top bit of the weight's seven is its sign */
		int weight = header & SHORT_WEIGHT_MASK;

		parts->negative = (header & SHORT_NEGATIVE) != 0;
		parts->scale = (header >> SHORT_SCALE_SHIFT) & SHORT_SCALE_MAX;
		parts->weight = weight > SHORT_WEIGHT_MAX ? weight - 2 * (SHORT_WEIGHT_MAX + 1) : weight;
		parts->digits = bytes + sizeof(uint16);
		parts->n = (size - (int) sizeof(uint16)) / (int) sizeof(int16);
	}
	else if ((header & FORM_MASK) != FORM_MASK)
	{
		parts->negative = (header & FORM_NEGATIVE) != 0;
		parts->scale = header & LONG_SCALE_MASK;
		parts->weight = (int16) numeric_word(bytes + sizeof(uint16));
		parts->digits = bytes + 2 * sizeof(uint16);
		parts->n = (size - 2 * (int) sizeof(uint16)) / (int) sizeof(int16);
	}
	else
	{
		parts->special = header == DECIMAL_INFINITY || header == DECIMAL_MINUS_INFINITY ? (DecimalSpecial) header
																						: DECIMAL_NAN;
		/* callers turn the sign of what they subtract before they look at `special` */
		parts->negative = false;
	}
}

/* Returns the digits as an integer, with `more` zeros after them: UNITS_DIGITS digits at most. */
static inline uint128
digits_and_zeros(const DecimalParts *value, int more)
{
	uint128 wide = 0;
	uint64	word = 0;

	if (value->n + more <= WORD_DIGITS)
	{
		for (int i = 0; i < value->n; i++)
			word = word * BASE + numeric_digit(value, i);
		return word * powers_of_ten[BASE_DIGITS * more];
	}
	for (int i = 0; i < value->n; i++)
		wide = wide * BASE + numeric_digit(value, i);
	return wide * powers_of_base[more];
}

/* Gives a total more places.  Returns false, with the total unchanged, if its units would not fit in 128 bits. */
static bool
raise_places(Decimal *total, int places)
{
	int	   more = places - total->places;
	int128 units = 0;

	if (total->units != 0 &&
		(more > UNITS_DIGITS || __builtin_mul_overflow(total->units, (int128) powers_of_base[more], &units)))
		return false;
	total->units = units;
	total->places = places;
	return true;
}

bool
decimal_add(Decimal *total, const DecimalParts *value)
{
	int fraction = value->n - value->weight - 1; /* digits after the point */
	int integer = value->weight + 1;			 /* digits before the point */

	if (value->n > 0)
	{
		uint128 x;
		int128	sum;

		/* the total keeps its value, even if the value then does not fit */
		if (fraction > total->places && !raise_places(total, fraction))
			return false;
		if (integer + total->places > UNITS_DIGITS)
			return false;
		x = digits_and_zeros(value, total->places - fraction);
		if (__builtin_add_overflow(total->units, value->negative ? -(int128) x : (int128) x, &sum))
			return false;
		total->units = sum;
	}
	total->scale = Max(total->scale, value->scale);
	return true;
}

bool
decimal_align(Decimal *a, Decimal *b)
{
	if (likely(a->places == b->places))
		return true;
	return a->places < b->places ? raise_places(a, b->places) : raise_places(b, a->places);
}

bool
decimal_add_decimal(Decimal *total, const Decimal *value)
{
	Decimal x = *value;
	int128	sum;

	if (!decimal_align(total, &x) || __builtin_add_overflow(total->units, x.units, &sum))
		return false;
	total->units = sum;
	total->scale = Max(total->scale, x.scale);
	return true;
}

/* True if there are no zeros at either end, as core stores digits. */
static inline bool
is_stripped(const DecimalParts *parts)
{
	return parts->n == 0 || (numeric_digit(parts, 0) != 0 && numeric_digit(parts, parts->n - 1) != 0);
}

static inline int
sign_of_parts(const DecimalParts *parts)
{
	return parts->n == 0 ? 0 : parts->negative ? -1 : 1;
}

static int
compare_digits(const DecimalParts *a, const DecimalParts *b)
{
	if (a->weight != b->weight)
		return a->weight - b->weight;
	for (int i = 0; i < Min(a->n, b->n); i++)
		if (numeric_digit(a, i) != numeric_digit(b, i))
			return numeric_digit(a, i) - numeric_digit(b, i);
	return a->n - b->n;
}

bool
decimal_compare(const DecimalParts *a, const DecimalParts *b, int *order)
{
	int sign;

	if (a->special != DECIMAL_NUMBER || b->special != DECIMAL_NUMBER || !is_stripped(a) || !is_stripped(b))
		return false;
	sign = sign_of_parts(a);
	*order = sign != sign_of_parts(b) ? sign - sign_of_parts(b) : sign * compare_digits(a, b);
	return true;
}

/* ---- to bytes ---- */

/* Returns the number of digits of a word; 0 has none.  Without a branch: running totals have any number of digits. */
static inline int
digits_in_word(uint64 word)
{
	int n = word >= WORD_BASE;

	for (int i = 0; i < WORD_DIGITS; i++)
		n += word >= powers_of_ten[BASE_DIGITS * i];
	return n;
}

/*
 * Returns the digits of a word less than WORD_BASE, 16 bits each, the first one in the lowest bits.  The word's halves
 * are divided at the same time.  A half minus its quotient times BASE is its second digit; that is shifted by one digit
 * for both halves in one multiplication.
 */
static inline uint64
packed_digits(uint64 word)
{
	uint32 high = (uint32) (word / (BASE * BASE));
	uint32 low = (uint32) (word - (uint64) high * (BASE * BASE));
	uint64 halves = high | (uint64) low << 32;
	uint64 quotients = high / BASE | (uint64) (low / BASE) << 32;

	return (halves << 16) - quotients * ((BASE << 16) - 1);
}

static inline void
put_digit(char *digits, int i, uint64 digit)
{
	int16 word = (int16) digit;

	memcpy(digits + i * (int) sizeof(int16), &word, sizeof(word));
}

/*
 * Writes the digits of a word less than WORD_BASE, WORD_DIGITS of them.  Digits are in the machine's byte order, so
 * packed digits are bytes as they are only where the lowest byte is the first.
 */
static inline void
put_packed(char *digits, uint64 packed)
{
#ifdef WORDS_BIGENDIAN
	for (int i = 0; i < WORD_DIGITS; i++)
		put_digit(digits, i, packed >> 16 * i);
#else
	memcpy(digits, &packed, sizeof(packed));
#endif
}

/*
 * Stores the digits of a word without zeros at either end, and returns their number.  *count: the number of digits of
 * the word, zeros at its end included.  WORD_DIGITS + 1 digits are written.
 */
static inline int
store_word(char *digits, uint64 word, int *count)
{
	uint64	first = word / WORD_BASE;
	uint64	rest = packed_digits(word - first * WORD_BASE);
	uint64	low = first | rest << 16;
	int		zeros = low == 0 ? WORD_DIGITS : __builtin_ctzll(low) / 16;
	uint128 all = ((uint128) (rest >> 48) << 64 | low) >> 16 * zeros;

	low = (uint64) all;
	put_packed(digits, low);
	put_digit(digits, WORD_DIGITS, all >> 64);
	*count = WORD_DIGITS + 1 - zeros;
	return all >> 64 != 0 ? WORD_DIGITS + 1 : (64 - __builtin_clzll(low | 1) + 15) / 16 - (low == 0);
}

static inline bool
last_is_zero(const char *digits, int n)
{
	return n > 0 && numeric_word(digits + (n - 1) * sizeof(int16)) == 0;
}

static inline bool
fits_short_header(int scale, int weight)
{
	return scale <= SHORT_SCALE_MAX && weight >= SHORT_WEIGHT_MIN && weight <= SHORT_WEIGHT_MAX;
}

static inline uint16
short_header(const Decimal *decimal, int weight)
{
	return FORM_SHORT | (decimal->units < 0 ? SHORT_NEGATIVE : 0) | (decimal->scale << SHORT_SCALE_SHIFT) |
		   (weight & SHORT_WEIGHT_MASK);
}

/* Stores any number; returns the bytes that it takes. */
static Size
store_any(char *to, const Decimal *decimal)
{
	uint128 x = int128_magnitude(decimal->units);
	uint64	low[2]; /* words of WORD_DIGITS digits after the first word, the lowest one first */
	int		lows = 0;
	int		n, weight, ignored;
	char   *digits = to + VARHDRSZ;
	uint16	header[2] = {0, 0};

	while (x > PG_UINT64_MAX)
	{
		uint128 rest = x / WORD_BASE;

		low[lows++] = (uint64) (x - rest * WORD_BASE);
		x = rest;
	}
	n = digits_in_word((uint64) x);
	weight = x == 0 ? 0 : n + lows * WORD_DIGITS - decimal->places - 1;
	if (fits_short_header(decimal->scale, weight))
	{
		header[0] = short_header(decimal, weight);
		memcpy(digits, header, sizeof(uint16));
		digits += sizeof(uint16);
	}
	else
	{
		header[0] = (decimal->units < 0 ? FORM_NEGATIVE : 0) | decimal->scale;
		header[1] = (uint16) weight;
		memcpy(digits, header, sizeof(header));
		digits += sizeof(header);
	}

	(void) store_word(digits, (uint64) x, &ignored);
	for (; lows > 0; n += WORD_DIGITS)
		put_packed(digits + n * sizeof(int16), packed_digits(low[--lows]));
	while (last_is_zero(digits, n))
		n--;
	SET_VARSIZE(to, digits + n * sizeof(int16) - to);
	return VARSIZE(to);
}

Size
decimal_store(char *to, const Decimal *decimal)
{
	uint128 x = int128_magnitude(decimal->units);
	char   *digits = to + VARHDRSZ + sizeof(uint16);
	int		count, n, weight;
	uint16	header;
	Size	size;

	if (unlikely(x > PG_UINT64_MAX))
		return store_any(to, decimal);
	n = store_word(digits, (uint64) x, &count);
	weight = n == 0 ? 0 : count - decimal->places - 1;
	if (unlikely(!fits_short_header(decimal->scale, weight)))
		return store_any(to, decimal);
	header = short_header(decimal, weight);
	memcpy(to + VARHDRSZ, &header, sizeof(header));
	size = VARHDRSZ + sizeof(header) + n * sizeof(int16);
	SET_VARSIZE(to, size);
	return size;
}

Datum
decimal_show(DecimalBuffer *buffer, const Decimal *decimal)
{
	(void) decimal_store(buffer->bytes, decimal);
	return PointerGetDatum(buffer);
}

Datum
decimal_show_special(DecimalBuffer *buffer, DecimalSpecial special)
{
	uint16 header = (uint16) special;

	SET_VARSIZE(buffer, VARHDRSZ + sizeof(header));
	memcpy(buffer->bytes + VARHDRSZ, &header, sizeof(header));
	return PointerGetDatum(buffer);
}

/* ---- quotients ---- */

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
