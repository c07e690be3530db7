/*
 * small_numeric.h: a numeric of few digits in eight bytes, from which its bytes can be made again.
 *
 * Rows that are sorted keep a numeric so, in place of its offset in the arena (RowColumn.small).  A numeric takes 24
 * bytes there else, so that fewer rows fit in scan.work_mem, and each row that is gathered waits once more for memory.
 * Offsets are even, and small numerics are odd.  A numeric that is not small stays in the arena.
 *
 *   bit 0         1
 *   bit 1         the varlena header has one byte
 *   bit 2         negative
 *   bits 3 to 6   display scale
 *   bits 7 to 9   weight, counted from WEIGHT_LEAST
 *   bits 10 to 63 the digits, as an integer; without digits the number is 0
 *
 * A value that small_numeric() accepts comes back byte for byte, also if core would have made other bytes.
 */
#ifndef SCAN_COLUMN_SMALL_NUMERIC_H
#define SCAN_COLUMN_SMALL_NUMERIC_H

#include "postgres.h"

#include "column/numeric_digits.h"
#include "compat.h"

#define SMALL_SHORT_VARLENA 0x2
#define SMALL_NEGATIVE 0x4
#define SMALL_SCALE_SHIFT 3
#define SMALL_SCALE_MAX 0xF
#define SMALL_WEIGHT_SHIFT 7
#define SMALL_WEIGHT_MAX 0x7
#define SMALL_DIGITS_SHIFT 10
#define WEIGHT_LEAST (-3)

/* The most bytes of a value, in an arena; small_numeric_put() writes all of them. */
#define SMALL_NUMERIC_MOST 16

static inline bool
is_small_numeric(uint64 place)
{
	return (place & 1) != 0;
}

/* Returns the digits as an integer; 0 if there are no digits, or if they cannot be told from fewer or other ones. */
static inline uint64
small_digits(const char *digits, int n)
{
	uint64 number = 0;
	bool   told = true;

	for (int i = 0; i < n; i++)
	{
		uint16 digit;

		memcpy(&digit, digits + i * sizeof(digit), sizeof(digit));
		told = told && digit < BASE && (i > 0 || digit > 0);
		number = number * BASE + digit;
	}
	return told ? number : 0;
}

/* Returns a numeric as a small one; 0: it is none, or is compressed or external. */
static inline uint64
small_numeric(const char *value)
{
	bool		short_varlena = VARATT_IS_1B(value) && !VARATT_IS_EXTERNAL(value);
	const char *bytes;
	uint16		header;
	int			size, n, scale, weight;
	uint64		digits;

	if (unlikely(!short_varlena && !VARATT_IS_4B_U(value)))
		return 0;
	bytes = VARDATA_ANY(value);
	size = (int) VARSIZE_ANY_EXHDR(value) - (int) sizeof(header);
	n = size / (int) sizeof(uint16);
	memcpy(&header, bytes, sizeof(header));
	scale = (header >> SHORT_SCALE_SHIFT) & SHORT_SCALE_MAX;
	/* the top bit of the weight's seven is its sign */
	weight = ((header & SHORT_WEIGHT_MASK) ^ (SHORT_WEIGHT_MAX + 1)) - (SHORT_WEIGHT_MAX + 1) - WEIGHT_LEAST;
	if ((header & FORM_MASK) != FORM_SHORT || size < 0 || size % 2 != 0 || n > WORD_DIGITS || scale > SMALL_SCALE_MAX ||
		weight < 0 || weight > SMALL_WEIGHT_MAX)
		return 0;
	digits = small_digits(bytes + sizeof(header), n);
	if (digits == 0 && n > 0)
		return 0;
	return digits << SMALL_DIGITS_SHIFT | (uint64) weight << SMALL_WEIGHT_SHIFT | (uint64) scale << SMALL_SCALE_SHIFT |
		   (header & SHORT_NEGATIVE ? SMALL_NEGATIVE : 0) | (short_varlena ? SMALL_SHORT_VARLENA : 0) | 1;
}

/* Makes the numeric at an aligned address, where SMALL_NUMERIC_MOST bytes are written, and returns its bytes. */
static inline Size
small_numeric_put(char *to, uint64 small)
{
	uint64 packed = packed_digits(small >> SMALL_DIGITS_SHIFT);
	int	   zeros = zeros_before(packed);
	int	   n = WORD_DIGITS - zeros;
	int	   weight = (int) (small >> SMALL_WEIGHT_SHIFT & SMALL_WEIGHT_MAX) + WEIGHT_LEAST;
	uint16 header = (uint16) (FORM_SHORT | (small & SMALL_NEGATIVE ? SHORT_NEGATIVE : 0) |
							  (small >> SMALL_SCALE_SHIFT & SMALL_SCALE_MAX) << SHORT_SCALE_SHIFT |
							  (weight & SHORT_WEIGHT_MASK));
	bool   short_varlena = (small & SMALL_SHORT_VARLENA) != 0;
	Size   before = short_varlena ? VARHDRSZ_SHORT : VARHDRSZ;
	Size   size = before + sizeof(header) + n * sizeof(uint16);

	memset(to, 0, SMALL_NUMERIC_MOST);
	if (short_varlena)
		SET_VARSIZE_SHORT(to, size);
	else
		SET_VARSIZE(to, size);
	memcpy(to + before, &header, sizeof(header));
	if (n > 0)
		put_packed(to + before + sizeof(header), packed >> 16 * zeros);
	return size;
}

#endif /* SCAN_COLUMN_SMALL_NUMERIC_H */
