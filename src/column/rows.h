/*
 * rows.h: rows stored as columns.
 *
 * The plan node pulls its input into Rows: keys, arguments and passthrough columns.  Values that are not passed by
 * value are copied into the rows' arena, flat.
 */
#ifndef SCAN_COLUMN_ROWS_H
#define SCAN_COLUMN_ROWS_H

#include "postgres.h"

#include "column/arena.h"
#include "column/column.h"
#include "column/memory.h"
#include "column/small_numeric.h"

typedef struct RowColumn
{
	bool  constant; /* the same value in every row: stored once, never appended */
	bool  wanted;	/* used for more than sorting the rows */
	Datum the_value;
	bool  the_isnull;
	Arena constant_arena;
	/*
	 * set for a key that the sort may restore from its words, or free alone: it does not lie side by side with others
	 */
	bool apart;
	bool small;	 /* numerics: in ROWS_BY_ROW they are small ones where they can be */
	bool joined; /* lies side by side with wanted columns, even if it is not wanted: rows are replaced one by one */
	/* set by rows_create: the column lies side by side with others, `offset` bytes after a row's first one */
	bool   beside;
	int	   offset;
	Column data; /* the creator sets its `length` and `by_value` to the type's, rows_create the rest */
} RowColumn;

typedef enum RowsLayout
{
	ROWS_BY_COLUMN = 0, /* to be scanned: each column apart, constant ones too */
	/* to be sorted: wanted columns side by side unless `apart`, others apart unless `joined`, constants not stored */
	ROWS_BY_ROW,
} RowsLayout;

typedef struct Rows
{
	RowsLayout	  layout;
	int			  columns;
	RowColumn	 *column;
	int64		  n, capacity;
	MemoryContext context;		 /* of this struct and of `column` */
	MemoryContext array_context; /* below it: of `arrays` */
	Pool		 *arrays;		 /* memory of the columns and of the arena */
	Size		  row_bytes;	 /* bytes of a row in the columns, without the bitmaps of NULLs */
	Size		  small_bytes;	 /* ROWS_BY_COLUMN: most bytes of a row in the arena that are of small numerics */
	int			  stride;		 /* bytes from row to row in `cells` */
	char		 *cells;		 /* the columns that lie side by side, row by row */
	Arena		  arena;
} Rows;

/* Creates rows with such columns; there are no rows yet.  The columns' descriptions are copied. */
extern Rows *rows_create(MemoryContext parent, const RowColumn *column, int columns, RowsLayout layout);

/* Creates rows with the same columns and layout as others; there are no rows yet. */
extern Rows *rows_create_like(const Rows *rows);

extern void rows_free(Rows *rows);

/* Removes all rows, and keeps the memory of the columns. */
extern void rows_reset(Rows *rows);

/* Removes all rows.  True: has also freed what lay in rows->arrays.  False: that was little, and is kept. */
extern bool rows_release(Rows *rows);

/* Removes the rows from row n on.  `arena_used`: the arena's bytes in use when there were n rows. */
extern void rows_truncate(Rows *rows, int64 n, Size arena_used);

/* Where rows end: their number, and the bytes of the arena that their values take. */
typedef struct RowsEnd
{
	int64 n;
	Size  arena_used;
} RowsEnd;

/*
 * Moves n rows, whose numbers ascend from end->n or a later row on, to the rows from end->n on, and moves *end behind
 * them.  The rows between are undefined until rows_truncate().  At most one column has values in the arena, in the
 * order of the rows.
 */
extern void rows_keep(Rows *rows, RowsEnd *end, const uint32 *which, int64 n);

/* Makes room for at least n rows. */
extern void rows_reserve(Rows *rows, int64 n);

/* Appends a copy of row i of other rows with the same columns. */
extern void rows_append_row(Rows *rows, const Rows *other, int64 i);

/*
 * Replaces row `at` by a copy of row i of other rows with the same columns.  Returns how many more bytes of the arena
 * no row refers to.
 */
extern Size rows_replace_row(Rows *rows, int64 at, const Rows *other, int64 i);

/* True if no value is NULL or a reference. */
extern bool rows_are_plain(const Rows *rows);

/* Does what rows_replace_row() does, faster: only if rows_are_plain() for both. */
extern void rows_replace_plain_row(Rows *rows, int64 at, const Rows *other, int64 i);

/*
 * Stores a copy of row which[i] of `other` in row at[i], for each i below n in turn.  The row is appended if at[i] is
 * the number of rows, and replaced if at[i] is less.  Returns what rows_replace_row() does, for all of them.
 */
extern Size rows_replace_some(Rows *rows, const uint32 *at, const Rows *other, const uint32 *which, int64 n);

/* Sets row i, for which there is room, to NULL in a column that is not constant. */
extern void rows_put_null(Rows *rows, int c, int64 i);

/*
 * Makes the offsets in columns that are not constant refer to another arena or, if it is NULL, to the rows' own.
 * Columns that have small numerics in other rows (RowColumn.small) always refer to the rows' own arena.
 */
extern void rows_refer_to(Rows *rows, const Arena *arena);

/* Returns what column c stores for a value that is not passed by value: the offset of a copy, or a small numeric. */
static inline uint64
rows_lay_down(Rows *rows, int c, Datum value)
{
	const Column *column = &rows->column[c].data;
	uint64		  small = column->small ? small_numeric(DatumGetPointer(value)) : 0;

	return small != 0 ? small : arena_copy(&rows->arena, rows->arrays, column->length, value);
}

/* The same for a value of other rows, which is not NULL: row i of a column with the same type. */
extern uint64 rows_lay_down_from(Rows *rows, int c, const Column *from, int64 i);

/* Stores a value or NULL in row i, for which there is room, of a column that is not constant. */
static inline void
rows_put(Rows *rows, int c, int64 i, Datum value, bool isnull)
{
	Column column = rows->column[c].data;

	if (unlikely(isnull))
		rows_put_null(rows, c, i);
	else
		column_store(&column, i, column.format == COLUMN_REFERENCE ? rows_lay_down(rows, c, value) : value);
}

/*
 * Stores values of column c, which is not constant, in n rows from row `at` on, for which there is room: those that lie
 * `offset` bytes behind data[0] to data[n - 1], none of which is NULL.
 */
extern void rows_fetch(Rows *rows, int c, int64 at, const char *const *data, int n, int offset);

/* Returns the bytes of a row in the columns, bitmaps of NULLs included, without what is in the arena. */
extern Size rows_row_bytes(const Rows *rows);

/* Returns the bytes of all rows for which there is room, and of the arena. */
extern Size rows_size(const Rows *rows);

#endif /* SCAN_COLUMN_ROWS_H */
