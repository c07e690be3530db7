/*
 * number.h: the exact sum of integers or numerics that come and go, for the states of sums and averages (state.c).
 *
 * It has the total, and how many values of each display scale went into it, since core displays a sum with the largest
 * scale of its values.  NaN and infinities are counted.
 *
 * Rejected: core's transition value.  It cannot be negative, as the state of a deletion has to be, and it forgets the
 * scales below the largest one.
 */
#ifndef SCAN_KEPT_NUMBER_H
#define SCAN_KEPT_NUMBER_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "number/wide_decimal.h"

/* How many values have that display scale. */
typedef struct KeptScale
{
	int32 scale;
	int64 values;
} KeptScale;

typedef struct KeptNumber
{
	int64		nans;
	int64		plus_infinities;
	int64		minus_infinities;
	WideDecimal total; /* of the finite values */
	int			scales;
	int			room;
	KeptScale  *scale;
} KeptNumber;

/* Empties a number.  What follows allocates in `memory`, which is that of `total`, too. */
extern void kept_number_clear(KeptNumber *number);

/* Adds a value of the type, or removes it. */
extern void kept_number_take(KeptNumber *number, MemoryContext memory, Oid type, Datum value, bool leaves);

/* True if adding the number changes nothing. */
extern bool kept_number_is_empty(const KeptNumber *number);

/* Begins to read a stored state that begins with the format; an error if it is another one. */
extern StringInfoData kept_message(Datum stored);

/* Returns the number as a bytea, in the current context.  Equal numbers have equal bytes. */
extern Datum kept_number_save(KeptNumber *number);

/* Adds a number that was saved; an error if it has another format. */
extern void kept_number_add(KeptNumber *number, MemoryContext memory, Datum stored);

/* Adds another number. */
extern void kept_number_add_number(KeptNumber *number, MemoryContext memory, KeptNumber *other);

/* Returns the sum of the values as a numeric; *values: how many there are, NULLs left out. */
extern Datum kept_number_sum(KeptNumber *number, int64 *values);

#endif /* SCAN_KEPT_NUMBER_H */
