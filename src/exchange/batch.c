/*
 * batch.c: piles of rows, put there by some processes and taken by others.
 *
 * What a process puts on a pile is a list of pieces, each of which has the place of the one before: whoever takes
 * begins with the last.  The heads of these lists are shared, one for each process and pile, so nobody
 * has to be waited for; when the taking begins, nobody puts any more.
 *
 * The files belong to the query (SharedFileSet) and go with it.  Rejected: files alone, which take thrice
 * the time; a file for each pile, since file systems are slow at making and removing hundreds in a second.
 */
#include "postgres.h"

#include <fcntl.h>

#include "miscadmin.h"
#include "storage/buffile.h"
#include "storage/sharedfileset.h"
#include "utils/memutils.h"

#include "column/rows_serialize.h"
#include "exchange/area.h"
#include "exchange/batch.h"

/* Bytes that are kept by themselves: up to so many in memory, or at a place that is none there. */
#define STORED_MOST ((Size) 1024 * 1024)
#define STORED_IN_FILE 1

/* Where a piece is in a file. */
typedef struct FilePlace
{
	int	  file; /* as BufFile has it */
	off_t offset;
} FilePlace;

/* What one process has put on one pile, and nobody has taken. */
typedef struct Part
{
	uint64	  memory;  /* its last piece in memory; 0: none */
	int64	  written; /* its pieces in the file, */
	FilePlace last;	   /* and where the last of them is */
	bool	  any;	   /* there were some */
} Part;

struct PilesShared
{
	dsm_handle	  segment; /* that this lies in */
	int			  processes;
	int			  piles;
	AreaShared	  area;
	SharedFileSet files;
	Part		  part[FLEXIBLE_ARRAY_MEMBER]; /* each process's of each pile */
};

/* ---- what is shared ---- */

Size
piles_shared_size(int processes, int piles)
{
	return offsetof(PilesShared, part) + (Size) processes * piles * sizeof(Part);
}

int
piles_count(const PilesShared *shared)
{
	return shared->piles;
}

static inline Part *
part_of(const Piles *piles, int process, int pile)
{
	return &piles->shared->part[process * piles->shared->piles + pile];
}

static void
forget_parts(PilesShared *shared)
{
	memset(shared->part, 0, (Size) shared->processes * shared->piles * sizeof(Part));
}

void
piles_create(Piles *piles, MemoryContext memory, PilesShared *shared, ParallelContext *context, int count, Size budget)
{
	*piles = (Piles){.shared = shared, .memory = memory};
	shared->segment = dsm_segment_handle(context->seg);
	shared->processes = context->nworkers + 1;
	shared->piles = count;
	forget_parts(shared);
	SharedFileSetInit(&shared->files, context->seg);
	piles->area = area_create(memory, &shared->area, budget);
}

bool
piles_attach(Piles *piles, MemoryContext memory, PilesShared *shared)
{
	*piles = (Piles){.shared = shared, .memory = memory, .number = ParallelWorkerNumber + 1};
	SharedFileSetAttach(&shared->files, dsm_find_mapping(shared->segment));
	piles->area = area_attach(memory, &shared->area);
	return piles->area != NULL;
}

void
piles_reset(Piles *piles)
{
	area_reset(piles->area);
	SharedFileSetDeleteAll(&piles->shared->files);
	forget_parts(piles->shared);
	piles->bytes = piles->spilled = 0;
}

/* ---- bytes in files ---- */

static void
write_file(void *file, void *bytes, Size size)
{
	BufFileWrite((BufFile *) file, bytes, size);
}

static void
read_file(void *file, void *bytes, Size size)
{
	Size got = size == 0 ? 0 : BufFileRead((BufFile *) file, bytes, size);

	if (got != size)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("a temporary file of rows ends too early"),
						errdetail("It has %zu of %zu bytes.", got, size)));
}

static void
name_file(char *name, int process)
{
	snprintf(name, MAXPGPATH, "scan.%d", process);
}

/* ---- putting ---- */

static void
put_in_file(Piles *piles, Part *part, const Rows *rows)
{
	FilePlace before = part->last;

	if (piles->file == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(piles->memory);
		char		  name[MAXPGPATH];

		name_file(name, piles->number);
		piles->file = BufFileCreateFileSet(&piles->shared->files.fs, name);
		MemoryContextSwitchTo(old);
	}
	BufFileTell(piles->file, &part->last.file, &part->last.offset);
	write_file(piles->file, &before, sizeof(before));
	rows_write(rows, write_file, piles->file);
	part->written++;
}

/* The bytes of a piece in memory. */
static Size
piece_size(const Rows *rows)
{
	return sizeof(uint64) + rows_written_size(rows);
}

static void
put_in_memory(const Piles *piles, Part *part, uint64 place, const Rows *rows)
{
	char *at = area_at(piles->area, place);

	memcpy(at, &part->memory, sizeof(part->memory));
	rows_write_memory(rows, at + sizeof(part->memory));
	part->memory = place;
}

void
piles_put(Piles *piles, int pile, Rows *rows)
{
	Part  *part = part_of(piles, piles->number, pile);
	Size   bytes = piece_size(rows);
	uint64 place;

	if (rows->n == 0)
		return;
	part->any = true;
	place = area_alloc(piles->area, bytes);
	if (place != 0)
	{
		put_in_memory(piles, part, place, rows);
		piles->bytes += bytes;
	}
	else
	{
		put_in_file(piles, part, rows);
		piles->spilled += bytes;
	}
	rows_reset(rows);
}

bool
piles_show(Piles *piles, int pile, const Rows *rows)
{
	uint64 place = area_alloc_reserved(piles->area, piece_size(rows));

	if (place != 0)
		put_in_memory(piles, part_of(piles, piles->number, pile), place, rows);
	return place != 0;
}

void
piles_finish(Piles *piles)
{
	if (piles->file == NULL)
		return;
	BufFileExportFileSet(piles->file);
	BufFileClose(piles->file);
	piles->file = NULL;
}

/* ---- looking and taking ---- */

bool
piles_have(const Piles *piles, int pile)
{
	for (int process = 0; process < piles->shared->processes; process++)
		if (part_of(piles, process, pile)->any)
			return true;
	return false;
}

/* The file of a process, which has one. */
static BufFile *
file_of(Piles *piles, int process)
{
	MemoryContext old = MemoryContextSwitchTo(piles->memory);
	char		  name[MAXPGPATH];

	if (piles->files == NULL)
		piles->files = (BufFile **) palloc0(piles->shared->processes * sizeof(BufFile *));
	name_file(name, process);
	if (piles->files[process] == NULL)
		piles->files[process] = BufFileOpenFileSet(&piles->shared->files.fs, name, O_RDONLY, false);
	MemoryContextSwitchTo(old);
	return piles->files[process];
}

/* Appends the rows of a piece, and returns the place of the one before. */
static uint64
read_piece(const Piles *piles, uint64 place, Rows *rows)
{
	const char *at = area_at(piles->area, place);
	uint64		before;

	memcpy(&before, at, sizeof(before));
	rows_read_memory(rows, at + sizeof(before));
	return before;
}

void
piles_look(const Piles *piles, int pile, Rows *rows)
{
	for (int process = 0; process < piles->shared->processes; process++)
		for (uint64 place = part_of(piles, process, pile)->memory; place != 0;)
			place = read_piece(piles, place, rows);
}

static void
take_from_file(BufFile *file, Part *part, Rows *rows)
{
	if (BufFileSeek(file, part->last.file, part->last.offset, SEEK_SET) != 0)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not find rows in a temporary file")));
	read_file(file, &part->last, sizeof(part->last));
	rows_read(rows, read_file, file);
	part->written--;
}

bool
piles_take(Piles *piles, int pile, Rows *rows)
{
	for (int process = 0; process < piles->shared->processes; process++)
	{
		Part *part = part_of(piles, process, pile);

		CHECK_FOR_INTERRUPTS();
		if (part->memory != 0)
			part->memory = read_piece(piles, part->memory, rows);
		else if (part->written > 0)
			take_from_file(file_of(piles, process), part, rows);
		else
			continue;
		return true;
	}
	return false;
}

/* ---- bytes by themselves ---- */

uint64
piles_store(Piles *piles, const char *name, const void *bytes, Size size)
{
	uint64	 place = size <= STORED_MOST ? area_alloc_reserved(piles->area, Max(size, 1)) : 0;
	BufFile *file;

	if (place != 0)
	{
		memcpy(area_at(piles->area, place), bytes, size);
		return place;
	}
	file = BufFileCreateFileSet(&piles->shared->files.fs, name);
	write_file(file, &size, sizeof(size));
	write_file(file, unconstify(void *, bytes), size);
	BufFileExportFileSet(file);
	BufFileClose(file);
	return STORED_IN_FILE;
}

const void *
piles_fetch(Piles *piles, const char *name, uint64 place, bool *is_copy)
{
	BufFile *file;
	Size	 size;
	void	*bytes;

	*is_copy = place == STORED_IN_FILE;
	if (!*is_copy)
		return area_at(piles->area, place);
	file = BufFileOpenFileSet(&piles->shared->files.fs, name, O_RDONLY, false);
	read_file(file, &size, sizeof(size));
	bytes = MemoryContextAllocHuge(CurrentMemoryContext, Max(size, 1));
	read_file(file, bytes, size);
	BufFileClose(file);
	BufFileDeleteFileSet(&piles->shared->files.fs, name, false);
	return bytes;
}

void
piles_leave(Piles *piles)
{
	for (int p = 0; piles->files != NULL && p < piles->shared->processes; p++)
		if (piles->files[p] != NULL)
		{
			BufFileClose(piles->files[p]);
			piles->files[p] = NULL;
		}
}
