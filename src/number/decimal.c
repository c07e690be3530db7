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

#include "compat.h"
#include "number/decimal.h"
#include "number/decimal_digits.h"

/* ---- from bytes ---- */

static inline uint16
numeric_word(const char *bytes)
{
	uint16 word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

void
decimal_read(DecimalParts *parts, const struct varlena *value)
{
	const char *bytes = VARDATA_ANY(value);
	uint16		header = numeric_word(bytes);
	int			size = VARSIZE_ANY_EXHDR(value);

	if ((header & FORM_MASK) == FORM_SHORT)
	{
		/* the top bit of the weight's seven is its sign */
		int weight = header & SHORT_WEIGHT_MASK;

		*parts = (DecimalParts){
			.special = DECIMAL_NUMBER,
			.negative = (header & SHORT_NEGATIVE) != 0,
			.scale = (header >> SHORT_SCALE_SHIFT) & SHORT_SCALE_MAX,
			.weight = weight > SHORT_WEIGHT_MAX ? weight - 2 * (SHORT_WEIGHT_MAX + 1) : weight,
			.digits = bytes + sizeof(uint16),
			.n = (size - (int) sizeof(uint16)) / (int) sizeof(int16),
		};
	}
	else if ((header & FORM_MASK) != FORM_MASK)
		*parts = (DecimalParts){
			.special = DECIMAL_NUMBER,
			.negative = (header & FORM_NEGATIVE) != 0,
			.scale = header & LONG_SCALE_MASK,
			.weight = (int16) numeric_word(bytes + sizeof(uint16)),
			.digits = bytes + 2 * sizeof(uint16),
			.n = (size - 2 * (int) sizeof(uint16)) / (int) sizeof(int16),
		};
	else
		/* callers turn the sign of what they subtract before they look at `special` */
		*parts = (DecimalParts){
			.special = header == DECIMAL_INFINITY || header == DECIMAL_MINUS_INFINITY ? (DecimalSpecial) header
																					  : DECIMAL_NAN,
			.negative = false,
		};
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
			word = word * BASE + decimal_digit(value, i);
		return word * powers_of_ten[BASE_DIGITS * more];
	}
	for (int i = 0; i < value->n; i++)
		wide = wide * BASE + decimal_digit(value, i);
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
	return parts->n == 0 || (decimal_digit(parts, 0) != 0 && decimal_digit(parts, parts->n - 1) != 0);
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
		if (decimal_digit(a, i) != decimal_digit(b, i))
			return decimal_digit(a, i) - decimal_digit(b, i);
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

/* Stores a number of two words, the first of which is not 0. */
static inline Size
store_two_words(char *to, const Decimal *decimal, uint64 high, uint64 low)
{
	uint64 first = packed_digits(high), second = packed_digits(low);
	char  *digits = to + VARHDRSZ + sizeof(uint16);
	int	   zeros = zeros_before(first);
	int	   n = 2 * WORD_DIGITS - zeros;
	int	   weight = n - decimal->places - 1;

	if (unlikely(!fits_short_header(decimal->scale, weight)))
		return store_any(to, decimal);
	put_packed(digits, first >> 16 * zeros);
	put_packed(digits + (WORD_DIGITS - zeros) * sizeof(int16), second);
	n = second != 0 ? digits_to_last(second) + WORD_DIGITS - zeros : digits_to_last(first) - zeros;
	return put_short_header(to, decimal->units < 0, decimal->scale, weight, n);
}

Size
decimal_store(char *to, const Decimal *decimal)
{
	uint128 x = int128_magnitude(decimal->units);
	uint64	first, low;
	int		zeros, weight;

	if (x >= WORD_BASE)
	{
		uint64 high;

		if (x <= PG_UINT64_MAX)
		{
			high = (uint64) x / WORD_BASE;
			low = (uint64) x - high * WORD_BASE;
		}
		else if (x < powers_of_base[2 * WORD_DIGITS])
			high = divide_by_word_base(x, &low);
		else
			return store_any(to, decimal);
		return store_two_words(to, decimal, high, low);
	}
	first = packed_digits((uint64) x);
	zeros = zeros_before(first);
	weight = first == 0 ? 0 : WORD_DIGITS - zeros - decimal->places - 1;
	if (unlikely(!fits_short_header(decimal->scale, weight)))
		return store_any(to, decimal);
	put_packed(to + VARHDRSZ + sizeof(uint16), first == 0 ? 0 : first >> 16 * zeros);
	return put_short_header(to, decimal->units < 0, decimal->scale, weight,
							first == 0 ? 0 : digits_to_last(first) - zeros);
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
