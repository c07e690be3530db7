/*
 * deal.c: the rows of several processes, dealt to piles, so that each partition is in one pile.
 *
 * Fed by node/rows/sorted.c.  A row's pile is told by a hash of what makes its partition, so nothing
 * has to be known of the rows before the first one is dealt, and none is held by its process: some rows of a
 * pile at a time go to the query's shared memory, behind the place where those before them are, or, beyond
 * the budget or where the system has no more of it, to a file of the process's.  The files
 * belong to the query (SharedFileSet) and go with it.  Rejected: files alone, which take thrice the
 * time; a file for each pile, since file systems are slow at making and removing hundreds in a second; to divide
 * the order at samples of the rows, which keeps it over all piles, but needs all rows to be held
 * until the samples are there.
 *
 * The processes meet once, when the last row is dealt, at a barrier that they attach to when they
 * begin (Parallel Hash does so, too): nobody waits for one who has not come.  Until then none of them
 * gives a row to the nodes above, so nobody waits for one who waits for him.
 */
#include "postgres.h"

#include <sys/statvfs.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/barrier.h"
#include "storage/buffile.h"
#include "storage/dsm_impl.h"
#include "storage/sharedfileset.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "column/rows_bytes.h"
#include "parallel/deal.h"

/* Phases of the barrier. */
enum
{
	DEALING = 0,
	TAKING,
};

/* Bytes of a pile's rows that are kept before they are written. */
#define KEPT_BYTES (32 * 1024)

/* Bytes of shared memory that are left to others. */
#define LEAST_LEFT (32 * 1024 * 1024)

/* Where some rows are in a file. */
typedef struct Place
{
	int	  file; /* as BufFile has it */
	off_t offset;
} Place;

/* What a process has put on a pile and nobody has taken: some rows at a time, behind where those before them are. */
typedef struct Part
{
	dsa_pointer memory;	 /* the last ones in memory; InvalidDsaPointer: there are none */
	int64		written; /* how many times there are some in the process's file, */
	Place		last;	 /* and the last of them */
} Part;

struct DealShared
{
	dsm_handle		 segment; /* that this lies in */
	int				 most;	  /* processes that may come */
	int				 piles;
	Barrier			 barrier;
	pg_atomic_uint32 next;		   /* the next pile to be taken */
	pg_atomic_uint32 participants; /* who came, */
	pg_atomic_uint64 rows;		   /* what they dealt, */
	pg_atomic_uint64 bytes;		   /* and put in memory, */
	pg_atomic_uint64 spilled;	   /* and in files */
	SharedFileSet	 files;
	Part			 part[FLEXIBLE_ARRAY_MEMBER]; /* each process's of each pile */
};

struct Deal
{
	DealShared	 *shared;
	int			  number; /* of this process: its files' */
	bool		  came;
	MemoryContext memory;
	dsa_area	 *area;

	/* dealing */
	MemoryContext  scratch; /* of the hash functions: emptied when some rows are dealt */
	const DealKey *key;
	int			   keys;
	Rows		 **pile;  /* what is kept of each */
	uint64		  *hash;  /* of the rows at hand, */
	uint32		  *order; /* and these, pile by pile */
	int64		   capacity;
	Size		   budget;
	int64		   rows;
	int64		   bytes;
	int64		   spilled;

	/* taking */
	int		  taken;  /* the pile */
	int		  source; /* the process whose part is at hand */
	Place	  next;	  /* and where its next rows are */
	BufFile **files;  /* the processes' that have been opened */

	BufFile *file; /* this process's, while it deals */
};

/* ---- what is shared ---- */

Size
deal_shared_size(int processes, int piles)
{
	return offsetof(DealShared, part) + (Size) processes * piles * sizeof(Part);
}

static inline Part *
part_of(DealShared *shared, int process, int pile)
{
	return &shared->part[process * shared->piles + pile];
}

static void
begin_anew(DealShared *shared)
{
	BarrierInit(&shared->barrier, 0);
	pg_atomic_write_u32(&shared->next, 0);
	pg_atomic_write_u32(&shared->participants, 0);
	pg_atomic_write_u64(&shared->rows, 0);
	pg_atomic_write_u64(&shared->bytes, 0);
	pg_atomic_write_u64(&shared->spilled, 0);
	memset(shared->part, 0, (Size) shared->most * shared->piles * sizeof(Part));
}

void
deal_shared_create(DealShared *shared, ParallelContext *context, int piles)
{
	memset(shared, 0, sizeof(*shared));
	shared->segment = context->seg == NULL ? DSM_HANDLE_INVALID : dsm_segment_handle(context->seg);
	shared->most = context->nworkers + 1;
	shared->piles = piles;
	pg_atomic_init_u32(&shared->next, 0);
	pg_atomic_init_u32(&shared->participants, 0);
	pg_atomic_init_u64(&shared->rows, 0);
	pg_atomic_init_u64(&shared->bytes, 0);
	pg_atomic_init_u64(&shared->spilled, 0);
	begin_anew(shared);
	SharedFileSetInit(&shared->files, context->seg);
}

void
deal_shared_reset(DealShared *shared, dsa_area *area)
{
	for (int i = 0; i < shared->most * shared->piles; i++)
		while (DsaPointerIsValid(shared->part[i].memory))
		{
			dsa_pointer here = shared->part[i].memory;

			shared->part[i].memory = *(const dsa_pointer *) dsa_get_address(area, here);
			dsa_free(area, here);
		}
	SharedFileSetDeleteAll(&shared->files);
	begin_anew(shared);
}

Deal *
deal_attach(MemoryContext memory, DealShared *shared, bool worker)
{
	Deal *deal = (Deal *) MemoryContextAllocZero(memory, sizeof(Deal));

	deal->shared = shared;
	deal->memory = memory;
	if (worker)
	{
		deal->number = ParallelWorkerNumber + 1;
		SharedFileSetAttach(&shared->files, dsm_find_mapping(shared->segment));
	}
	return deal;
}

static void
come(Deal *deal)
{
	if (!deal->came)
		pg_atomic_fetch_add_u32(&deal->shared->participants, 1);
	deal->came = true;
}

/* ---- dealing ---- */

bool
deal_begin(Deal *deal, dsa_area *area, Size budget, const Rows *like, const DealKey *key, int keys)
{
	MemoryContext old;

	if (BarrierAttach(&deal->shared->barrier) != DEALING)
	{
		BarrierDetach(&deal->shared->barrier);
		return false;
	}
	come(deal);
	old = MemoryContextSwitchTo(deal->memory);
	deal->scratch = AllocSetContextCreate(deal->memory, "scan hash", ALLOCSET_SMALL_SIZES);
	deal->area = area;
	deal->budget = budget;
	deal->key = key;
	deal->keys = keys;
	deal->pile = (Rows **) palloc0(deal->shared->piles * sizeof(Rows *));
	for (int p = 0; p < deal->shared->piles; p++)
		deal->pile[p] = rows_create_like(like);
	MemoryContextSwitchTo(old);
	return true;
}

/* A hash of one value more: bits that were alike are not. */
static inline uint64
mix(uint64 hash, uint64 value)
{
	hash = (hash ^ value) * UINT64CONST(0x9E3779B97F4A7C15);
	hash ^= hash >> 32;
	hash *= UINT64CONST(0xD6E8FEB86659FD93);
	return hash ^ hash >> 29;
}

static void
hash_rows(Deal *deal, const Rows *rows)
{
	MemoryContext old = MemoryContextSwitchTo(deal->scratch);

	for (int64 i = 0; i < rows->n; i++)
		deal->hash[i] = 0;
	for (int k = 0; k < deal->keys; k++)
	{
		const DealKey *key = &deal->key[k];
		const Column  *column = &rows->column[key->column].data;

		for (int64 i = 0; i < rows->n; i++)
		{
			bool  isnull;
			Datum value = column_get(column, i, &isnull);

			if (isnull)
				value = 0;
			else if (!key->by_datum)
				value = FunctionCall1Coll(unconstify(FmgrInfo *, &key->hash), key->collation, value);
			deal->hash[i] = mix(deal->hash[i] + isnull, value);
		}
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(deal->scratch);
}

/* Puts the rows in an order in which those of each pile lie together, from start[pile] on. */
static void
order_by_pile(const Deal *deal, int64 n, int64 *start)
{
	int	   piles = deal->shared->piles;
	int64 *next = (int64 *) palloc0((piles + 1) * sizeof(int64));

	for (int64 i = 0; i < n; i++)
	{
		deal->hash[i] = (uint64) (((uint128) deal->hash[i] * piles) >> 64);
		next[deal->hash[i] + 1]++;
	}
	for (int p = 0; p < piles; p++)
		next[p + 1] += next[p];
	memcpy(start, next, (piles + 1) * sizeof(int64));
	for (int64 i = 0; i < n; i++)
		deal->order[next[deal->hash[i]]++] = (uint32) i;
	pfree(next);
}

static void
file_name(char *name, int process)
{
	snprintf(name, MAXPGPATH, "scan.%d", process);
}

/* ---- bytes in memory and in files ---- */

static void
write_memory(void *cursor, void *bytes, Size size)
{
	memcpy(*(char **) cursor, bytes, size);
	*(char **) cursor += size;
}

static void
read_memory(void *cursor, void *bytes, Size size)
{
	memcpy(bytes, *(char **) cursor, size);
	*(char **) cursor += size;
}

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

/*
 * Shared memory for so many bytes; InvalidDsaPointer: there is none.  Where it lies in a file system of its
 * own, which may be small, asking for too much is an error: an area grows by about what it has.
 */
static dsa_pointer
allocate(const Deal *deal, Size size)
{
	struct statvfs room;

	if (deal->area == NULL || deal->bytes + size > deal->budget)
		return InvalidDsaPointer;
	if (dynamic_shared_memory_type == DSM_IMPL_POSIX && statvfs("/dev/shm", &room) == 0 &&
		(uint64) room.f_bavail * room.f_frsize < LEAST_LEFT + (uint64) deal->bytes * deal->shared->most)
		return InvalidDsaPointer;
	return dsa_allocate_extended(deal->area, size, DSA_ALLOC_HUGE | DSA_ALLOC_NO_OOM);
}

/* Puts what is kept of a pile into the process's file. */
static void
put_in_file(Deal *deal, Part *part, const Rows *rows)
{
	Place before = part->last;

	if (deal->file == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(deal->memory);
		char		  name[MAXPGPATH];

		file_name(name, deal->number);
		deal->file = BufFileCreateFileSet(&deal->shared->files.fs, name);
		MemoryContextSwitchTo(old);
	}
	BufFileTell(deal->file, &part->last.file, &part->last.offset);
	write_file(deal->file, &before, sizeof(before));
	rows_write(rows, write_file, deal->file);
	part->written++;
}

/* Puts what is kept of a pile where all can have it. */
static void
put_pile(Deal *deal, int p)
{
	Part	   *part = part_of(deal->shared, deal->number, p);
	Rows	   *rows = deal->pile[p];
	Size		bytes = sizeof(dsa_pointer) + rows_written_size(rows);
	dsa_pointer place;

	if (rows->n == 0)
		return;
	place = allocate(deal, bytes);
	if (DsaPointerIsValid(place))
	{
		char *cursor = (char *) dsa_get_address(deal->area, place);

		write_memory(&cursor, &part->memory, sizeof(part->memory));
		rows_write(rows, write_memory, &cursor);
		part->memory = place;
		deal->bytes += bytes;
	}
	else
	{
		put_in_file(deal, part, rows);
		deal->spilled += bytes;
	}
	rows_reset(rows);
}

/* ---- dealing rows ---- */

void
deal_rows(Deal *deal, const Rows *rows)
{
	int	   piles = deal->shared->piles;
	int64 *start = (int64 *) palloc((piles + 1) * sizeof(int64));

	if (rows->n > deal->capacity)
	{
		deal->capacity = rows->n;
		deal->hash = (uint64 *) MemoryContextAlloc(deal->memory, rows->n * sizeof(uint64));
		deal->order = (uint32 *) MemoryContextAlloc(deal->memory, rows->n * sizeof(uint32));
	}
	hash_rows(deal, rows);
	order_by_pile(deal, rows->n, start);
	for (int p = 0; p < piles; p++)
	{
		Rows *kept = deal->pile[p];

		if (start[p] == start[p + 1])
			continue;
		rows_append_some(kept, rows, deal->order + start[p], start[p + 1] - start[p]);
		if (kept->n * kept->row_bytes + kept->arena.used >= KEPT_BYTES)
			put_pile(deal, p);
	}
	deal->rows += rows->n;
	pfree(start);
}

void
deal_finish(Deal *deal)
{
	for (int p = 0; p < deal->shared->piles; p++)
	{
		CHECK_FOR_INTERRUPTS();
		put_pile(deal, p);
		rows_free(deal->pile[p]);
	}
	if (deal->file != NULL)
	{
		BufFileExportFileSet(deal->file);
		BufFileClose(deal->file);
		deal->file = NULL;
	}
	MemoryContextDelete(deal->scratch);
	pfree(deal->pile);
	deal->pile = NULL;
	pg_atomic_fetch_add_u64(&deal->shared->rows, deal->rows);
	pg_atomic_fetch_add_u64(&deal->shared->bytes, deal->bytes);
	pg_atomic_fetch_add_u64(&deal->shared->spilled, deal->spilled);
	BarrierArriveAndWait(&deal->shared->barrier, PG_WAIT_EXTENSION);
	BarrierDetach(&deal->shared->barrier);
}

/* ---- taking ---- */

bool
deal_next_pile(Deal *deal, dsa_area *area)
{
	uint32 pile = pg_atomic_fetch_add_u32(&deal->shared->next, 1);

	if (pile >= (uint32) deal->shared->piles)
		return false;
	come(deal);
	deal->area = area;
	deal->taken = (int) pile;
	deal->source = 0;
	return true;
}

/* The file of a process, which has one. */
static BufFile *
file_of(Deal *deal, int process)
{
	MemoryContext old = MemoryContextSwitchTo(deal->memory);
	char		  name[MAXPGPATH];

	if (deal->files == NULL)
		deal->files = (BufFile **) palloc0(deal->shared->most * sizeof(BufFile *));
	file_name(name, process);
	if (deal->files[process] == NULL)
		deal->files[process] = BufFileOpenFileSet(&deal->shared->files.fs, name, O_RDONLY, false);
	MemoryContextSwitchTo(old);
	return deal->files[process];
}

/* Takes the rows of a part that are in memory, the last ones first. */
static void
take_from_memory(const Deal *deal, Part *part, Rows *rows)
{
	dsa_pointer place = part->memory;
	char	   *cursor = (char *) dsa_get_address(deal->area, place);

	read_memory(&cursor, &part->memory, sizeof(part->memory));
	rows_read(rows, read_memory, &cursor);
	dsa_free(deal->area, place);
}

/* And those in the file. */
static void
take_from_file(Deal *deal, Part *part, Rows *rows)
{
	BufFile *file = file_of(deal, deal->source);

	if (BufFileSeek(file, part->last.file, part->last.offset, SEEK_SET) != 0)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not find rows in a temporary file")));
	read_file(file, &part->last, sizeof(part->last));
	rows_read(rows, read_file, file);
	part->written--;
}

bool
deal_pull(Deal *deal, Rows *rows)
{
	for (; deal->source < deal->shared->most; deal->source++)
	{
		Part *part = part_of(deal->shared, deal->source, deal->taken);

		CHECK_FOR_INTERRUPTS();
		if (DsaPointerIsValid(part->memory))
			take_from_memory(deal, part, rows);
		else if (part->written > 0)
			take_from_file(deal, part, rows);
		else
			continue;
		return true;
	}
	return false;
}

void
deal_leave(Deal *deal)
{
	for (int p = 0; deal->files != NULL && p < deal->shared->most; p++)
		if (deal->files[p] != NULL)
		{
			BufFileClose(deal->files[p]);
			deal->files[p] = NULL;
		}
	deal->came = false;
	deal->rows = deal->bytes = deal->spilled = 0;
}

DealReport
deal_report(const DealShared *shared)
{
	DealShared *from = unconstify(DealShared *, shared);

	return (DealReport){.participants = (int) pg_atomic_read_u32(&from->participants),
						.piles = from->piles,
						.rows = (int64) pg_atomic_read_u64(&from->rows),
						.bytes = (int64) pg_atomic_read_u64(&from->bytes),
						.spilled = (int64) pg_atomic_read_u64(&from->spilled)};
}
