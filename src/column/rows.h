/*
 * rows.h: rows laid down as columns of Datums.
 *
 * The plan node pulls what it needs of its input into these: keys, arguments and the
 * columns that go up unchanged.  Values that are not in the Datum itself are copied
 * into the rows' own memory, flat, and live until rows_reset; those that are have the
 * unused bits of their Datums as a stored tuple has them, so that equal is equal.
 */
#ifndef SCAN_COLUMN_ROWS_H
#define SCAN_COLUMN_ROWS_H

#include "postgres.h"

#include "column/pool.h"

typedef struct RowColumn
{
	bool   constant; /* the same value in every row: laid down once, never appended */
	bool   absent;	 /* constant, and not laid down here */
	bool   key;		 /* orders the rows */
	bool   wanted;	 /* by more than the order of the rows */
	bool   has_nulls;
	Datum  the_value;
	bool   the_isnull;
	int16  length;
	bool   by_value;
	Datum *value;  /* `capacity` of them, */
	int	   stride; /* so far apart */
	bool   beside; /* others, as their `place`-th */
	int	   place;
	bool  *isnull;
} RowColumn;

typedef struct Rows
{
	int			  columns;
	RowColumn	 *column;
	int64		  n;
	int64		  capacity;
	Size		  bytes;   /* that values outside of the Datums take */
	MemoryContext context; /* of this and of the columns */
	Pool		 *arrays;  /* the columns' */
	int			  beside;  /* columns that lie beside each other, row by row, */
	Datum		 *cells;   /* in here */
	MemoryContext values;  /* what Datums point to, in chunks: */
	char		 *free;	   /* the newest one's rest, */
	char		 *end;
	char		 *first; /* and the oldest one */
	Size		  first_size;
} Rows;

typedef enum RowsLayout
{
	ROWS_BY_COLUMN = 0, /* each column apart, constant ones too: to be scanned */
	ROWS_BY_ROW,		/* to be sorted: keys apart; what else is wanted of a row side by side; nothing constant */
} RowsLayout;

/* No rows yet, with columns of such types. */
extern Rows *rows_create(MemoryContext parent, const RowColumn *column, int columns, RowsLayout layout);

extern void rows_free(Rows *rows);

/* Forgets the rows, not the memory of the columns. */
extern void rows_reset(Rows *rows);

/* Makes place for at least n rows. */
extern void rows_reserve(Rows *rows, int64 n);

/* One more row: a value for each column; those of constant columns are not looked at. */
extern void rows_append(Rows *rows, const Datum *value, const bool *isnull);

/* One more row: row i of other rows of the same columns. */
extern void rows_append_row(Rows *rows, const Rows *other, int64 i);

/* A value that is not in its Datum, copied into the rows' memory; expanded objects come out flat. */
extern Datum rows_copy_value(Rows *rows, const RowColumn *column, Datum value);

/*
 * A narrow value as a tuple gives it.  Functions are free in the bits of a Datum that
 * their type does not use (hashint4 leaves them zero, a stored integer its sign).
 */
static inline Datum
clean_datum(Datum value, int16 length)
{
	switch (length)
	{
		case sizeof(char):
			return CharGetDatum(DatumGetChar(value));
		case sizeof(int16):
			return Int16GetDatum(DatumGetInt16(value));
		case sizeof(int32):
			return Int32GetDatum(DatumGetInt32(value));
		default:
			return value;
	}
}

/* Lays a value down in row i, for which there is place; not in a constant column. */
static inline void
rows_put(Rows *rows, int c, int64 i, Datum value, bool isnull)
{
	RowColumn *column = &rows->column[c];

	column->isnull[i] = isnull;
	column->has_nulls |= isnull;
	if (column->by_value)
		column->value[i * column->stride] = clean_datum(value, column->length);
	else
		column->value[i * column->stride] = isnull ? value : rows_copy_value(rows, column, value);
}

/* The bytes that rows and columns take. */
extern Size rows_size(const Rows *rows);

#endif /* SCAN_COLUMN_ROWS_H */
