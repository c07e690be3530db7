/*
 * decimal.h: reads and writes the bytes of PostgreSQL's numeric, as a 128-bit integer in units of 10000^-places.
 *
 * The sums of numerics (decimal_sum.h) use it: core's numeric_add allocates memory and makes several passes over the
 * digits for every row, an integer addition does not.  A value that does not fit is refused, and the caller continues
 * in core's arithmetic.  Only the quotient is rounded, in the same way as core's.
 */
#ifndef SCAN_NUMBER_DECIMAL_H
#define SCAN_NUMBER_DECIMAL_H

#include "postgres.h"

#include "utils/float.h"
#include "utils/numeric.h"

#include "compat.h"

/* The number units * 10000^-places, displayed with `scale` decimals.  Zero bytes are 0. */
typedef struct Decimal
{
	int128 units;
	int	   places;
	int	   scale;
} Decimal;

/* the most digits of base 10000 of an int128 (2^127 is 1.7e38), and room for those that are written in vain */
#define DECIMAL_DIGITS 10
#define DECIMAL_SPARE 5

/* the most bytes that a numeric made from a Decimal takes while it is made */
#define DECIMAL_MOST MAXALIGN(VARHDRSZ + 2 * sizeof(uint16) + (DECIMAL_DIGITS + DECIMAL_SPARE) * sizeof(int16))

/* Memory for a numeric made from a Decimal.  The next numeric made in the same buffer overwrites it. */
typedef union DecimalBuffer
{
	int32 align;
	char  bytes[DECIMAL_MOST];
} DecimalBuffer;

/* The header of a special numeric, which has nothing else; DECIMAL_NUMBER for all other numerics. */
typedef enum DecimalSpecial
{
	DECIMAL_NUMBER = 0,
	DECIMAL_NAN = 0xC000,
	DECIMAL_INFINITY = 0xD000,
	DECIMAL_MINUS_INFINITY = 0xF000
} DecimalSpecial;

/* Returns the double of a special numeric. */
static inline double
decimal_special_value(DecimalSpecial special)
{
	return special == DECIMAL_NAN		 ? get_float8_nan()
		   : special == DECIMAL_INFINITY ? get_float8_infinity()
										 : -get_float8_infinity();
}

/* The parts of a numeric.  Of a special numeric only `special` is set, and `negative` to false. */
typedef struct DecimalParts
{
	DecimalSpecial special;
	bool		   negative;
	int			   weight; /* power of 10000 of the first digit */
	int			   scale;
	int			   n;
	const char	  *digits; /* n int16, not aligned */
} DecimalParts;

/*
 * Returns a numeric neither compressed nor external; it may have a short varlena header.  The caller frees it with
 * decimal_free_plain().
 */
static inline struct varlena *
decimal_plain(Datum value)
{
	struct varlena *bytes = (struct varlena *) DatumGetPointer(value);

	if (likely(!VARATT_IS_EXTERNAL(bytes) && !VARATT_IS_COMPRESSED(bytes)))
		return bytes;
	return pg_detoast_datum_packed(bytes);
}

static inline void
decimal_free_plain(struct varlena *plain, Datum value)
{
	if (unlikely((Pointer) plain != DatumGetPointer(value)))
		pfree(plain);
}

/* Returns a digit of base 10000. */
static inline int
decimal_digit(const DecimalParts *parts, int i)
{
	int16 digit;

	memcpy(&digit, parts->digits + i * (int) sizeof(digit), sizeof(digit));
	return digit;
}

/* Reads the parts of a numeric, which must be neither compressed nor external.  The digits point into `value`. */
extern void decimal_read(DecimalParts *parts, const struct varlena *value);

/*
 * Adds a number to a total.  Returns false, with the total's value unchanged, if the two are too far apart in scale or
 * the sum is too large.
 */
extern bool decimal_add(Decimal *total, const DecimalParts *value);

/* As decimal_add(), for a number that is a Decimal. */
extern bool decimal_add_decimal(Decimal *total, const Decimal *value);

/*
 * Gives two numbers the same places, so that their units can be compared.  Returns false if the units of one would not
 * fit in 128 bits; both keep their values.
 */
extern bool decimal_align(Decimal *a, Decimal *b);

/*
 * Sets *order to less than, equal to or greater than 0, as numeric_cmp would.  Returns false if it cannot compare the
 * two: one is special, or is not stored as core stores it.
 */
extern bool decimal_compare(const DecimalParts *a, const DecimalParts *b, int *order);

/*
 * Stores the numeric at an aligned address, byte for byte as core would make it, and returns the bytes that it takes.
 * Up to DECIMAL_MOST bytes are written.
 */
extern Size decimal_store(char *to, const Decimal *decimal);

/* Return the numeric, in the buffer, as decimal_store() stores it. */
extern Datum decimal_show(DecimalBuffer *buffer, const Decimal *decimal);
extern Datum decimal_show_special(DecimalBuffer *buffer, DecimalSpecial special);

/*
 * Returns total / count, with the scale that numeric_div would give it.  The result is in the buffer or, if 128 bits
 * are not enough, made by core in the current context.
 */
extern Datum decimal_average(DecimalBuffer *buffer, const Decimal *total, int64 count);

/* As decimal_average(), at an address as in decimal_store().  Returns 0, where 128 bits are not enough. */
extern Size decimal_store_average(char *to, const Decimal *total, int64 count);

/* The same for an integer total. */
extern Size decimal_store_integer_average(char *to, int128 total, int64 count);

#endif /* SCAN_NUMBER_DECIMAL_H */
