/*
 * rows.c: rows laid down as columns of Datums.
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/memutils.h"

#include "column/rows.h"
#include "column/stretch.h"
#include "compat.h"

#define ROWS_LEAST 64
#define ROWS_MANY (256 * 1024)

Rows *
rows_create(MemoryContext parent, const RowColumn *column, int columns, RowsLayout layout)
{
	MemoryContext arrays = AllocSetContextCreate(parent, "scan columns", ALLOCSET_DEFAULT_SIZES);
	Rows		 *rows = (Rows *) MemoryContextAllocZero(arrays, sizeof(Rows));

	rows->columns = columns;
	rows->column = (RowColumn *) MemoryContextAllocZero(arrays, Max(columns, 1) * sizeof(RowColumn));
	memcpy(rows->column, column, columns * sizeof(RowColumn));
	for (int c = 0; c < columns; c++)
	{
		RowColumn *to = &rows->column[c];

		to->absent = to->constant && layout == ROWS_BY_ROW;
		to->beside = layout == ROWS_BY_ROW && to->wanted && !to->key && !to->constant;
		to->place = to->beside ? rows->beside++ : 0;
		to->stride = 1;
		to->value = NULL;
		to->isnull = NULL;
	}
	rows->arrays = pool_create(arrays);
	rows->context = arrays;
	rows->values = AllocSetContextCreate(parent, "scan values", ALLOCSET_SMALL_SIZES);
	rows_reserve(rows, ROWS_LEAST);
	return rows;
}

void
rows_free(Rows *rows)
{
	MemoryContextDelete(rows->values);
	MemoryContextDelete(rows->context); /* the rows themselves are in there */
}

void
rows_reserve(Rows *rows, int64 n)
{
	int64 capacity = Max(rows->capacity, ROWS_LEAST);

	if (n <= rows->capacity)
		return;
	/* mapped memory grows at little cost: no need to take twice what there is */
	while (capacity < n)
		capacity += capacity < ROWS_MANY ? capacity : capacity / 4;
	if (rows->beside > 0)
		rows->cells = (Datum *) pool_resize(rows->arrays, rows->cells, capacity * rows->beside * sizeof(Datum));
	for (int c = 0; c < rows->columns; c++)
	{
		RowColumn *column = &rows->column[c];

		if (column->absent)
			continue;
		if (column->beside)
		{
			column->value = rows->cells + column->place;
			column->stride = rows->beside;
		}
		else
			column->value = (Datum *) pool_resize(rows->arrays, column->value, capacity * sizeof(Datum));
		column->isnull = (bool *) pool_resize(rows->arrays, column->isnull, capacity * sizeof(bool));
		for (int64 i = rows->capacity; column->constant && i < capacity; i++)
		{
			CHECK_FOR_INTERRUPTS();
			column->value[i] = column->the_value;
			column->isnull[i] = column->the_isnull;
		}
	}
	rows->capacity = capacity;
}

/* ---- values that are not in their Datums ---- */

/*
 * They are laid one behind the other into chunks, the first of which stays when the
 * rows are forgotten and grows to what they took: so blocks of a stream find their
 * memory there.  A header and a rounded size for each value would double numbers.
 */
#define CHUNK_LEAST (8 * 1024)
#define CHUNK_MOST (1024 * 1024)

/* A new chunk that has place for `size` bytes. */
static void
new_chunk(Rows *rows, Size size)
{
	Size room = Max(size, Min(Max(rows->bytes, CHUNK_LEAST), CHUNK_MOST));

	rows->free = (char *) MemoryContextAllocHuge(rows->values, room);
	rows->end = rows->free + room;
	if (rows->first == NULL)
	{
		rows->first = rows->free;
		rows->first_size = room;
	}
}

static void
forget_values(Rows *rows)
{
	Size wanted = Min(rows->bytes, CHUNK_MOST);

	if (rows->first == NULL)
		return;
	if (rows->end == rows->first + rows->first_size && rows->first_size <= CHUNK_MOST)
	{
		rows->free = rows->first;
		return;
	}
	MemoryContextReset(rows->values);
	rows->first = NULL;
	new_chunk(rows, wanted);
}

Datum
rows_copy_value(Rows *rows, const RowColumn *column, Datum value)
{
	const char *from = DatumGetPointer(value);
	Size		size, room;
	bool		expanded = column->length == -1 && VARATT_IS_EXTERNAL_EXPANDED(from);

	size = expanded ? EOH_get_flat_size(DatumGetEOHP(value)) : datumGetSize(value, false, column->length);
	room = MAXALIGN(size);
	if (rows->end - rows->free < room)
		new_chunk(rows, room);
	value = PointerGetDatum(rows->free);
	if (expanded)
		EOH_flatten_into(DatumGetEOHP(PointerGetDatum(from)), rows->free, size);
	else
		memcpy(rows->free, from, size);
	rows->free += room;
	rows->bytes += room;
	return value;
}

/* ---- rows ---- */

void
rows_reset(Rows *rows)
{
	for (int c = 0; c < rows->columns; c++)
		rows->column[c].has_nulls = false;
	forget_values(rows);
	rows->n = 0;
	rows->bytes = 0;
}

void
rows_append(Rows *rows, const Datum *value, const bool *isnull)
{
	if (unlikely(rows->n == rows->capacity))
		rows_reserve(rows, rows->n + 1);
	for (int c = 0; c < rows->columns; c++)
		if (!rows->column[c].constant)
			rows_put(rows, c, rows->n, value[c], isnull[c]);
	rows->n++;
}

void
rows_append_row(Rows *rows, const Rows *other, int64 i)
{
	if (unlikely(rows->n == rows->capacity))
		rows_reserve(rows, rows->n + 1);
	for (int c = 0; c < rows->columns; c++)
		if (!rows->column[c].constant)
			rows_put(rows, c, rows->n, other->column[c].value[i * other->column[c].stride], other->column[c].isnull[i]);
	rows->n++;
}

Size
rows_size(const Rows *rows)
{
	Size a_row = rows->columns * (sizeof(Datum) + sizeof(bool));

	return rows->capacity * a_row + rows->bytes;
}
