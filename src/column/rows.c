/*
 * rows.c: rows laid down as columns of Datums.
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/memutils.h"

#include "column/rows.h"

#define ROWS_LEAST 64

Rows *
rows_create(MemoryContext parent, const RowColumn *column, int columns)
{
	MemoryContext arrays = AllocSetContextCreate(parent, "scan columns", ALLOCSET_DEFAULT_SIZES);
	Rows		 *rows = (Rows *) MemoryContextAllocZero(arrays, sizeof(Rows));

	rows->columns = columns;
	rows->column = (RowColumn *) MemoryContextAllocZero(arrays, Max(columns, 1) * sizeof(RowColumn));
	memcpy(rows->column, column, columns * sizeof(RowColumn));
	for (int c = 0; c < columns; c++)
	{
		rows->column[c].value = NULL;
		rows->column[c].isnull = NULL;
	}
	rows->arrays = arrays;
	rows->values = AllocSetContextCreate(parent, "scan values", 8 * 1024, 64 * 1024, 8 * 1024 * 1024);
	rows_reserve(rows, ROWS_LEAST);
	return rows;
}

void
rows_free(Rows *rows)
{
	MemoryContextDelete(rows->values);
	MemoryContextDelete(rows->arrays); /* the rows themselves are in there */
}

void
rows_reset(Rows *rows)
{
	rows->n = 0;
	rows->bytes = 0;
	for (int c = 0; c < rows->columns; c++)
		rows->column[c].has_nulls = false;
	MemoryContextReset(rows->values);
}

void
rows_reserve(Rows *rows, int64 n)
{
	int64 capacity = Max(rows->capacity, ROWS_LEAST);

	if (n <= rows->capacity)
		return;
	while (capacity < n)
		capacity *= 2;
	for (int c = 0; c < rows->columns; c++)
	{
		RowColumn *column = &rows->column[c];

		if (column->value == NULL)
		{
			column->value = (Datum *) MemoryContextAllocHuge(rows->arrays, capacity * sizeof(Datum));
			column->isnull = (bool *) MemoryContextAllocHuge(rows->arrays, capacity * sizeof(bool));
		}
		else
		{
			column->value = (Datum *) repalloc_huge(column->value, capacity * sizeof(Datum));
			column->isnull = (bool *) repalloc_huge(column->isnull, capacity * sizeof(bool));
		}
		for (int64 i = rows->capacity; column->constant && i < capacity; i++)
		{
			column->value[i] = column->the_value;
			column->isnull[i] = column->the_isnull;
		}
	}
	rows->capacity = capacity;
}

/* A value that is not in its Datum, copied; expanded objects come out flat. */
static Datum
value_copy(Rows *rows, const RowColumn *column, Datum value)
{
	MemoryContext old = MemoryContextSwitchTo(rows->values);
	Datum		  copy = datumCopy(value, column->by_value, column->length);

	MemoryContextSwitchTo(old);
	rows->bytes += datumGetSize(copy, column->by_value, column->length);
	return copy;
}

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

static inline void
append_value(Rows *rows, RowColumn *column, Datum value, bool isnull)
{
	if (column->constant)
		return;
	column->isnull[rows->n] = isnull;
	column->has_nulls |= isnull;
	if (column->by_value)
		column->value[rows->n] = clean_datum(value, column->length);
	else
		column->value[rows->n] = isnull ? value : value_copy(rows, column, value);
}

void
rows_append(Rows *rows, const Datum *value, const bool *isnull)
{
	if (unlikely(rows->n == rows->capacity))
		rows_reserve(rows, rows->n + 1);
	for (int c = 0; c < rows->columns; c++)
		append_value(rows, &rows->column[c], value[c], isnull[c]);
	rows->n++;
}

void
rows_append_row(Rows *rows, const Rows *other, int64 i)
{
	if (rows->n == rows->capacity)
		rows_reserve(rows, rows->n + 1);
	for (int c = 0; c < rows->columns; c++)
		append_value(rows, &rows->column[c], other->column[c].value[i], other->column[c].isnull[i]);
	rows->n++;
}

Size
rows_size(const Rows *rows)
{
	Size a_row = rows->columns * (sizeof(Datum) + sizeof(bool));

	return rows->capacity * a_row + rows->bytes;
}
