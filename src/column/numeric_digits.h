/*
 * numeric_digits.h: the header of PostgreSQL's numeric in its short form, and its digits, of base 10000.
 *
 * number/decimal.c describes the bytes.  Included by small_numeric.h, and by decimal_digits.h for all sums of numerics.
 */
#ifndef SCAN_COLUMN_NUMERIC_DIGITS_H
#define SCAN_COLUMN_NUMERIC_DIGITS_H

#include "postgres.h"

#define FORM_MASK 0xC000
#define FORM_SHORT 0x8000
#define FORM_NEGATIVE 0x4000 /* in the long form */

#define SHORT_NEGATIVE 0x2000
#define SHORT_SCALE_SHIFT 7
#define SHORT_SCALE_MAX 0x3F
#define SHORT_WEIGHT_MASK 0x7F
#define SHORT_WEIGHT_MAX 63
#define SHORT_WEIGHT_MIN (-64)

#define BASE 10000
#define HALF_BASE (BASE * BASE)
#define WORD_DIGITS 4 /* digits that a word of 64 bits holds */

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

#endif /* SCAN_COLUMN_NUMERIC_DIGITS_H */
