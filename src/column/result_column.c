/*
 * result_column.c: the column of results that a function computes for a block of rows (row_function.h).
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "column/row_function.h"

void
result_column_init(ResultColumn *result, Oid type, MemoryContext memory, bool may_spill)
{
	Column *data = &result->data;

	*result = (ResultColumn){.data = {.arena = &result->arena}, .pool = pool_create(memory), .full = SIZE_MAX};
	get_typlenbyval(type, &data->length, &data->by_value);
	data->format = column_format(data->length, data->by_value);
	if (may_spill)
		pool_may_spill(result->pool);
}

void
result_column_begin(ResultColumn *result, int64 n)
{
	Column *data = &result->data;

	if (n > result->capacity)
	{
		result->capacity = Max(2 * result->capacity, Max(n, 64));
		pool_free(result->pool, data->value);
		pool_free(result->pool, data->nulls);
		data->stride = column_width(data->format);
		data->value = (char *) pool_alloc(result->pool, result->capacity * data->stride);
		data->nulls = (uint8 *) pool_alloc(result->pool, scan_bit_bytes(result->capacity));
		data->has_nulls = true;
	}
	/* result_put() sets bits and never clears one */
	if (data->has_nulls)
		stretch_fill(data->nulls, 0, scan_bit_bytes(result->capacity));
	data->has_nulls = false;
}
