/*
 * spill_chunk.c: some rows as bytes, for a temporary file.
 *
 * row_file.c calls it.  Columns lie one after the other.  A column is a byte that says if it has NULLs; if so,
 * a byte for each row; then, from an aligned offset on, the values that are not NULL, as a tuple stores them.
 * By-reference values begin at an aligned offset each, so that they can be used in place.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "utils/datum.h"

#include "sort/spill_chunk.h"

int
spill_chunk_rows(const Rows *rows, const uint32 *order, int n)
{
	Size bytes = 0;

	for (int i = 0; rows->arena.used > 0 && i < n; i++)
	{
		for (int c = 0; c < rows->columns; c++)
		{
			const Column *column = &rows->column[c].data;

			if (!rows->column[c].constant && !column->by_value && !column_is_null(column, order[i]))
				bytes += datumGetSize(column_datum(column, order[i]), false, column->length);
		}
		if (bytes > SPILL_CHUNK_BYTES)
			return i + 1;
	}
	return n;
}

static void
put_value(StringInfo chunk, const Column *column, Datum value)
{
	static const char zeros[MAXIMUM_ALIGNOF] = {0};
	Size			  size;

	if (column->by_value)
	{
		enlargeStringInfo(chunk, sizeof(Datum));
		store_att_byval(chunk->data + chunk->len, value, column->length);
		chunk->len += column->length;
		return;
	}
	size = datumGetSize(value, false, column->length);
	appendBinaryStringInfo(chunk, DatumGetPointer(value), size);
	appendBinaryStringInfo(chunk, zeros, MAXALIGN(size) - size);
}

static void
align_chunk(StringInfo chunk)
{
	while (chunk->len != MAXALIGN(chunk->len))
		appendStringInfoCharMacro(chunk, '\0');
}

static void
put_column(StringInfo chunk, const Column *column, const uint32 *order, int n)
{
	bool has_nulls = false;

	for (int i = 0; column->has_nulls && i < n; i++)
		has_nulls |= column_is_null(column, order[i]);
	appendStringInfoCharMacro(chunk, has_nulls);
	for (int i = 0; has_nulls && i < n; i++)
		appendStringInfoCharMacro(chunk, column_is_null(column, order[i]));
	align_chunk(chunk);
	for (int i = 0; i < n; i++)
		if (!has_nulls || !column_is_null(column, order[i]))
			put_value(chunk, column, column_datum(column, order[i]));
}

static void
get_column(StringInfo chunk, Rows *rows, int c, int n)
{
	Column	   *column = &rows->column[c].data;
	const char *isnull = chunk->data[chunk->cursor++] ? chunk->data + chunk->cursor : NULL;

	chunk->cursor = MAXALIGN(chunk->cursor + (isnull == NULL ? 0 : n));
	for (int i = 0; i < n; i++)
	{
		char *at = chunk->data + chunk->cursor;

		if (isnull != NULL && isnull[i])
			rows_put_null(rows, c, i);
		else if (column->by_value)
		{
			memcpy(column->value + i * column->stride, at, column->length);
			chunk->cursor += column->length;
		}
		else
		{
			column_store(column, i, chunk->cursor);
			chunk->cursor += MAXALIGN(datumGetSize(PointerGetDatum(at), false, column->length));
		}
	}
}

void
spill_chunk_write(StringInfo chunk, const Rows *rows, const uint32 *order, int n)
{
	for (int c = 0; c < rows->columns; c++)
		if (!rows->column[c].constant)
			put_column(chunk, &rows->column[c].data, order, n);
}

void
spill_chunk_read(StringInfo chunk, Rows *rows, int n)
{
	chunk->cursor = 0;
	rows_reset(rows);
	rows_reserve(rows, n);
	/* the arena is the chunk itself: by-reference values are not copied */
	rows->arena = (Arena){.bytes = chunk->data};
	for (int c = 0; c < rows->columns; c++)
		if (!rows->column[c].constant)
			get_column(chunk, rows, c, n);
	rows->n = n;
}
