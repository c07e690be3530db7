/*
 * bit_pack.h: the numbers of a sort key, in as few bits as they take.
 *
 * A key is a number a row that compares as the type does: the value itself, seen as an
 * unsigned number, or one that normalize.c made.  From that the least of the column is
 * taken away, DESC counts from the greatest, and NULLs are a number before or after
 * all others; so a key takes the bits that its column's range needs and no more.
 */
#ifndef SCAN_SORT_BIT_PACK_H
#define SCAN_SORT_BIT_PACK_H

#include "postgres.h"

#include "sort/sort_column.h"

typedef enum PackKind
{
	PACK_INT16, /* the type's values as they are */
	PACK_INT32,
	PACK_INT64,
	PACK_BOOL,
	PACK_UINT32,
	PACK_UINT64,
	PACK_FLOAT4,
	PACK_FLOAT8,
	PACK_NUMBERED, /* `number` */
	PACK_NULLS,	   /* nothing but whether it is NULL */
} PackKind;

typedef struct Pack
{
	PackKind		  kind;
	const SortColumn *column;
	uint64			 *number; /* a number a row */
	bool			  descending;

	/* what was found */
	bool   has_nulls;
	bool   has_values;
	uint64 least, greatest; /* of the values */
	uint64 unit;			/* that all values are apart by a multiple of */
	uint64 inverse;			/* of the unit's odd part, modulo 2^64: to divide by multiplying */
	int	   zeros;			/* the unit's factors of two */
	int	   bits;			/* of the numbers; 65: there is none left for NULL */
} Pack;

/* Some bits of a key in a word. */
typedef struct PackPart
{
	const Pack *pack;
	int			drop;  /* low bits that are left out */
	int			bits;  /* of the ones above them */
	int			shift; /* within the word */
} PackPart;

/* Looks at all rows. */
extern void pack_measure(Pack *pack, int64 n);

/*
 * Finds what all values of a key are apart by a multiple of: times are often whole
 * milliseconds or days.  Data without such a unit show it within some rows.
 */
extern void pack_find_unit(Pack *pack, int64 n);

/* The numbers of the values of n rows from `from` on; what NULLs get means nothing. */
extern void pack_numbers(PackKind kind, const Column *column, int64 from, int64 n, uint64 *number);

/* Adds the part to n words: those of rows[0] on, or, where that is NULL, of the rows `from` on. */
extern void pack_add(const PackPart *part, const uint32 *rows, int64 from, int n, uint64 *word);

/* Whether numbers tell the very bytes of their values: -0 and 0, and NaNs of any bits, have one number. */
static inline bool
pack_is_exact(PackKind kind)
{
	return kind < PACK_FLOAT4;
}

/* How values of a kind that is exact are had back from words, at such a shift in which their whole numbers are. */
extern Unpack pack_inverse(const Pack *pack, int shift);

/* Lays down the values of n words, each of `width` bytes; what NULLs get means nothing. */
extern void unpack_values(const Unpack *unpack, const uint64 *word, int n, int width, char *to);

static inline bool
unpack_is_null(const Unpack *unpack, uint64 word)
{
	return unpack->has_nulls && (word >> unpack->shift & unpack->mask) == unpack->null_number;
}

#endif /* SCAN_SORT_BIT_PACK_H */
