/*
 * area.c: memory that the processes of a query share.
 *
 * A file of memory (memfd_create) as large as the budget, of which nothing is there before it is asked for:
 * every process maps all of it, and takes a slab at a time by a counter.  The process that makes it is the
 * one that launches the others and outlives them; they open the file by its number there.
 *
 * Rejected: the query's dsa_area.  Its segments are cleared as soon as they are made and mapped page by
 * page, which took a third of what two processes save; they lie in /dev/shm, of which a container has
 * 64MB; and what a server that is killed leaves there has to be found and removed.  Where there is no
 * memfd_create or no /proc, there is no such memory, and rows go to the query's files.
 *
 * Pages are asked for before they are written to: where the system has none, that is an answer, and not a
 * signal that ends the server.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "storage/fd.h"
#include "utils/memutils.h"

#include "column/pool.h"
#include "exchange/area.h"

#define SLAB_BYTES ((Size) 1024 * 1024)
#define LINE_BYTES 64 /* of the cache */
#define RESERVED_BYTES ((Size) 1024 * 1024 * 1024)

/* A file of memory, and where it is mapped. */
typedef struct Mapping
{
	int	  descriptor; /* -1: none */
	Size  size;
	char *base; /* NULL: not mapped */
} Mapping;

struct Area
{
	AreaShared			 *shared;
	Mapping				  mapping;
	bool				  is_kept; /* the mapping is the session's */
	uint64				  next;	   /* the free part of this process's slab: from here */
	uint64				  end;
	MemoryContextCallback callback;
};

/*
 * What the session has made the last time: as in pool.c, pages that need not be cleared anew serve the
 * query that follows, and go when the session is idle.
 */
static Mapping kept = {-1, 0, NULL};
static bool	   kept_serves; /* some area has it */

/* ---- mappings ---- */

static void
unmap(Mapping *mapping)
{
	if (mapping->base != NULL)
		munmap(mapping->base, mapping->size);
	if (mapping->descriptor >= 0)
	{
		close(mapping->descriptor);
		ReleaseExternalFD();
	}
	*mapping = (Mapping){-1, 0, NULL};
}

/* Opens a process's file by its number there; false: that cannot be. */
static bool
open_file(Mapping *mapping, pid_t process, int number)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int) process, number);
	if (!AcquireExternalFD())
		return false;
	mapping->descriptor = open(name, O_RDWR | O_CLOEXEC);
	if (mapping->descriptor < 0)
		ReleaseExternalFD();
	return mapping->descriptor >= 0;
}

/* Maps so many bytes of the file, which is as large. */
static bool
map(Mapping *mapping, Size size)
{
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, mapping->descriptor, 0);

	if (base == MAP_FAILED)
		return false;
	mapping->base = (char *) base;
	mapping->size = size;
	return true;
}

/* Makes a file of memory, and opens it as the others do: whether they can is known then. */
static void
create_file(Mapping *mapping)
{
#ifdef MFD_CLOEXEC
	int number = memfd_create("scan", MFD_CLOEXEC);

	if (number < 0)
		return;
	(void) open_file(mapping, MyProcPid, number);
	close(number);
#endif
}

/* Has the mapping be of so many bytes, and makes it if there is none; what it had is kept, or there is none. */
static void
enlarge(Mapping *mapping, Size size)
{
	if (mapping->size >= size)
		return;
	if (mapping->descriptor < 0)
		create_file(mapping);
	if (mapping->base != NULL)
		munmap(mapping->base, mapping->size);
	mapping->base = NULL;
	if (mapping->descriptor >= 0 && (ftruncate(mapping->descriptor, (off_t) size) != 0 || !map(mapping, size)))
		unmap(mapping);
}

/* ---- areas ---- */

/* The session is idle: pages go.  Called by a signal, at any time. */
static void
give_pages_back(void)
{
#ifdef MADV_REMOVE
	(void) madvise(kept.base, kept.size, MADV_REMOVE);
#endif
}

static void
leave(void *arg)
{
	Area *area = (Area *) arg;

	if (!area->is_kept)
	{
		unmap(&area->mapping);
		return;
	}
	kept_serves = false;
	if (kept.base != NULL)
		pool_when_idle(give_pages_back);
}

/* Nothing yet, but what goes when the owner is reset. */
static Area *
area_of(MemoryContext owner, AreaShared *shared)
{
	Area *area = (Area *) MemoryContextAllocZero(owner, sizeof(Area));

	area->shared = shared;
	area->mapping.descriptor = -1;
	area->callback.func = leave;
	area->callback.arg = area;
	MemoryContextRegisterResetCallback(owner, &area->callback);
	return area;
}

Area *
area_create(MemoryContext owner, AreaShared *shared, Size size)
{
	Area *area = area_of(owner, shared);

	shared->budget = TYPEALIGN(SLAB_BYTES, size) + SLAB_BYTES; /* place 0 means that there is none */
	size = shared->budget + RESERVED_BYTES;
	area->is_kept = !kept_serves;
	kept_serves = true;
	if (area->is_kept)
	{
		pool_when_idle(NULL);
		enlarge(&kept, size);
		area->mapping = kept;
	}
	else
		enlarge(&area->mapping, size);
	shared->owner = MyProcPid;
	shared->descriptor = area->mapping.descriptor;
	shared->size = size;
	pg_atomic_init_u64(&shared->taken, SLAB_BYTES);
	return area;
}

Area *
area_attach(MemoryContext owner, AreaShared *shared)
{
	Area	*area = area_of(owner, shared);
	Mapping *mapping = &area->mapping;

	if (shared->descriptor < 0 || (open_file(mapping, shared->owner, shared->descriptor) && map(mapping, shared->size)))
		return area;
	ereport(parallel_leader_participation ? DEBUG1 : ERROR,
			(errcode_for_file_access(), errmsg("could not map memory of process %d: %m", shared->owner)));
	return NULL;
}

/* Has the pages of a slab there; false: the system has none. */
static bool
have_pages(const Area *area, uint64 from, Size size)
{
#ifdef MADV_POPULATE_WRITE
	if (madvise(area->mapping.base + from, size, MADV_POPULATE_WRITE) == 0)
		return true;
	if (errno != EINVAL) /* an older system */
		return false;
#endif
	return posix_fallocate(area->mapping.descriptor, (off_t) from, (off_t) size) == 0;
}

/* Place for so many bytes of what is before byte `end`. */
static uint64
alloc_before(Area *area, Size size, Size end)
{
	uint64 at;

	size = TYPEALIGN(LINE_BYTES, size);
	if (area->mapping.base == NULL)
		return 0;
	if (area->end - area->next < size)
	{
		Size slab = TYPEALIGN(SLAB_BYTES, size);

		at = pg_atomic_read_u64(&area->shared->taken);
		if (at + slab > end)
			return 0;
		at = pg_atomic_fetch_add_u64(&area->shared->taken, slab);
		if (at + slab > end || !have_pages(area, at, slab))
			return 0;
		area->next = at;
		area->end = at + slab;
	}
	at = area->next;
	area->next += size;
	return at;
}

uint64
area_alloc(Area *area, Size size)
{
	return alloc_before(area, size, area->shared->budget);
}

uint64
area_alloc_reserved(Area *area, Size size)
{
	return alloc_before(area, size, area->shared->size);
}

char *
area_at(const Area *area, uint64 place)
{
	return area->mapping.base + place;
}

void
area_reset(Area *area)
{
	pg_atomic_write_u64(&area->shared->taken, SLAB_BYTES);
	area->next = area->end = 0;
}
