/*
 * decimal.h: reads and writes the bytes of PostgreSQL's numeric, as an integer of 128 bits
 * in units of 10000^-places.
 *
 * The sums of numerics (decimal_sum.h) use it: core's numeric_add allocates memory and makes some
 * passes over the digits for every row, an integer addition does not.  A value that does not fit is
 * refused, and the caller goes on in core's arithmetic.  Nothing here rounds but the quotient, and
 * that as core does.
 */
#ifndef SCAN_COLUMN_DECIMAL_H
#define SCAN_COLUMN_DECIMAL_H

#include "postgres.h"

#include "utils/numeric.h"

#include "compat.h"

/* units * 10000^-places, shown with `scale` decimals.  Zero bytes are 0. */
typedef struct Decimal
{
	int128 units;
	int	   places;
	int	   scale;
} Decimal;

/* digits of base 10000 that an int128 may have: 2^127 is 1.7e38 */
#define DECIMAL_DIGITS 10

/* A numeric that was made of a Decimal: the next one made in it overwrites it. */
typedef union DecimalBuffer
{
	int32 align;
	char  bytes[VARHDRSZ + 2 * sizeof(uint16) + DECIMAL_DIGITS * sizeof(int16)];
} DecimalBuffer;

/* What is no number: the whole of such a numeric's header. */
typedef enum DecimalSpecial
{
	DECIMAL_NUMBER = 0,
	DECIMAL_NAN = 0xC000,
	DECIMAL_INFINITY = 0xD000,
	DECIMAL_MINUS_INFINITY = 0xF000
} DecimalSpecial;

/* The parts of a numeric; of a special one only that. */
typedef struct DecimalParts
{
	DecimalSpecial special;
	bool		   negative;
	int			   weight; /* of the first digit: its power of 10000 */
	int			   scale;
	int			   n;
	const char	  *digits; /* n int16, not aligned */
} DecimalParts;

/* The value flat and not compressed, with the header that it has; to be freed if it is another. */
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

/* `value` is neither compressed nor stored elsewhere; the parts point into it. */
extern void decimal_read(DecimalParts *parts, const struct varlena *value);

/* Adds a number.  False: the total, unchanged, and it are too far apart or too large. */
extern bool decimal_add(Decimal *total, const DecimalParts *value);

/* Less than, equal to or greater than 0, as numeric_cmp.  False: not for these two. */
extern bool decimal_compare(const DecimalParts *a, const DecimalParts *b, int *order);

/* The numeric, in the buffer: byte for byte what core makes of the value. */
extern Datum decimal_show(DecimalBuffer *buffer, const Decimal *decimal);
extern Datum decimal_show_special(DecimalBuffer *buffer, DecimalSpecial special);

/*
 * total / count, the scale of it included, as numeric_div has it: in the buffer, or,
 * where 128 bits are not enough, from core in the current context.
 */
extern Datum decimal_average(DecimalBuffer *buffer, const Decimal *total, int64 count);

#endif /* SCAN_COLUMN_DECIMAL_H */
