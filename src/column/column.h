/*
 * column.h: an array of values of one type, with a bitmap of NULLs where there are any.
 *
 * The plan node makes columns of its input, sorts them, evaluates functions over them and returns rows from them.  Each
 * value takes as many bytes as its type has.  A value that is not passed by value lies in an arena, and the column
 * stores its offset there, in bytes.  So a column has no addresses, and can be moved, mapped or written to a file as it
 * is.  Datums are made here, on demand.
 */
#ifndef SCAN_COLUMN_COLUMN_H
#define SCAN_COLUMN_COLUMN_H

#include "postgres.h"

#include "op/bits.h"

/* The values of a set of columns that are not passed by value, each at an aligned offset (arena.c). */
typedef struct Arena
{
	char *bytes;
	Size  used, size;
} Arena;

/* How a value is stored. */
typedef enum ColumnFormat
{
	/* COLUMN_BYTE to COLUMN_INT64: the bits of a type of that width that is passed by value, whatever they mean */
	COLUMN_BYTE = 0,
	COLUMN_INT16,
	COLUMN_INT32,
	COLUMN_INT64,
	COLUMN_REFERENCE, /* uint64: the offset in the arena, or a small numeric */
} ColumnFormat;

/*
 * A value of eight bytes in a column.  Where columns lie side by side, it begins at any multiple of four bytes: a gap
 * behind an int4 would be in every row.
 */
#define CELL_ALIGNMENT 4
typedef int64 Int64Cell	  pg_attribute_aligned(CELL_ALIGNMENT);
typedef uint64 Uint64Cell pg_attribute_aligned(CELL_ALIGNMENT);
typedef float8 Float8Cell pg_attribute_aligned(CELL_ALIGNMENT);

typedef struct Column
{
	int16		 length; /* the type's typlen */
	bool		 by_value, has_nulls;
	ColumnFormat format;
	/*
	 * Bytes from one value to the next: more than a value's width where columns lie side by side. 0: all rows have the
	 * same value; has_nulls then means that all are NULL.
	 */
	int	  stride;
	char *value; /* the values; a NULL has zero bytes */
	/* bit set: the row is NULL; only if has_nulls, and not with a stride of 0 */
	uint8		*nulls;
	const Arena *arena;
	bool		 small; /* COLUMN_REFERENCE: in place of an offset there may be a small numeric (small_numeric.h) */
} Column;

/* Returns how values of a type are stored. */
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

/* Returns the bytes that a stored value takes. */
static inline int
column_width(ColumnFormat format)
{
	static const int width[] = {sizeof(char), sizeof(int16), sizeof(int32), sizeof(int64), sizeof(uint64)};

	return width[format];
}

/* Returns the value of row i, which is not NULL.  The unused bits of a narrow Datum are as fetch_att() sets them. */
static pg_attribute_always_inline Datum
column_datum(const Column *column, int64 i)
{
	const char *at = column->value + i * column->stride;

	Assert(!column->small);
	switch (column->format)
	{
		case COLUMN_BYTE:
			return CharGetDatum(*at);
		case COLUMN_INT16:
			return Int16GetDatum(*(const int16 *) at);
		case COLUMN_INT32:
			return Int32GetDatum(*(const int32 *) at);
		case COLUMN_INT64:
			return Int64GetDatum(*(const Int64Cell *) at);
		default:
			return PointerGetDatum(column->arena->bytes + *(const Uint64Cell *) at);
	}
}

/* Returns a Datum of an integer type, or of a type that is stored as an integer, as a number. */
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

/* Returns a column whose values lie side by side in a format as a loop reads it that is compiled for the format. */
static inline Column
column_of_format(const Column *column, ColumnFormat format)
{
	Column typed = *column;

	typed.format = format;
	typed.stride = column_width(format);
	return typed;
}

/* True if the values lie side by side in a format, so that a loop can be compiled for it. */
static inline bool
column_is_dense(const Column *column, ColumnFormat format)
{
	return column->format == format && column->stride == column_width(format);
}

static inline bool
column_is_null(const Column *column, int64 i)
{
	return column->has_nulls && (column->stride == 0 || scan_bit(column->nulls, i));
}

/* Returns the value of row i, or 0 and *isnull if it is NULL. */
static pg_attribute_always_inline Datum
column_get(const Column *column, int64 i, bool *isnull)
{
	*isnull = column_is_null(column, i);
	return *isnull ? (Datum) 0 : column_datum(column, i);
}

/* Stores a value; for COLUMN_REFERENCE, `value` is the offset in the arena. */
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
			*(Uint64Cell *) at = value;
			break;
	}
}

/* LOOP(TYPE) for the integer type that has as many bytes as a value. */
#define FOR_WIDTH(width, LOOP) \
	switch (width)             \
	{                          \
		case sizeof(int8):     \
			LOOP(int8);        \
			break;             \
		case sizeof(int16):    \
			LOOP(int16);       \
			break;             \
		case sizeof(int32):    \
			LOOP(int32);       \
			break;             \
		default:               \
			LOOP(Int64Cell);   \
			break;             \
	}

#define COLUMN_PLACE(TYPE)        \
	for (int64 i = 0; i < n; i++) \
	*(TYPE *) (to + (at == NULL ? i : at[i]) * (Size) to_stride) = *(const TYPE *) (from + which[i] * (Size) stride)

/*
 * Copies the values of the n rows in `which`, which are `width` bytes long and lie `stride` bytes apart, to the rows in
 * `at` of another column; NULL: to its first n rows.  References are copied as offsets.
 */
static pg_attribute_always_inline void
column_place(char *to, int to_stride, const uint32 *at, const char *from, int stride, int width, const uint32 *which,
			 int64 n)
{
	FOR_WIDTH(width, COLUMN_PLACE)
}

#undef COLUMN_PLACE

#define COLUMN_MARK(TYPE)               \
	for (int64 i = begin; i < end; i++) \
	mark[i - begin] |= ((const TYPE *) column->value)[i] != ((const TYPE *) column->value)[i - 1]

/*
 * Sets mark[i - begin] for each of rows `begin` to `end` - 1 whose value differs from the one before.  The values lie
 * side by side, none is NULL, and two are equal if their bytes are.
 */
static inline void
column_mark_changes(const Column *column, int64 begin, int64 end, bool *mark)
{
	FOR_WIDTH(column_width(column->format), COLUMN_MARK)
}

#undef COLUMN_MARK

/* Copies the values of the n rows in `which` to `to`, one after the other. */
static inline void
column_gather(const Column *from, char *to, const uint32 *which, int64 n)
{
	int width = column_width(from->format);

	column_place(to, width, NULL, from->value, from->stride, width, which, n);
}

#endif /* SCAN_COLUMN_COLUMN_H */
