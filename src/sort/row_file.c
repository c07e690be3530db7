/*
 * row_file.c: rows in a temporary file, read in the order in which they were written.
 *
 * The file is a sequence of chunks, each a few hundred rows (column/rows_serialize.h) behind their length in bytes.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "column/rows_serialize.h"
#include "sort/files.h"

/* Rows of a chunk: fewer if they have many columns, at most CHUNK_DATUMS Datums. */
#define CHUNK_MIN_ROWS 64
#define CHUNK_MAX_ROWS 256
#define CHUNK_DATUMS 2048

/* The size of the memory for a chunk, unless one needs more. */
#define CHUNK_ROOM 1024

int
row_file_chunk_rows(int columns)
{
	return Max(CHUNK_MIN_ROWS, Min(CHUNK_MAX_ROWS, CHUNK_DATUMS / Max(columns, 1)));
}

void
row_file_create(RowFile *file)
{
	memset(file, 0, sizeof(*file));
	file->file = BufFileCreateTemp(false);
}

/* Writes a chunk, and returns its bytes. */
static Size
file_write_chunk(RowFile *file, const Rows *rows)
{
	Size bytes = rows_written_size(rows);

	spill_write(file->file, &bytes, sizeof(bytes));
	spill_write_rows(file->file, rows);
	return sizeof(bytes) + bytes;
}

int64
row_file_write(RowFile *file, const Rows *rows, const uint32 *order, int64 from, int64 n)
{
	int	   limit = row_file_chunk_rows(rows->columns);
	int64  written = 0, in_chunk;
	uint32 as_they_lie[CHUNK_MAX_ROWS];
	Rows  *chunk = NULL;

	for (int64 end = from + n; from < end; from += in_chunk)
	{
		const uint32 *next = order == NULL ? as_they_lie : order + from;
		Size		  bytes;

		CHECK_FOR_INTERRUPTS();
		in_chunk = Min(end - from, limit);
		for (int i = 0; order == NULL && i < in_chunk; i++)
			as_they_lie[i] = (uint32) (from + i);
		in_chunk = rows_within(rows, next, in_chunk, ROW_FILE_CHUNK_BYTES, &bytes);
		if (order == NULL && in_chunk == rows->n && rows->layout == ROWS_BY_COLUMN && rows_fill_arena(rows, bytes))
		{
			written += file_write_chunk(file, rows);
			continue;
		}
		if (chunk == NULL)
			chunk = rows_create(CurrentMemoryContext, rows->column, rows->columns, ROWS_BY_COLUMN);
		rows_append_some(chunk, rows, next, in_chunk);
		written += file_write_chunk(file, chunk);
		rows_reset(chunk);
	}
	if (chunk != NULL)
		rows_free(chunk);
	return written;
}

bool
row_file_next(RowFile *file)
{
	Size bytes;

	CHECK_FOR_INTERRUPTS();
	file->next = 0;
	file->ended = !spill_read_or_end(file->file, &bytes, sizeof(bytes));
	if (file->ended)
		return false;
	if (bytes > file->room)
	{
		pfree(file->chunk);
		file->chunk = (char *) MemoryContextAllocHuge(file->rows->context, bytes);
		file->room = bytes;
	}
	spill_read(file->file, file->chunk, bytes);
	rows_read_in_place(file->rows, file->chunk);
	return true;
}

void
row_file_read(RowFile *file, MemoryContext parent, const RowColumn *column, int columns)
{
	spill_seek(file->file, 0, 0);
	file->rows = rows_create(parent, column, columns, ROWS_BY_COLUMN);
	file->room = CHUNK_ROOM;
	file->chunk = (char *) MemoryContextAlloc(file->rows->context, file->room);
	(void) row_file_next(file);
}

int64
row_file_pull(RowFile *file, Rows *rows, int64 limit, Size bytes)
{
	Size  before = rows->arena.used;
	int64 n = 0;

	while (n < limit && !file->ended && rows->arena.used - before <= bytes)
	{
		int64 some = Min(limit - n, file->rows->n - file->next);

		/* the rows of a chunk together, unless columns lie side by side in `rows` */
		if (rows->layout != ROWS_BY_COLUMN)
		{
			some = 1;
			rows_append_row(rows, file->rows, file->next);
		}
		else if (some == file->rows->n)
			rows_read_memory(rows, file->chunk);
		else
			rows_append_range(rows, file->rows, file->next, some);
		file->next += some;
		n += some;
		if (file->next == file->rows->n)
			(void) row_file_next(file);
	}
	return n;
}

void
row_file_close(RowFile *file)
{
	if (file->rows != NULL)
		rows_free(file->rows); /* and the chunk, which lies in the same context */
	file->rows = NULL;
	BufFileClose(file->file);
}
