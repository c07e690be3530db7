/*
 * piece.c: some rows as bytes, for a temporary file.
 *
 * Fed by runs.c.  Columns lie one after the other: a byte that says whether there are
 * NULLs and then, if so, a byte a row; the values that are not NULL, as a tuple stores
 * them, from an aligned place on.  Those that are not in their Datums begin at aligned
 * places each, so that they can be used where they lie.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "utils/datum.h"

#include "sort/piece.h"

/* The value of a column in a row. */
static inline Datum
value_at(const RowColumn *column, uint32 row)
{
	return column->value[(int64) row * column->stride];
}

int
piece_rows(const Rows *rows, const uint32 *order, int n)
{
	Size bytes = 0;

	for (int i = 0; rows->bytes > 0 && i < n; i++)
	{
		for (int c = 0; c < rows->columns; c++)
		{
			const RowColumn *column = &rows->column[c];

			if (!column->constant && !column->by_value && !column->isnull[order[i]])
				bytes += datumGetSize(value_at(column, order[i]), false, column->length);
		}
		if (bytes > PIECE_BYTES)
			return i + 1;
	}
	return n;
}

static void
put_value(StringInfo piece, const RowColumn *column, Datum value)
{
	static const char zeros[MAXIMUM_ALIGNOF] = {0};
	Size			  size;

	if (column->by_value)
	{
		enlargeStringInfo(piece, sizeof(Datum));
		store_att_byval(piece->data + piece->len, value, column->length);
		piece->len += column->length;
		return;
	}
	size = datumGetSize(value, false, column->length);
	appendBinaryStringInfo(piece, DatumGetPointer(value), size);
	appendBinaryStringInfo(piece, zeros, MAXALIGN(size) - size);
}

static void
align_piece(StringInfo piece)
{
	while (piece->len != MAXALIGN(piece->len))
		appendStringInfoCharMacro(piece, '\0');
}

static void
put_column(StringInfo piece, const RowColumn *column, const uint32 *order, int n)
{
	bool has_nulls = false;

	for (int i = 0; column->has_nulls && i < n; i++)
		has_nulls |= column->isnull[order[i]];
	appendStringInfoCharMacro(piece, has_nulls);
	for (int i = 0; has_nulls && i < n; i++)
		appendStringInfoCharMacro(piece, column->isnull[order[i]]);
	align_piece(piece);
	for (int i = 0; i < n; i++)
		if (!has_nulls || !column->isnull[order[i]])
			put_value(piece, column, value_at(column, order[i]));
}

static void
get_column(StringInfo piece, RowColumn *column, int n)
{
	column->has_nulls = piece->data[piece->cursor++];
	if (column->has_nulls)
	{
		memcpy(column->isnull, piece->data + piece->cursor, n);
		piece->cursor += n;
	}
	else
		memset(column->isnull, false, n);
	piece->cursor = MAXALIGN(piece->cursor);
	for (int i = 0; i < n; i++)
	{
		char *at = piece->data + piece->cursor;

		if (column->isnull[i])
			column->value[i] = (Datum) 0;
		else if (column->by_value)
		{
			column->value[i] = fetch_att(at, true, column->length);
			piece->cursor += column->length;
		}
		else
		{
			column->value[i] = PointerGetDatum(at);
			piece->cursor += MAXALIGN(datumGetSize(column->value[i], false, column->length));
		}
	}
}

void
piece_put(StringInfo piece, const Rows *rows, const uint32 *order, int n)
{
	for (int c = 0; c < rows->columns; c++)
		if (!rows->column[c].constant)
			put_column(piece, &rows->column[c], order, n);
}

void
piece_get(StringInfo piece, Rows *rows, int n)
{
	piece->cursor = 0;
	rows_reset(rows);
	rows_reserve(rows, n);
	for (int c = 0; c < rows->columns; c++)
		if (!rows->column[c].constant)
			get_column(piece, &rows->column[c], n);
	rows->n = n;
}
