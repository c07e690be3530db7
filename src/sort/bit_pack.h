/*
 * bit_pack.h: packs the numbers of a sort key in as few bits as they need.
 *
 * key.c and words.c sort rows by packed keys.  A key has a number for each row that compares as the type does: the
 * value itself, seen as an unsigned number, or a number that normalize.c made.  The least number of the column is
 * subtracted, DESC counts down from the greatest, and NULLs get a number before or after all others.  So a key takes
 * only the bits that its column's range needs.
 */
#ifndef SCAN_SORT_BIT_PACK_H
#define SCAN_SORT_BIT_PACK_H

#include "postgres.h"

#include "column/type.h"
#include "sort/order.h"

typedef enum PackKind
{
	/* PACK_INT16 to PACK_FLOAT8: the type's values as they are */
	PACK_INT16 = ORDER_INT16,
	PACK_INT32 = ORDER_INT32,
	PACK_INT64 = ORDER_INT64,
	PACK_UINT8 = ORDER_UINT8,
	PACK_UINT32 = ORDER_UINT32,
	PACK_UINT64 = ORDER_UINT64,
	PACK_FLOAT4 = ORDER_FLOAT4,
	PACK_FLOAT8 = ORDER_FLOAT8,
	PACK_NUMBERED, /* the numbers in Pack.number */
	PACK_NULLS,	   /* only whether the row is NULL: all values have number 0 */
} PackKind;

typedef struct Pack
{
	PackKind		  kind;
	const SortColumn *column;
	uint64			 *number; /* a number for each row, if PACK_NUMBERED */
	bool			  descending;

	/* what pack_measure and pack_find_unit found */
	bool   has_nulls, has_values;
	uint64 least, greatest; /* the smallest and largest number of a value */
	uint64 unit;			/* all values differ by multiples of it; at least 1 */
	uint64 inverse;			/* inverse of the unit's odd part modulo 2^64: to divide by multiplying */
	int	   zeros;			/* number of factors of two in the unit */
	int	   bits;			/* bits of a packed number; 65: no 64-bit number is left for NULL */
} Pack;

/* Some bits of a key's number, as they lie in a word. */
typedef struct PackPart
{
	const Pack *pack;
	int			drop;  /* low bits of the number that are left out */
	int			bits;  /* number of bits above them that are taken */
	int			shift; /* position of the lowest of them in the word */
} PackPart;

/* Finds the range of a key's numbers and whether there are NULLs: reads all rows.  The unit becomes 1. */
extern void pack_measure(Pack *pack, int64 n);

/*
 * Finds the unit, the greatest common divisor of all differences of values: times are often whole milliseconds or days.
 * If the unit is 1, some rows suffice to find out.
 */
extern void pack_find_unit(Pack *pack, int64 n);

/* Writes the numbers of the values of n rows from `from` on; those of NULLs are undefined. */
extern void pack_numbers(PackKind kind, const Column *column, int64 from, int64 n, uint64 *number);

/* Adds the part to n words: for rows rows[0] to rows[n - 1] or, if `rows` is NULL, from row `from` on. */
extern void pack_add(const PackPart *part, const uint32 *rows, int64 from, int n, uint64 *word);

/*
 * True if a value can be restored from its number, bit by bit.  A float cannot: -0 and 0 share a number, as do all
 * NaNs.
 */
static inline bool
pack_is_exact(PackKind kind)
{
	return kind < PACK_FLOAT4;
}

/* Returns how to restore values of an exact kind from words in which their whole numbers begin at bit `shift`. */
extern Unpack pack_inverse(const Pack *pack, int shift);

/* Writes the values of n words, `width` bytes each; those of NULLs are undefined. */
extern void unpack_values(const Unpack *unpack, const uint64 *word, int n, int width, char *to);

static inline bool
unpack_is_null(const Unpack *unpack, uint64 word)
{
	return unpack->has_nulls && (word >> unpack->shift & unpack->mask) == unpack->null_number;
}

#endif /* SCAN_SORT_BIT_PACK_H */
