/*
 * rows.h: rows laid down as columns.
 *
 * The plan node pulls what it needs of its input into these: keys, arguments and the columns that
 * go up unchanged.  Values that are not passed by value are copied into the rows' arena, flat.
 */
#ifndef SCAN_COLUMN_ROWS_H
#define SCAN_COLUMN_ROWS_H

#include "postgres.h"

#include "column/arena.h"
#include "column/column.h"
#include "column/pool.h"

typedef struct RowColumn
{
	bool   constant; /* the same value in every row: laid down once, never appended */
	bool   wanted;	 /* by more than the order of the rows */
	Datum  the_value;
	bool   the_isnull;
	Arena  constant_arena;
	bool   apart;  /* it shall not lie side by side with others: who sorts the rows wants it alone */
	bool   beside; /* side by side with others, so many bytes after the first of them */
	int	   offset;
	Column data; /* whoever creates rows has set the type's length and by_value */
} RowColumn;

typedef enum RowsLayout
{
	ROWS_BY_COLUMN = 0, /* each column apart, constant ones too: to be scanned */
	ROWS_BY_ROW,		/* to be sorted: what is wanted of a row side by side, the rest apart; nothing constant */
} RowsLayout;

typedef struct Rows
{
	RowsLayout	  layout;
	int			  columns;
	RowColumn	 *column;
	int64		  n;
	int64		  capacity;
	MemoryContext context;	 /* of this and of the columns */
	Pool		 *arrays;	 /* the columns' */
	Size		  row_bytes; /* of a row in the arrays, without its NULLs */
	int			  stride;	 /* of the columns that lie side by side, row by row, */
	char		 *cells;	 /* in here */
	Arena		  arena;
} Rows;

/* No rows yet, with columns of such types. */
extern Rows *rows_create(MemoryContext parent, const RowColumn *column, int columns, RowsLayout layout);

/* No rows yet, as others are laid out. */
extern Rows *rows_create_like(const Rows *rows);

extern void rows_free(Rows *rows);

/* Forgets the rows, not the memory of the columns. */
extern void rows_reset(Rows *rows);

/* Forgets the rows from row n on, before which the arena had so many bytes. */
extern void rows_truncate(Rows *rows, int64 n, Size arena_used);

/* Makes place for at least n rows. */
extern void rows_reserve(Rows *rows, int64 n);

/* One more row: row i of other rows of the same columns. */
extern void rows_append_row(Rows *rows, const Rows *other, int64 i);

/* Says that row i, for which there is place, is NULL in a column that is not constant. */
extern void rows_put_null(Rows *rows, int c, int64 i);

/* Has references of the columns that are not constant mean places in another arena, or, if it is NULL, in the rows'
 * own. */
extern void rows_refer_to(Rows *rows, const Arena *arena);

/* Lays a value down in row i, for which there is place; not in a constant column. */
static inline void
rows_put(Rows *rows, int c, int64 i, Datum value, bool isnull)
{
	Column column = rows->column[c].data;

	if (unlikely(isnull))
		rows_put_null(rows, c, i);
	else
		column_store(&column, i,
					 column.format == COLUMN_REFERENCE ? arena_copy(&rows->arena, rows->arrays, column.length, value)
													   : value);
}

/* The bytes of a row, of which those in the arena are not counted. */
extern Size rows_row_bytes(const Rows *rows);

/* The bytes that rows and columns take. */
extern Size rows_size(const Rows *rows);

#endif /* SCAN_COLUMN_ROWS_H */
