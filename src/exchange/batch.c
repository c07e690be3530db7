/*
 * batch.c: batches of rows, on which some processes put rows that others take.
 *
 * repartition.c calls it.  The rows that a process puts on a batch are a list of pieces (pieces.c), and are taken from
 * the last piece to the first.  When the taking begins, no process puts any more, and only one takes from a batch: so
 * there is no lock.
 *
 * The files belong to the query (SharedFileSet) and are removed with it.
 *
 * Rejected: files alone, which take three times as long; a file for each batch, since file systems are slow at creating
 * and removing hundreds of files a second.
 */
#include "postgres.h"

#include <fcntl.h>

#include "miscadmin.h"
#include "storage/sharedfileset.h"
#include "utils/memutils.h"

#include "column/rows_serialize.h"
#include "exchange/internal.h"

/* batches_store() stores up to STORED_MOST bytes in memory; STORED_IN_FILE is the place of bytes in a file. */
#define STORED_MOST ((Size) 1024 * 1024)
#define STORED_IN_FILE 1 /* no offset that area_alloc() returns */

/* The position of a piece in a file. */
typedef struct FilePlace
{
	int	  file; /* as BufFileTell() returns it */
	off_t offset;
} FilePlace;

/* The rows that one process has put on one batch and that have not been taken. */
typedef struct Part
{
	Pieces	  memory;  /* those in memory; `rows` counts the rows in the file, too */
	int64	  written; /* number of pieces in the file */
	FilePlace last;	   /* the last piece in the file */
	bool	  any;	   /* batches_put() has put rows here, or batches_mark() was called */
} Part;

struct BatchesShared
{
	dsm_handle	  segment; /* the DSM segment that this struct lies in */
	int			  processes, batches;
	AreaShared	  area;
	SharedFileSet files;
	Part		  part[FLEXIBLE_ARRAY_MEMBER]; /* one for each process and batch */
};

/* ---- shared state ---- */

Size
batches_shared_size(int processes, int batches)
{
	return offsetof(BatchesShared, part) + (Size) processes * batches * sizeof(Part);
}

static inline Part *
batch_part(const Batches *batches, int process, int batch)
{
	return &batches->shared->part[process * batches->shared->batches + batch];
}

static void
forget_parts(BatchesShared *shared)
{
	memset(shared->part, 0, (Size) shared->processes * shared->batches * sizeof(Part));
}

void
batches_create(Batches *batches, MemoryContext memory, BatchesShared *shared, ParallelContext *context, int count,
			   Size budget)
{
	*batches = (Batches){.shared = shared, .memory = memory};
	shared->segment = dsm_segment_handle(context->seg);
	shared->processes = context->nworkers + 1;
	shared->batches = count;
	forget_parts(shared);
	SharedFileSetInit(&shared->files, context->seg);
	batches->area = area_create(memory, &shared->area, budget);
}

bool
batches_attach(Batches *batches, MemoryContext memory, BatchesShared *shared)
{
	*batches = (Batches){.shared = shared, .memory = memory, .number = ParallelWorkerNumber + 1};
	SharedFileSetAttach(&shared->files, dsm_find_mapping(shared->segment));
	batches->area = area_attach(memory, &shared->area);
	return batches->area != NULL;
}

void
batches_reset(Batches *batches)
{
	area_reset(batches->area);
	SharedFileSetDeleteAll(&batches->shared->files);
	forget_parts(batches->shared);
	batches->bytes = batches->spilled = 0;
}

static void
name_file(char *name, int process)
{
	snprintf(name, MAXPGPATH, "scan.%d", process);
}

/* ---- putting ---- */

static void
put_in_file(Batches *batches, Part *part, const Rows *rows)
{
	FilePlace before = part->last;

	if (batches->file == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(batches->memory);
		char		  name[MAXPGPATH];

		name_file(name, batches->number);
		batches->file = BufFileCreateFileSet(&batches->shared->files.fs, name);
		MemoryContextSwitchTo(old);
	}
	BufFileTell(batches->file, &part->last.file, &part->last.offset);
	spill_write(batches->file, &before, sizeof(before));
	spill_write_rows(batches->file, rows);
	part->written++;
	part->memory.rows += rows->n;
	batches->spilled += sizeof(before) + rows_written_size(rows);
}

void
batches_put(Batches *batches, int batch, Rows *rows)
{
	Part *part = batch_part(batches, batches->number, batch);
	Size  bytes;

	if (rows->n == 0)
		return;
	part->any = true;
	bytes = pieces_put(batches->area, &part->memory, rows, false);
	batches->bytes += bytes;
	if (bytes == 0)
		put_in_file(batches, part, rows);
	rows_reset(rows);
}

bool
batches_show(Batches *batches, int batch, const Rows *rows)
{
	return pieces_put(batches->area, &batch_part(batches, batches->number, batch)->memory, rows, true) > 0;
}

void
batches_finish(Batches *batches)
{
	if (batches->file == NULL)
		return;
	BufFileExportFileSet(batches->file);
	BufFileClose(batches->file);
	batches->file = NULL;
}

/* ---- looking and taking ---- */

void
batches_mark(Batches *batches, int batch)
{
	batch_part(batches, batches->number, batch)->any = true;
}

bool
batches_have(const Batches *batches, int batch)
{
	for (int process = 0; process < batches->shared->processes; process++)
		if (batch_part(batches, process, batch)->any)
			return true;
	return false;
}

int64
batches_rows(const Batches *batches, int batch)
{
	int64 rows = 0;

	for (int process = 0; process < batches->shared->processes; process++)
		rows += batch_part(batches, process, batch)->memory.rows;
	return rows;
}

/* Returns the file of a process that has written one, opened to be read. */
static BufFile *
batch_file_of_process(Batches *batches, int process)
{
	MemoryContext old = MemoryContextSwitchTo(batches->memory);
	char		  name[MAXPGPATH];

	if (batches->files == NULL)
		batches->files = (BufFile **) palloc0(batches->shared->processes * sizeof(BufFile *));
	name_file(name, process);
	if (batches->files[process] == NULL)
		batches->files[process] = BufFileOpenFileSet(&batches->shared->files.fs, name, O_RDONLY, false);
	MemoryContextSwitchTo(old);
	return batches->files[process];
}

void
batches_look(const Batches *batches, int batch, Rows *rows)
{
	PieceHead head;

	for (int process = 0; process < batches->shared->processes; process++)
		for (head.before = batch_part(batches, process, batch)->memory.last; head.before != 0;)
			rows_read_memory(rows, piece_rows(batches->area, head.before, &head));
}

/* Takes the last piece in memory. */
static void
take_from_memory(const Area *area, Pieces *pieces, Rows *rows)
{
	PieceHead head;

	rows_read_memory(rows, piece_rows(area, pieces->last, &head));
	pieces->last = head.before;
}

static void
take_from_file(BufFile *file, Part *part, Rows *rows)
{
	spill_seek(file, part->last.file, part->last.offset);
	spill_read(file, &part->last, sizeof(part->last));
	spill_read_rows(file, rows);
	part->written--;
}

bool
batches_take(Batches *batches, int batch, Rows *rows)
{
	for (int process = 0; process < batches->shared->processes; process++)
	{
		Part *part = batch_part(batches, process, batch);

		CHECK_FOR_INTERRUPTS();
		if (part->memory.last != 0)
			take_from_memory(batches->area, &part->memory, rows);
		else if (part->written > 0)
			take_from_file(batch_file_of_process(batches, process), part, rows);
		else
			continue;
		return true;
	}
	return false;
}

/* ---- bytes by themselves ---- */

uint64
batches_store(Batches *batches, const char *name, const void *bytes, Size size)
{
	uint64	 place = size <= STORED_MOST ? area_alloc(batches->area, Max(size, 1), true) : 0;
	BufFile *file;

	if (place != 0)
	{
		memcpy(area_at(batches->area, place), bytes, size);
		return place;
	}
	file = BufFileCreateFileSet(&batches->shared->files.fs, name);
	spill_write(file, &size, sizeof(size));
	spill_write(file, bytes, size);
	BufFileExportFileSet(file);
	BufFileClose(file);
	return STORED_IN_FILE;
}

const void *
batches_fetch(Batches *batches, const char *name, uint64 place, bool *is_copy)
{
	BufFile *file;
	Size	 size;
	void	*bytes;

	*is_copy = place == STORED_IN_FILE;
	if (!*is_copy)
		return area_at(batches->area, place);
	file = BufFileOpenFileSet(&batches->shared->files.fs, name, O_RDONLY, false);
	spill_read(file, &size, sizeof(size));
	bytes = MemoryContextAllocHuge(CurrentMemoryContext, Max(size, 1));
	spill_read(file, bytes, size);
	BufFileClose(file);
	BufFileDeleteFileSet(&batches->shared->files.fs, name, false);
	return bytes;
}

void
batches_leave(Batches *batches)
{
	for (int p = 0; batches->files != NULL && p < batches->shared->processes; p++)
		if (batches->files[p] != NULL)
		{
			BufFileClose(batches->files[p]);
			batches->files[p] = NULL;
		}
}
