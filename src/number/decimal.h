/*
 * decimal.h: reads and writes the bytes of PostgreSQL's numeric, as a 128-bit integer in units of 10000^-places.
 *
 * The sums of numerics (decimal_sum.c) use it: core's numeric_add allocates memory and makes several passes over the
 * digits for every row, an integer addition does not.  A value that does not fit is refused, and the caller continues
 * in core's arithmetic.  Only the quotient is rounded, in the same way as core's.
 */
#ifndef SCAN_NUMBER_DECIMAL_H
#define SCAN_NUMBER_DECIMAL_H

#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/float.h"
#include "utils/numeric.h"

#include "column/saved_state.h"
#include "compat.h"
#include "op/exact.h"

/* The type numeric, for values that are retained (column/memory.h). */
static const RetainedType numeric_type = {NUMERICOID, -1, false, TYPALIGN_INT};

/* The number units * 10000^-places, displayed with `scale` decimals.  Zero bytes are 0. */
typedef struct Decimal
{
	int128 units;
	int	   places, scale;
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
	int			   scale, n;
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

/* Returns the parts of any numeric, but not its digits. */
static inline DecimalParts
decimal_head(Datum value)
{
	struct varlena *plain = decimal_plain(value);
	DecimalParts	parts;

	decimal_read(&parts, plain);
	decimal_free_plain(plain, value);
	parts.digits = NULL;
	return parts;
}

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

/* ---- decimal_sum.c: a running sum of numerics ---- */

/*
 * sum and avg in the plan node, scan_sum in either node and array_scan_sum all add here, so their results cannot
 * differ.  The total is a 128-bit integer (decimal.h) as long as the total and the values fit.  From the first value
 * that does not fit on, core's transition function adds, beginning with the total so far.  A user cannot tell where
 * that happened: a sum shows only its value and its display scale.
 */

typedef struct DecimalSum
{
	/* cleared with each sum; zero bytes: no value was added */
	int64	 count;
	Decimal	 total;
	int64	 scaled;	  /* number of values with the scale of the total, for a sum that values leave */
	Specials specials;	  /* if there are any, the sum is NaN or infinite */
	bool	 beyond;	  /* `core` has the sum */
	bool	 handed_over; /* core continues a sum that it has not begun */

	/* kept from sum to sum */
	MemoryContext	  memory; /* context for `core`, set by the owner; must live as long as this struct */
	struct CoreState *core;	  /* NULL: no sum has needed core yet */
	DecimalBuffer	  shown;  /* memory of the last result */
} DecimalSum;

/* True if the sum is its total. */
static inline bool
decimal_sum_is_decimal(const DecimalSum *sum)
{
	return !sum->beyond && specials_flags(&sum->specials) == 0;
}

/* Starts a new sum. */
static inline void
decimal_sum_clear(DecimalSum *sum)
{
	memset(sum, 0, offsetof(DecimalSum, memory));
}

/*
 * Adds a value, which is not NULL.  Does not fail if the total is out of range: decimal_sum_show() raises that error.
 */
extern void decimal_sum_add(DecimalSum *sum, Datum value);

/*
 * For a sum that values leave again.  Core has taken a value out if it knows the scale that the sum has without it; so
 * does decimal_sum_remove().  It returns false where the sum has to begin anew, as it has to once core has continued
 * it.  decimal_sum_clear_moving() then has core add from the first value on, so that values can leave.
 */
extern void decimal_sum_clear_moving(DecimalSum *sum);
extern bool decimal_sum_remove(DecimalSum *sum, Datum value);

/*
 * Returns the sum, or 0 if no value was added.  The result lives until the next result of this sum, or is in the
 * current context.
 */
extern Datum decimal_sum_show(DecimalSum *sum);

/* Returns the average, of one value at least. */
extern Datum decimal_sum_average(DecimalSum *sum);

/*
 * Returns what core's partial aggregation of sum and avg returns for one value at least: the transition value as a
 * bytea, in the current context.  No value has left the sum, and none is added after that.
 */
extern Datum decimal_sum_serialize(DecimalSum *sum);

/*
 * Evaluates one row of scan_sum.  Starts a new sum at a head, adds the value if it is not NULL, and returns the sum:
 * with the row if inclusive, without it if exclusive.  *isnull is the value's on entry and the result's on return.
 */
extern Datum decimal_sum_step(DecimalSum *sum, bool head, bool exclusive, Datum value, bool *isnull);

/* Saves a sum of numerics, or restores it into a sum whose `memory` is set (saved_state.h). */
extern void decimal_sum_carry(SavedState *saved, DecimalSum *sum);

#endif /* SCAN_NUMBER_DECIMAL_H */
