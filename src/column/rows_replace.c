/*
 * rows_replace.c: stores rows in place of other rows.
 *
 * The filter of first rows (node/input/first_rows.c) keeps one row of each partition.  A better row takes its place.
 */
#include "postgres.h"

#include "utils/datum.h"

#include "column/rows.h"

/* ---- one row ---- */

/*
 * Stores a value in row `at` of a column of references, in place of a value that is not NULL.  The new value takes the
 * old one's place if there is room.  Returns the bytes that are left unused.
 */
static Size
replace_reference(Rows *rows, Column *column, int64 at, Datum value)
{
	Datum before = column_datum(column, at);
	Size  room = MAXALIGN(datumGetSize(before, false, column->length));
	Size  size = datumGetSize(value, false, column->length);

	if (MAXALIGN(size) > room)
	{
		column_store(column, at, arena_copy(&rows->arena, rows->arrays, column->length, value));
		return room;
	}
	memcpy(DatumGetPointer(before), DatumGetPointer(value), size);
	return room - MAXALIGN(size);
}

bool
rows_are_plain(const Rows *rows)
{
	for (int c = 0; c < rows->columns; c++)
	{
		const RowColumn *column = &rows->column[c];

		if (!column->constant && (column->data.format == COLUMN_REFERENCE || column->data.has_nulls))
			return false;
	}
	return true;
}

void
rows_replace_plain_row(Rows *rows, int64 at, const Rows *other, int64 i)
{
	if (rows->stride > 0)
		memcpy(rows->cells + at * rows->stride, other->cells + i * rows->stride, rows->stride);
	for (int c = 0; c < rows->columns; c++)
	{
		RowColumn *column = &rows->column[c];

		if (!column->constant && !column->beside)
			column_store(&column->data, at, column_datum(&other->column[c].data, i));
	}
}

Size
rows_replace_row(Rows *rows, int64 at, const Rows *other, int64 i)
{
	Size unused = 0;

	for (int c = 0; c < rows->columns; c++)
	{
		Column *column = &rows->column[c].data;
		bool	was_null = column_is_null(column, at), isnull;
		Datum	value;

		if (rows->column[c].constant)
			continue;
		value = column_get(&other->column[c].data, i, &isnull);
		if (column->format == COLUMN_REFERENCE && !was_null)
		{
			if (!isnull)
			{
				unused += replace_reference(rows, column, at, value);
				continue;
			}
			unused += MAXALIGN(datumGetSize(column_datum(column, at), false, column->length));
		}
		if (was_null)
			scan_bit_put(column->nulls, at, false);
		rows_put(rows, c, at, value, isnull);
	}
	return unused;
}

/* ---- some rows ---- */

/* Stores n plain rows: copies them column by column. */
static void
place_plain_rows(Rows *rows, const uint32 *at, const Rows *other, const uint32 *which, int64 n)
{
	for (int c = 0; c < rows->columns; c++)
	{
		const RowColumn *column = &rows->column[c];
		const Column	*from = &other->column[c].data;

		if (!column->constant)
			column_place(column->data.value, column->data.stride, at, from->value, from->stride,
						 column_width(from->format), which, n);
	}
	for (int64 i = 0; i < n; i++)
		rows->n += at[i] == rows->n;
}

Size
rows_replace_some(Rows *rows, const uint32 *at, const Rows *other, const uint32 *which, int64 n)
{
	Size unused = 0;

	rows_reserve(rows, rows->n + n);
	if (rows_are_plain(rows) && rows_are_plain(other))
		place_plain_rows(rows, at, other, which, n);
	else
		for (int64 i = 0; i < n; i++)
		{
			if (at[i] == rows->n)
				rows_append_row(rows, other, which[i]);
			else
				unused += rows_replace_row(rows, at[i], other, which[i]);
		}
	return unused;
}
