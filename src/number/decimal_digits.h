/*
 * decimal_digits.h: the digits of PostgreSQL's numeric, of base 10000, and the words of 64 bits that hold four of them.
 *
 * Included by decimal.c, which describes the bytes, and by decimal_average.c.
 */
#ifndef SCAN_NUMBER_DECIMAL_DIGITS_H
#define SCAN_NUMBER_DECIMAL_DIGITS_H

#include "postgres.h"

#include "utils/numeric.h"

#include "compat.h"

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
#define WORD_BASE_SHIFT 10 /* leading zeros of WORD_BASE */
#define HALF_BASE (BASE * BASE)

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
 * Returns the digits of a word less than WORD_BASE, 16 bits each, the first one in the lowest bits.  The word comes in
 * two halves, of which each has two digits, and both are divided at the same time.  A half minus its quotient times
 * BASE is its second digit; that is shifted by one digit for both halves in one multiplication.
 */
static inline uint64
packed_halves(uint32 high, uint32 low)
{
	uint64 halves = high | (uint64) low << 32;
	uint64 quotients = high / BASE | (uint64) (low / BASE) << 32;

	return (halves << 16) - quotients * ((BASE << 16) - 1);
}

static inline uint64
packed_digits(uint64 word)
{
	uint32 high = (uint32) (word / HALF_BASE);

	return packed_halves(high, (uint32) (word - (uint64) high * HALF_BASE));
}

/* Returns how many digits of packed ones are zeros before the first digit that is not; WORD_DIGITS if all are. */
static inline int
zeros_before(uint64 packed)
{
	return packed == 0 ? WORD_DIGITS : __builtin_ctzll(packed) / 16;
}

/* Returns how many digits of packed ones are left without the zeros at the end. */
static inline int
digits_to_last(uint64 packed)
{
	return packed == 0 ? 0 : (64 - __builtin_clzll(packed) + 15) / 16;
}

/*
 * Returns x / WORD_BASE, for x less than 2^64 times WORD_BASE, and the rest.
 *
 * Source: Moller and Granlund, Improved division by invariant integers, algorithm 4.  Rejected: the compiler's function
 * for 128 bits, which takes several times as long.
 */
static inline uint64
divide_by_word_base(uint128 x, uint64 *rest)
{
	const uint64 divisor = WORD_BASE << WORD_BASE_SHIFT;
	const uint64 reciprocal = (uint64) (~(uint128) 0 / divisor);
	uint128		 u = x << WORD_BASE_SHIFT;
	uint128		 q = (uint128) reciprocal * (uint64) (u >> 64) + u;
	uint64		 quotient = (uint64) (q >> 64) + 1;
	uint64		 r = (uint64) u - quotient * divisor;

	if (r > (uint64) q)
	{
		quotient--;
		r += divisor;
	}
	if (unlikely(r >= divisor))
	{
		quotient++;
		r -= divisor;
	}
	*rest = r >> WORD_BASE_SHIFT;
	return quotient;
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

static inline bool
fits_short_header(int scale, int weight)
{
	return scale <= SHORT_SCALE_MAX && weight >= SHORT_WEIGHT_MIN && weight <= SHORT_WEIGHT_MAX;
}

/*
 * Stores the header of a number, short, in front of its first n digits.  Returns the bytes of the number.
 */
static inline Size
put_short_header(char *to, bool negative, int scale, int weight, int n)
{
	uint16 header = FORM_SHORT | (negative ? SHORT_NEGATIVE : 0) | (scale << SHORT_SCALE_SHIFT) |
					(weight & SHORT_WEIGHT_MASK);
	Size size = VARHDRSZ + sizeof(header) + n * sizeof(int16);

	memcpy(to + VARHDRSZ, &header, sizeof(header));
	SET_VARSIZE(to, size);
	return size;
}

#endif /* SCAN_NUMBER_DECIMAL_DIGITS_H */
