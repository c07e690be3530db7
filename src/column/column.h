/*
 * column.h: the values of one type, one after the other: what the plan node makes of its input,
 * sorts, evaluates functions over, and shows.
 *
 * A value takes as many bytes as its type has.  One that is not passed by value lies in an arena,
 * and its place there, counted in bytes, is what the column has.  So there is no address in a
 * column, and it can be moved, mapped or written to a file as it is.  Whoever wants a Datum has
 * it made here, when it is wanted.
 */
#ifndef SCAN_COLUMN_COLUMN_H
#define SCAN_COLUMN_COLUMN_H

#include "postgres.h"

#include "op/bits.h"

/* The values of a set of columns that are not passed by value, each at a place that is aligned. */
typedef struct Arena
{
	char *bytes;
	Size  used;
	Size  size;
} Arena;

/* What a value is in memory. */
typedef enum ColumnFormat
{
	COLUMN_BYTE = 0, /* the bytes of a type that is passed by value: so many bits, whatever they mean */
	COLUMN_INT16,
	COLUMN_INT32,
	COLUMN_INT64,
	COLUMN_REFERENCE, /* uint64: the place in the arena */
} ColumnFormat;

typedef struct Column
{
	int16		 length; /* of the type */
	bool		 by_value;
	bool		 has_nulls;
	ColumnFormat format;
	int			 stride; /* bytes from one value to the next: more than it has where columns lie side by side; */
	char		*value;	 /* 0: the same for all rows.  Those of NULLs are zero bytes */
	uint8		*nulls;	 /* a bit a row, if has_nulls; with a stride of 0 all of them are NULL */
	const Arena *arena;
} Column;

/* How values of a type are laid down. */
static inline ColumnFormat
column_format(int16 length, bool by_value)
{
	if (!by_value)
		return COLUMN_REFERENCE;
	return length == sizeof(char)	 ? COLUMN_BYTE
		   : length == sizeof(int16) ? COLUMN_INT16
		   : length == sizeof(int32) ? COLUMN_INT32
									 : COLUMN_INT64;
}

/* The bytes of a value. */
static inline int
column_width(ColumnFormat format)
{
	static const int width[] = {sizeof(char), sizeof(int16), sizeof(int32), sizeof(int64), sizeof(uint64)};

	return width[format];
}

/* A value that is not NULL.  A narrow one has the unused bits of its Datum as a stored tuple gives them. */
static pg_attribute_always_inline Datum
column_datum(const Column *column, int64 i)
{
	const char *at = column->value + i * column->stride;

	switch (column->format)
	{
		case COLUMN_BYTE:
			return CharGetDatum(*at);
		case COLUMN_INT16:
			return Int16GetDatum(*(const int16 *) at);
		case COLUMN_INT32:
			return Int32GetDatum(*(const int32 *) at);
		case COLUMN_INT64:
			return Int64GetDatum(*(const int64 *) at);
		default:
			return PointerGetDatum(column->arena->bytes + *(const uint64 *) at);
	}
}

/* The number that a value of an integer type is, or of a type that is laid down as one. */
static inline int64
column_integer(ColumnFormat format, Datum value)
{
	switch (format)
	{
		case COLUMN_INT16:
			return DatumGetInt16(value);
		case COLUMN_INT32:
			return DatumGetInt32(value);
		default:
			return DatumGetInt64(value);
	}
}

static inline bool
column_is_null(const Column *column, int64 i)
{
	return column->has_nulls && (column->stride == 0 || scan_bit(column->nulls, i));
}

/* A value, or 0 and that it is NULL. */
static pg_attribute_always_inline Datum
column_get(const Column *column, int64 i, bool *isnull)
{
	*isnull = column_is_null(column, i);
	return *isnull ? (Datum) 0 : column_datum(column, i);
}

/* Lays a value down, a reference by its place. */
static pg_attribute_always_inline void
column_store(Column *column, int64 i, Datum value)
{
	char *at = column->value + i * column->stride;

	switch (column->format)
	{
		case COLUMN_BYTE:
			*at = DatumGetChar(value);
			break;
		case COLUMN_INT16:
			*(int16 *) at = DatumGetInt16(value);
			break;
		case COLUMN_INT32:
			*(int32 *) at = DatumGetInt32(value);
			break;
		default:
			*(uint64 *) at = value;
			break;
	}
}

#define COLUMN_GATHER(TYPE)       \
	for (int64 i = 0; i < n; i++) \
	((TYPE *) to)[i] = *(const TYPE *) (from->value + which[i] * (Size) from->stride)

/* n values, of the rows that `which` names, to where they lie one after the other; references as their places. */
static inline void
column_gather(const Column *from, char *to, const uint32 *which, int64 n)
{
	switch (column_width(from->format))
	{
		case sizeof(int8):
			COLUMN_GATHER(int8);
			break;
		case sizeof(int16):
			COLUMN_GATHER(int16);
			break;
		case sizeof(int32):
			COLUMN_GATHER(int32);
			break;
		default:
			COLUMN_GATHER(int64);
			break;
	}
}

#undef COLUMN_GATHER

#endif /* SCAN_COLUMN_COLUMN_H */
