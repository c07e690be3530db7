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

typedef struct RowColumn
{
	bool   constant; /* the same value in every row: laid down once, never appended */
	bool   wanted;	 /* by more than the order of the rows */
	bool   has_nulls;
	Datum  the_value;
	bool   the_isnull;
	int16  length;
	bool   by_value;
	Datum *value; /* `capacity` of them */
	bool  *isnull;
} RowColumn;

typedef struct Rows
{
	int			  columns;
	RowColumn	 *column;
	int64		  n;
	int64		  capacity;
	Size		  bytes;  /* that values outside of the Datums take */
	MemoryContext arrays; /* the columns' */
	MemoryContext values; /* what Datums point to */
} Rows;

/* No rows yet, with columns of such types and constants. */
extern Rows *rows_create(MemoryContext parent, const RowColumn *column, int columns);

extern void rows_free(Rows *rows);

/* Forgets the rows, not the memory of the columns. */
extern void rows_reset(Rows *rows);

/* Makes place for at least n rows. */
extern void rows_reserve(Rows *rows, int64 n);

/* One more row: a value for each column; those of constant columns are not looked at. */
extern void rows_append(Rows *rows, const Datum *value, const bool *isnull);

/* One more row: row i of other rows of the same columns. */
extern void rows_append_row(Rows *rows, const Rows *other, int64 i);

/* The bytes that rows and columns take. */
extern Size rows_size(const Rows *rows);

#endif /* SCAN_COLUMN_ROWS_H */
