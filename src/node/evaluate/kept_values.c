/*
 * kept_values.c: the values of one column that a function keeps of a partition beyond memory, in their order.
 *
 * Values are appended while the partition is accumulated, and taken while its rows are emitted.  They are written to a
 * temporary file a chunk at a time (sort/row_file.c); fewer than a chunk stay in memory.  Rejected: an array that may
 * lie on disk (column/memory.h).  It moves when it grows, and three million texts took three times as long.
 */
#include "postgres.h"

#include "node/evaluate/internal.h"

void
kept_values_create(KeptValues *kept, MemoryContext memory, int16 length, bool by_value)
{
	*kept = (KeptValues){.memory = memory,
						 .column = {.wanted = true, .data = {.length = length, .by_value = by_value}}};
	kept->rows = rows_create(memory, &kept->column, 1, ROWS_BY_COLUMN);
}

void
kept_values_reset(KeptValues *kept)
{
	if (kept->spilled)
		row_file_close(&kept->file);
	kept->spilled = kept->taking = false;
	kept->next = 0;
	rows_reset(kept->rows);
}

static void
kept_write_chunk(KeptValues *kept)
{
	MemoryContext old = MemoryContextSwitchTo(kept->memory);

	if (!kept->spilled)
		row_file_create(&kept->file);
	kept->spilled = true;
	(void) row_file_write(&kept->file, kept->rows, NULL, 0, kept->rows->n);
	rows_reset(kept->rows);
	MemoryContextSwitchTo(old);
}

void
kept_values_append(KeptValues *kept, Datum value, bool isnull)
{
	rows_reserve(kept->rows, kept->rows->n + 1);
	rows_put(kept->rows, 0, kept->rows->n, value, isnull);
	kept->rows->n++;
	if (kept->rows->n >= row_file_chunk_rows(1) || kept->rows->arena.used >= ROW_FILE_CHUNK_BYTES)
		kept_write_chunk(kept);
}

/* Ends appending.  If there is a file, it has all values from now on. */
static void
begin_to_take(KeptValues *kept)
{
	kept->taking = true;
	if (!kept->spilled)
		return;
	if (kept->rows->n > 0)
		kept_write_chunk(kept);
	row_file_read(&kept->file, kept->memory, &kept->column, 1);
}

bool
kept_values_take(KeptValues *kept, Datum *value, bool *isnull)
{
	const Rows *rows;
	int64	   *next;

	if (!kept->taking)
		begin_to_take(kept);
	rows = kept->spilled ? kept->file.rows : kept->rows;
	next = kept->spilled ? &kept->file.next : &kept->next;
	if (kept->spilled && *next == rows->n && !kept->file.ended)
		(void) row_file_next(&kept->file);
	if (kept->spilled ? kept->file.ended : *next == rows->n)
		return false;
	*value = column_get(&rows->column[0].data, (*next)++, isnull);
	return true;
}
