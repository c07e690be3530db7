/*
 * rows.c: rows stored as columns.
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/memutils.h"

#include "column/cells.h"
#include "column/rows.h"
#include "column/stretch.h"
#include "compat.h"

#define ROWS_LEAST 64
#define ROWS_MANY (256 * 1024)

/* Less memory is not worth the time to get it again. */
#define RELEASED_LEAST ((Size) 16 * 1024)

/* ---- columns ---- */

/* Stores the one value of a constant column.  The column's own arena has that value and nothing else. */
static void
store_constant(Rows *rows, RowColumn *column)
{
	Column *data = &column->data;

	column->constant_arena = (Arena){0};
	if (column->the_isnull)
		return;
	column_store(data, 0,
				 data->by_value ? column->the_value
								: arena_copy(&column->constant_arena, rows->arrays, data->length, column->the_value));
}

static void
create_constant(Rows *rows, RowColumn *column)
{
	Column *data = &column->data;

	data->value = (char *) MemoryContextAllocZero(rows->context, sizeof(Datum));
	data->stride = 0;
	data->has_nulls = column->the_isnull;
	data->arena = &column->constant_arena;
	store_constant(rows, column);
}

/*
 * Sets the offsets of the columns that lie side by side.  The widest come first, so that each is aligned as its type
 * wants, but for those of eight bytes (column.h).
 */
static void
lay_side_by_side(Rows *rows)
{
	int widest = 1;

	for (int width = sizeof(uint64); width > 0; width /= 2)
		for (int c = 0; c < rows->columns; c++)
		{
			RowColumn *column = &rows->column[c];

			if (!column->beside || column_width(column->data.format) != width)
				continue;
			column->offset = rows->stride;
			rows->stride += width;
			widest = Max(widest, width);
		}
	rows->stride = TYPEALIGN(Min(widest, CELL_ALIGNMENT), rows->stride);
	for (int c = 0; c < rows->columns; c++)
		if (rows->column[c].beside)
			rows->column[c].data.stride = rows->stride;
}

Rows *
rows_create(MemoryContext parent, const RowColumn *column, int columns, RowsLayout layout)
{
	MemoryContext context = AllocSetContextCreate(parent, "scan rows", ALLOCSET_SMALL_SIZES);
	/* small blocks: the memory of an array that grows is given back, and not kept for the context */
	MemoryContext arrays = AllocSetContextCreate(context, "scan columns", ALLOCSET_SMALL_SIZES);
	Rows		 *rows = (Rows *) MemoryContextAlloc(context, sizeof(Rows));

	*rows = (Rows){.context = context,
				   .array_context = arrays,
				   .arrays = pool_create(arrays),
				   .columns = columns,
				   .layout = layout,
				   .column = (RowColumn *) MemoryContextAlloc(context, Max(columns, 1) * sizeof(RowColumn))};
	memcpy(rows->column, column, columns * sizeof(RowColumn));
	for (int c = 0; c < columns; c++)
	{
		RowColumn *to = &rows->column[c];
		Column	  *data = &to->data;

		*data = (Column){.length = data->length, .by_value = data->by_value, .arena = &rows->arena};
		data->format = column_format(data->length, data->by_value);
		data->stride = column_width(data->format);
		data->small = to->small && layout == ROWS_BY_ROW;
		rows->small_bytes += to->small && layout == ROWS_BY_COLUMN ? SMALL_NUMERIC_MOST : 0;
		to->beside = layout == ROWS_BY_ROW && (to->wanted || to->joined) && !to->apart && !to->constant;
		if (to->constant && layout == ROWS_BY_COLUMN)
			create_constant(rows, to);
		else if (!to->constant && !to->beside)
			rows->row_bytes += data->stride;
	}
	lay_side_by_side(rows);
	rows->row_bytes += rows->stride;
	return rows;
}

Rows *
rows_create_like(const Rows *rows)
{
	return rows_create(MemoryContextGetParent(rows->context), rows->column, rows->columns, rows->layout);
}

void
rows_free(Rows *rows)
{
	MemoryContextDelete(rows->context); /* *rows itself is in that context */
}

void
rows_reserve(Rows *rows, int64 n)
{
	int64 capacity = Max(rows->capacity, ROWS_LEAST);
	Size  bits = scan_bit_bytes(rows->capacity);

	if (n <= rows->capacity)
		return;
	/* mapped memory grows at little cost: doubling is only for small arrays */
	while (capacity < n)
		capacity += capacity < ROWS_MANY ? capacity : capacity / 4;
	if (rows->stride > 0)
		rows->cells = (char *) pool_resize(rows->arrays, rows->cells, capacity * rows->stride);
	for (int c = 0; c < rows->columns; c++)
	{
		RowColumn *column = &rows->column[c];
		Column	  *data = &column->data;

		if (column->constant)
			continue;
		if (column->beside)
			data->value = rows->cells + column->offset;
		else
			data->value = (char *) pool_resize(rows->arrays, data->value, capacity * data->stride);
		if (data->nulls == NULL)
			continue;
		data->nulls = (uint8 *) pool_resize(rows->arrays, data->nulls, scan_bit_bytes(capacity));
		stretch_fill(data->nulls + bits, 0, scan_bit_bytes(capacity) - bits);
	}
	rows->capacity = capacity;
}

/* The bits after the last row are always 0, so a value that is not NULL sets no bit. */
void
rows_put_null(Rows *rows, int c, int64 i)
{
	Column *column = &rows->column[c].data;

	if (column->nulls == NULL)
	{
		column->nulls = (uint8 *) pool_alloc(rows->arrays, scan_bit_bytes(rows->capacity));
		stretch_fill(column->nulls, 0, scan_bit_bytes(rows->capacity));
	}
	column->has_nulls = true;
	scan_bit_put(column->nulls, i, true);
	column_store(column, i, 0);
}

/* ---- rows ---- */

void
rows_reset(Rows *rows)
{
	for (int c = 0; c < rows->columns; c++)
	{
		Column *column = &rows->column[c].data;

		if (!column->has_nulls || column->stride == 0)
			continue;
		stretch_fill(column->nulls, 0, scan_bit_bytes(rows->n));
		column->has_nulls = false;
	}
	rows->n = 0;
	arena_reset(&rows->arena, rows->arrays);
}

bool
rows_release(Rows *rows)
{
	bool spills = pool_spills(rows->arrays);

	rows_reset(rows);
	if (rows->capacity * rows_row_bytes(rows) + rows->arena.size < RELEASED_LEAST)
		return false;
	MemoryContextReset(rows->array_context); /* and the pool in it */
	rows->arrays = pool_create(rows->array_context);
	if (spills)
		pool_may_spill(rows->arrays);
	rows->cells = NULL;
	rows->arena = (Arena){0};
	rows->capacity = 0;
	for (int c = 0; c < rows->columns; c++)
	{
		RowColumn *column = &rows->column[c];

		if (!column->constant)
			column->data.value = NULL;
		else if (rows->layout == ROWS_BY_COLUMN)
			store_constant(rows, column);
		column->data.nulls = NULL;
	}
	return true;
}

void
rows_truncate(Rows *rows, int64 n, Size arena_used)
{
	for (int c = 0; c < rows->columns; c++)
	{
		Column *column = &rows->column[c].data;

		if (!column->has_nulls || column->stride == 0)
			continue;
		FOR_INTERRUPTIBLE (i, n, rows->n)
			scan_bit_put(column->nulls, i, false);
	}
	rows->n = n;
	rows->arena.used = arena_used;
}

/* ---- rows that stay ---- */

/* Moves the values of a column of references, which has been moved: those of the n rows from row `at` on. */
static void
move_references(Rows *rows, Column *column, int64 at, int64 n, Size *used)
{
	for (int64 i = at; i < at + n; i++)
	{
		Uint64Cell *place = (Uint64Cell *) (column->value + i * column->stride);
		Size		size;

		if (column_is_null(column, i) || is_small_numeric(*place))
			continue;
		size = MAXALIGN(datumGetSize(PointerGetDatum(rows->arena.bytes + *place), false, column->length));
		Assert(*place >= *used);
		if (*place > *used)
			memmove(rows->arena.bytes + *used, rows->arena.bytes + *place, size);
		*place = *used;
		*used += size;
	}
}

void
rows_keep(Rows *rows, RowsEnd *end, const uint32 *which, int64 n)
{
	int64 to = end->n;

	cells_pick(rows->cells + to * rows->stride, rows->cells, rows->stride, which, n);
	for (int c = 0; c < rows->columns; c++)
	{
		RowColumn *column = &rows->column[c];
		Column	  *data = &column->data;

		if (column->constant)
			continue;
		if (!column->beside)
			column_place(data->value + to * data->stride, data->stride, NULL, data->value, data->stride, data->stride,
						 which, n);
		for (int64 i = 0; i < n && data->has_nulls; i++)
			scan_bit_put(data->nulls, to + i, scan_bit(data->nulls, which[i]));
		if (!data->by_value)
			move_references(rows, data, to, n, &end->arena_used);
	}
	end->n += n;
}

void
rows_refer_to(Rows *rows, const Arena *arena)
{
	for (int c = 0; c < rows->columns; c++)
		if (!rows->column[c].constant)
			rows->column[c].data.arena = arena == NULL || rows->column[c].small ? &rows->arena : arena;
}

uint64
rows_lay_down_from(Rows *rows, int c, const Column *from, int64 i)
{
	uint64 place = *(const Uint64Cell *) (from->value + i * from->stride);

	if (!is_small_numeric(place))
		return rows_lay_down(rows, c, PointerGetDatum(from->arena->bytes + place));
	if (rows->column[c].data.small)
		return place;
	return arena_keep(&rows->arena,
					  small_numeric_put((char *) arena_reserve(&rows->arena, rows->arrays, SMALL_NUMERIC_MOST), place));
}

#define FETCH(TYPE)             \
	for (int i = 0; i < n; i++) \
	*(TYPE *) (to + i * stride) = *(const TYPE *) (data[i] + offset)

void
rows_fetch(Rows *rows, int c, int64 at, const char *const *data, int n, int offset)
{
	Column column = rows->column[c].data;
	int	   stride = column.stride;
	char  *to = column.value + at * stride;

	switch (column.format)
	{
		case COLUMN_BYTE:
			FETCH(char);
			break;
		case COLUMN_INT16:
			FETCH(int16);
			break;
		case COLUMN_INT32:
			FETCH(int32);
			break;
		case COLUMN_INT64:
			FETCH(Int64Cell);
			break;
		default:
			for (int i = 0; i < n; i++)
				column_store(&column, at + i, rows_lay_down(rows, c, PointerGetDatum(data[i] + offset)));
			break;
	}
}

#undef FETCH

void
rows_append_row(Rows *rows, const Rows *other, int64 i)
{
	if (unlikely(rows->n == rows->capacity))
		rows_reserve(rows, rows->n + 1);
	for (int c = 0; c < rows->columns; c++)
	{
		const Column *from = &other->column[c].data;
		Column		  to = rows->column[c].data;

		if (rows->column[c].constant)
			continue;
		if (column_is_null(from, i))
			rows_put_null(rows, c, rows->n);
		else
			column_store(&to, rows->n,
						 to.format == COLUMN_REFERENCE ? rows_lay_down_from(rows, c, from, i) : column_datum(from, i));
	}
	rows->n++;
}

Size
rows_row_bytes(const Rows *rows)
{
	Size bits = 0;

	for (int c = 0; c < rows->columns; c++)
		bits += rows->column[c].data.nulls != NULL;
	return rows->row_bytes + scan_bit_bytes(bits);
}

Size
rows_size(const Rows *rows)
{
	return rows->capacity * rows_row_bytes(rows) + rows->arena.used;
}
