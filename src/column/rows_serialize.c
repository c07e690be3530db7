/*
 * rows_serialize.c: the bytes of rows, in which they go to another process or to a temporary file.
 *
 * Offsets count from the arena's beginning.  So the values in the arena are appended as a whole, and the offsets grow
 * by as much as the reader's arena was filled before.
 */
#include "postgres.h"

#include "utils/datum.h"

#include "column/cells.h"
#include "column/rows_serialize.h"
#include "column/stretch.h"

/* The header.  The arena follows, whose length is a multiple of MAXIMUM_ALIGNOF; then the arrays, without padding. */
typedef struct RowsHead
{
	int64 n;
	Size  arena;
} RowsHead;

StaticAssertDecl(sizeof(RowsHead) % MAXIMUM_ALIGNOF == 0, "the arena must be aligned");

/* ---- some rows ---- */

/* Copies the values of a column of references to the rows' own arena, unless they are small numerics. */
static void
pick_references(Rows *rows, int c, const Column *from, const uint32 *which, int64 n)
{
	Column to = rows->column[c].data;

	for (int64 i = 0; i < n; i++)
		if (!column_is_null(from, which[i]))
			column_store(&to, rows->n + i, rows_lay_down_from(rows, c, from, which[i]));
}

void
rows_append_some(Rows *rows, const Rows *other, const uint32 *which, int64 n)
{
	int64 at = rows->n;

	Assert(rows->layout == ROWS_BY_COLUMN || rows->layout == other->layout);
	rows_reserve(rows, at + n);
	cells_pick(rows->cells + at * rows->stride, other->cells, rows->stride, which, n);
	for (int c = 0; c < rows->columns; c++)
	{
		const RowColumn *column = &other->column[c];
		Column			*to = &rows->column[c].data;

		if (column->constant)
			continue;
		if (!rows->column[c].beside)
			column_gather(&column->data, to->value + at * to->stride, which, n);
		if (to->format == COLUMN_REFERENCE)
			pick_references(rows, c, &column->data, which, n);
		for (int64 i = 0; i < n && column->data.has_nulls; i++)
			if (scan_bit(column->data.nulls, which[i]))
				rows_put_null(rows, c, at + i);
	}
	rows->n += n;
}

void
rows_append_range(Rows *rows, const Rows *other, int64 from, int64 n)
{
	int64 at = rows->n;

	Assert(rows->layout == other->layout);
	rows_reserve(rows, at + n);
	stretch_copy(rows->cells + at * rows->stride, other->cells + from * rows->stride, n * rows->stride);
	for (int c = 0; c < rows->columns; c++)
	{
		const Column *column = &other->column[c].data;
		Column		 *to = &rows->column[c].data;

		if (rows->column[c].constant)
			continue;
		if (!rows->column[c].beside)
			stretch_copy(to->value + at * to->stride, column->value + from * to->stride, n * to->stride);
		if (to->format != COLUMN_REFERENCE && !column->has_nulls)
			continue;
		FOR_INTERRUPTIBLE (i, 0, n)
		{
			if (column_is_null(column, from + i))
				rows_put_null(rows, c, at + i);
			else if (to->format == COLUMN_REFERENCE)
				column_store(to, at + i, rows_lay_down_from(rows, c, column, from + i));
		}
	}
	rows->n += n;
}

int64
rows_within(const Rows *rows, const uint32 *which, int64 n, Size limit, Size *bytes)
{
	bool references = false;

	*bytes = 0;
	/* most rows with small numerics have no other ones */
	for (int c = 0; c < rows->columns; c++)
		references = references || (!rows->column[c].constant && !rows->column[c].data.by_value &&
									(!rows->column[c].data.small || rows->arena.used > 0));
	for (int64 i = 0; references && i < n; i++)
	{
		for (int c = 0; c < rows->columns; c++)
		{
			const Column *column = &rows->column[c].data;
			const char	 *at = column->value + which[i] * (Size) column->stride;

			if (!rows->column[c].constant && !column->by_value && !column_is_null(column, which[i]) &&
				!is_small_numeric(*(const Uint64Cell *) at))
				*bytes += MAXALIGN(datumGetSize(PointerGetDatum(column->arena->bytes + *(const Uint64Cell *) at), false,
												column->length));
		}
		if (*bytes > limit)
			return i + 1;
	}
	return n;
}

bool
rows_fill_arena(const Rows *rows, Size bytes)
{
	return rows->arena.used == bytes;
}

/* ---- their bytes ---- */

Size
rows_written_size(const Rows *rows)
{
	Size bytes = sizeof(RowsHead) + rows->n * rows->row_bytes + rows->arena.used;

	for (int c = 0; c < rows->columns; c++)
		if (!rows->column[c].constant)
			bytes += sizeof(bool) + (rows->column[c].data.has_nulls ? scan_bit_bytes(rows->n) : 0);
	return bytes;
}

void
rows_write(const Rows *rows, RowsBytes write, void *file)
{
	RowsHead head = {rows->n, rows->arena.used};

	write(file, &head, sizeof(head));
	write(file, rows->arena.bytes, rows->arena.used);
	write(file, rows->cells, rows->n * rows->stride);
	for (int c = 0; c < rows->columns; c++)
	{
		const RowColumn *column = &rows->column[c];
		bool			 has_nulls = column->data.has_nulls;

		if (column->constant)
			continue;
		if (!column->beside)
			write(file, column->data.value, rows->n * column->data.stride);
		write(file, &has_nulls, sizeof(has_nulls));
		if (has_nulls)
			write(file, column->data.nulls, scan_bit_bytes(rows->n));
	}
}

/* Reads the NULLs of n rows from row `at` on. */
static void
read_nulls(Rows *rows, int c, int64 at, int64 n, RowsBytes read, void *file)
{
	uint8 *nulls;
	bool   has_nulls;

	read(file, &has_nulls, sizeof(has_nulls));
	if (!has_nulls)
		return;
	nulls = (uint8 *) palloc(scan_bit_bytes(n));
	read(file, nulls, scan_bit_bytes(n));
	FOR_INTERRUPTIBLE (i, 0, n)
		if (scan_bit(nulls, i))
			rows_put_null(rows, c, at + i);
	pfree(nulls);
}

/* Appends the arrays of n rows, in which offsets count from position `base` of the arena. */
static void
read_arrays(Rows *rows, int64 n, uint64 base, RowsBytes read, void *file)
{
	int64 at = rows->n;

	rows_reserve(rows, at + n);
	read(file, rows->cells + at * rows->stride, n * rows->stride);
	for (int c = 0; c < rows->columns; c++)
	{
		Column *to = &rows->column[c].data;

		if (rows->column[c].constant)
			continue;
		if (!rows->column[c].beside)
			read(file, to->value + at * to->stride, n * to->stride);
		if (to->format == COLUMN_REFERENCE && base > 0)
			FOR_INTERRUPTIBLE (i, at, at + n)
			{
				Uint64Cell *place = (Uint64Cell *) (to->value + i * to->stride);

				*place += is_small_numeric(*place) ? 0 : base;
			}
		read_nulls(rows, c, at, n, read, file);
	}
	rows->n += n;
}

void
rows_read(Rows *rows, RowsBytes read, void *file)
{
	uint64	 base = rows->arena.used;
	RowsHead head;

	read(file, &head, sizeof(head));
	/* an arena without values has no address */
	if (head.arena > 0)
		read(file, arena_room(&rows->arena, rows->arrays, head.arena), head.arena);
	read_arrays(rows, head.n, base, read, file);
}

/* ---- in memory ---- */

static void
copy_from_buffer(void *cursor, void *bytes, Size size)
{
	/* an arena without values has no address */
	if (size > 0)
		memcpy(*(char **) cursor, bytes, size);
	*(char **) cursor += size;
}

static void
copy_to_buffer(void *cursor, void *bytes, Size size)
{
	if (size > 0)
		memcpy(bytes, *(const char **) cursor, size);
	*(const char **) cursor += size;
}

void
rows_write_memory(const Rows *rows, char *to)
{
	rows_write(rows, copy_from_buffer, &to);
}

void
rows_read_memory(Rows *rows, const char *from)
{
	rows_read(rows, copy_to_buffer, &from);
}

void
rows_read_in_place(Rows *rows, char *bytes)
{
	const char *cursor = bytes + sizeof(RowsHead);
	RowsHead	head;

	memcpy(&head, bytes, sizeof(head));
	rows_reset(rows);
	rows->arena = (Arena){.bytes = bytes + sizeof(head)};
	cursor += head.arena;
	read_arrays(rows, head.n, 0, copy_to_buffer, &cursor);
}
