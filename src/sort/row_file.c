/*
 * row_file.c: rows in a temporary file, read in the order in which they were written.
 *
 * The file is a sequence of chunks (spill_chunk.h), each behind a header.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "sort/row_file.h"
#include "sort/spill_chunk.h"

/* Rows of a chunk: fewer if they have many columns, at most CHUNK_DATUMS Datums. */
#define CHUNK_MIN_ROWS 64
#define CHUNK_MAX_ROWS 256
#define CHUNK_DATUMS 2048

/* The header of a chunk in the file. */
typedef struct ChunkHead
{
	int32 rows;
	int32 bytes; /* bytes after this header */
} ChunkHead;

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

int64
row_file_write(RowFile *file, const Rows *rows, const uint32 *order, int64 from, int64 n)
{
	int			   limit = row_file_chunk_rows(rows->columns);
	int64		   bytes = 0;
	uint32		   as_they_lie[CHUNK_MAX_ROWS];
	StringInfoData chunk;
	ChunkHead	   head;

	initStringInfo(&chunk);
	for (int64 end = from + n; from < end; from += head.rows)
	{
		const uint32 *next = order == NULL ? as_they_lie : order + from;

		CHECK_FOR_INTERRUPTS();
		head.rows = (int) Min(end - from, limit);
		for (int i = 0; order == NULL && i < head.rows; i++)
			as_they_lie[i] = (uint32) (from + i);
		head.rows = spill_chunk_rows(rows, next, head.rows);
		resetStringInfo(&chunk);
		spill_chunk_write(&chunk, rows, next, head.rows);
		head.bytes = chunk.len;
		BufFileWrite(file->file, &head, sizeof(head));
		BufFileWrite(file->file, chunk.data, chunk.len);
		bytes += sizeof(head) + chunk.len;
	}
	pfree(chunk.data);
	return bytes;
}

/* Reads `size` bytes.  Returns false if the file ends here. */
static bool
read_bytes(RowFile *file, void *to, Size size)
{
	size_t got = BufFileRead(file->file, to, size);

	if (got != 0 && got != size)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("could not read from a temporary file of a sort"),
						errdetail("It has %zu of %zu bytes.", got, size)));
	return got != 0;
}

bool
row_file_next(RowFile *file)
{
	ChunkHead head;

	CHECK_FOR_INTERRUPTS();
	file->next = 0;
	file->ended = !read_bytes(file, &head, sizeof(head));
	if (file->ended)
		return false;
	resetStringInfo(&file->chunk);
	enlargeStringInfo(&file->chunk, head.bytes);
	if (head.bytes > 0 && !read_bytes(file, file->chunk.data, head.bytes))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("a temporary file of a sort ends too early")));
	spill_chunk_read(&file->chunk, file->rows, head.rows);
	return true;
}

void
row_file_read(RowFile *file, MemoryContext parent, const RowColumn *column, int columns)
{
	MemoryContext old = MemoryContextSwitchTo(parent);

	if (BufFileSeek(file->file, 0, 0, SEEK_SET) != 0)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not rewind a temporary file of a sort")));
	file->rows = rows_create(parent, column, columns, ROWS_BY_COLUMN);
	initStringInfo(&file->chunk);
	MemoryContextSwitchTo(old);
	(void) row_file_next(file);
}

int64
row_file_pull(RowFile *file, Rows *rows, int64 limit, Size bytes)
{
	Size  before = rows->arena.used;
	int64 n = 0;

	while (n < limit && !file->ended && rows->arena.used - before <= bytes)
	{
		rows_append_row(rows, file->rows, file->next++);
		n++;
		if (file->next == file->rows->n)
			(void) row_file_next(file);
	}
	return n;
}

void
row_file_close(RowFile *file)
{
	if (file->rows != NULL)
	{
		rows_free(file->rows);
		pfree(file->chunk.data);
	}
	file->rows = NULL;
	BufFileClose(file->file);
}
