/*
 * number.h: the exact sum of integers or numerics that come and go, for the states of sums and averages (state.c).
 *
 * It has the total, and how many values of each display scale went into it, since core displays a sum with the largest
 * scale of its values.  NaN and infinities are counted.
 *
 * A statement may change as many intervals as it has rows, and each has a state.  So what a column of one scale needs,
 * a total of 128 bits and one counter, is in the struct; all else is allocated when it is needed.
 *
 * Rejected: core's transition value.  It cannot be negative, as the state of a deletion has to be, and it forgets the
 * scales below the largest one.
 */
#ifndef SCAN_KEPT_NUMBER_H
#define SCAN_KEPT_NUMBER_H

#include "postgres.h"

#include "number/wide_decimal.h"

/* How many values have a display scale, or are NaN, Infinity or -Infinity: then `scale` is a KeptSpecial. */
typedef struct KeptScale
{
	int32 scale;
	int64 values;
} KeptScale;

typedef enum KeptSpecial
{
	KEPT_NAN = -3,
	KEPT_INFINITY,
	KEPT_MINUS_INFINITY,
} KeptSpecial;

/* What few numbers need. */
typedef struct KeptNumberMore
{
	WideDecimal total; /* what did not fit in the total of the number */
	int			scales;
	KeptScale  *scale; /* all but the first scale; with room for the next power of two */
} KeptNumberMore;

/* Zero bytes are the sum of no values. */
typedef struct KeptNumber
{
	Decimal			total; /* of the finite values, with that of `more` */
	KeptScale		first; /* its scale stays while `more` has others */
	KeptNumberMore *more;  /* NULL: none of it was needed yet */
} KeptNumber;

/* Empties a number. */
extern void kept_number_clear(KeptNumber *number);

/* Sets a number to a value of the type, or to what a value that leaves changes.  It may need the current context. */
extern void kept_number_set(KeptNumber *number, Oid type, Datum value, bool leaves);

/* True if adding the number changes nothing. */
extern bool kept_number_is_empty(const KeptNumber *number);

/* Returns the number as a bytea, in the current context.  Equal numbers have equal bytes. */
extern Datum kept_number_save(const KeptNumber *number);

/*
 * Sets a number to one that was saved.  It may need the current context.  An error if the bytes are not those of a
 * number.
 */
extern void kept_number_read(KeptNumber *number, Datum stored);

/* Adds another number; what it needs is allocated in `memory`. */
extern void kept_number_add(KeptNumber *number, MemoryContext memory, const KeptNumber *other);

/* Returns the sum of the values as a numeric; *values: how many there are, NULLs left out. */
extern Datum kept_number_sum(const KeptNumber *number, int64 *values);

#endif /* SCAN_KEPT_NUMBER_H */
