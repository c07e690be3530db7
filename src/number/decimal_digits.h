/*
 * decimal_digits.h: the numbers of 64 and 128 bits that hold digits of PostgreSQL's numeric, and how they are divided.
 *
 * Included by decimal.c, which describes the bytes, by decimal_average.c and by reciprocal.c.
 */
#ifndef SCAN_NUMBER_DECIMAL_DIGITS_H
#define SCAN_NUMBER_DECIMAL_DIGITS_H

#include "postgres.h"

#include "port/pg_bswap.h"
#include "utils/numeric.h"

#include "column/numeric_digits.h"
#include "compat.h"

#define LONG_SCALE_MASK 0x3FFF

#define BASE_DIGITS 4 /* decimals in a digit */

StaticAssertDecl(VARHDRSZ == sizeof(int32), "a varlena has a header of four bytes");
StaticAssertDecl(NUMERIC_MIN_SIG_DIGITS == 4 * BASE_DIGITS, "the scale of quotients is not the one known here");
StaticAssertDecl(NUMERIC_MAX_DISPLAY_SCALE == 1000, "the scale of quotients is not the one known here");

/* a uint64 word holds WORD_DIGITS digits: 10000^4 */
#define WORD_BASE UINT64CONST(10000000000000000)
#define WORD_BASE_SHIFT 10 /* leading zeros of WORD_BASE */

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

/* Returns the digits of one half of a word, which are two, as packed_halves() does those of both. */
static inline uint32
packed_half(uint32 half)
{
	return (half << 16) - half / BASE * ((BASE << 16) - 1);
}

/* Returns how many digits of packed ones are left without the zeros at the end. */
static inline int
digits_to_last(uint64 packed)
{
	return packed == 0 ? 0 : WORD_DIGITS - __builtin_ctzll(pg_bswap64(packed)) / 16;
}

/*
 * Returns x / WORD_BASE, for x less than 2^64 times WORD_BASE, and the rest.
 *
 * Source: Moller and Granlund, Improved division by invariant integers, algorithm 4.  Rejected: the compiler's function
 * for 128 bits, which takes several times as long; a branch for the first correction, which nobody can predict.
 */
static inline uint64
divide_by_word_base(uint128 x, uint64 *rest)
{
	const uint64 divisor = WORD_BASE << WORD_BASE_SHIFT;
	const uint64 reciprocal = (uint64) (~(uint128) 0 / divisor);
	uint128		 u = x << WORD_BASE_SHIFT;
	uint128		 q = (uint128) reciprocal * (uint64) (u >> 64) + u;
	uint64		 quotient = (uint64) (q >> 64) + 1;
	uint64		 r = (uint64) u - quotient * divisor, less;

	less = -(uint64) (r > (uint64) q);
	quotient += less;
	r += less & divisor;
	if (unlikely(r >= divisor))
	{
		quotient++;
		r -= divisor;
	}
	*rest = r >> WORD_BASE_SHIFT;
	return quotient;
}

static inline bool
fits_short_header(int scale, int weight)
{
	return scale <= SHORT_SCALE_MAX && weight >= SHORT_WEIGHT_MIN && weight <= SHORT_WEIGHT_MAX;
}

/* Stores a short header in front of a number's n digits.  Returns the bytes of the number. */
static inline Size
put_header(char *to, uint16 header, int64 n)
{
	Size size = VARHDRSZ + sizeof(header) + n * sizeof(int16);

	memcpy(to + VARHDRSZ, &header, sizeof(header));
	SET_VARSIZE(to, size);
	return size;
}

static inline Size
put_short_header(char *to, bool negative, int scale, int weight, int n)
{
	return put_header(
		to, FORM_SHORT | (negative ? SHORT_NEGATIVE : 0) | (scale << SHORT_SCALE_SHIFT) | (weight & SHORT_WEIGHT_MASK),
		n);
}

/*
 * ---- reciprocal.c: division by counts, by multiplication ----
 *
 * An average is a total over a count, and the counts of running totals are 1, 2, 3 and so on, in each partition anew.
 * So the reciprocals of the last counts are kept in a table.  Rejected: to divide by the processor, or to compute a
 * reciprocal for each answer, since all later steps of an answer wait for it.
 *
 * Source: Granlund and Montgomery, Division by invariant integers using multiplication, figure 4.1.
 */

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

#endif /* SCAN_NUMBER_DECIMAL_DIGITS_H */
