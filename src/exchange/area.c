/*
 * area.c: memory that the processes of a query share.
 *
 * batch.c calls it.  The area is a memory file (memfd_create) with the size of the budget; a page is only allocated
 * when it is asked for.  Every process maps the whole file, and takes a slab at a time by a counter.  The process that
 * creates the file launches the others and outlives them.  They open the file by its descriptor in that process, in
 * /proc.  Where there is no memfd_create or no /proc, there is no such memory, and rows go to the query's files.
 *
 * A slab's pages are asked for before they are written to: if the system has none, the request fails, instead of a
 * signal that ends the server.
 *
 * Rejected: the query's dsa_area.  Its segments are cleared as soon as they are made, and mapped page by page, which
 * took a third of the time that two processes save.  They lie in /dev/shm, of which a container has 64MB.  And what a
 * killed server leaves there has to be found and removed.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "storage/fd.h"
#include "utils/memutils.h"

#include "column/memory.h"
#include "exchange/internal.h"
#include "library/pages.h"

#define SLAB_BYTES ((Size) 1024 * 1024)
#define LINE_BYTES 64 /* a cache line */
#define RESERVED_BYTES ((Size) 1024 * 1024 * 1024)

/* A memory file, and where it is mapped. */
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
	bool				  is_kept; /* `mapping` is a copy of `kept` */
	uint64				  next;	   /* offset of the free part of this process's slab */
	uint64				  end;	   /* offset of the slab's end */
	MemoryContextCallback callback;
};

/*
 * The mapping that the session keeps for its next query.  As in pool.c, the next query need not have the system clear
 * pages anew; the pages are given back when the session is idle.
 */
static Mapping kept = {-1, 0, NULL};
static bool	   kept_serves; /* an area uses it */

/* ---- mappings ---- */

static void
area_unmap(Mapping *mapping)
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

/* Opens the file that has descriptor `number` in a process; false: this is not possible. */
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

/* Maps the first `size` bytes of the file, which must be at least as large; false: failed. */
static bool
area_map(Mapping *mapping, Size size)
{
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, mapping->descriptor, 0);

	if (base == MAP_FAILED)
		return false;
	mapping->base = (char *) base;
	mapping->size = size;
	return true;
}

/* Creates a memory file, and opens it as the other processes do: if they could not, there is no file. */
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

/*
 * Makes the mapping at least `size` bytes large and keeps its pages; creates the file if there is none.  On failure
 * there is neither file nor mapping.
 */
static void
area_enlarge(Mapping *mapping, Size size)
{
	if (mapping->size >= size)
		return;
	if (mapping->descriptor < 0)
		create_file(mapping);
	if (mapping->base != NULL)
		munmap(mapping->base, mapping->size);
	mapping->base = NULL;
	if (mapping->descriptor >= 0 && (ftruncate(mapping->descriptor, (off_t) size) != 0 || !area_map(mapping, size)))
		area_unmap(mapping);
}

/* ---- areas ---- */

/* Gives the pages back to the system, when the session is idle.  Called in a signal handler, at any time. */
static void
give_pages_back(void)
{
#ifdef MADV_REMOVE
	(void) madvise(kept.base, kept.size, MADV_REMOVE);
#endif
}

static void
area_leave(void *arg)
{
	Area *area = (Area *) arg;

	if (!area->is_kept)
	{
		area_unmap(&area->mapping);
		return;
	}
	kept_serves = false;
	if (kept.base != NULL)
		pool_when_idle(give_pages_back);
}

/* Creates an Area without a mapping, which is left when `owner` is reset. */
static Area *
area_new(MemoryContext owner, AreaShared *shared)
{
	Area *area = (Area *) MemoryContextAlloc(owner, sizeof(Area));

	*area = (Area){.shared = shared, .mapping = {.descriptor = -1}, .callback = {.func = area_leave, .arg = area}};
	MemoryContextRegisterResetCallback(owner, &area->callback);
	return area;
}

Area *
area_create(MemoryContext owner, AreaShared *shared, Size size)
{
	Area *area = area_new(owner, shared);
	Size  budget = TYPEALIGN(SLAB_BYTES, size) + SLAB_BYTES; /* the first slab is not used: offset 0 means none */

	size = budget + RESERVED_BYTES;
	area->is_kept = !kept_serves;
	kept_serves = true;
	if (area->is_kept)
	{
		pool_when_idle(NULL);
		area_enlarge(&kept, size);
		area->mapping = kept;
	}
	else
		area_enlarge(&area->mapping, size);
	*shared = (AreaShared){.owner = MyProcPid, .descriptor = area->mapping.descriptor, .size = size, .budget = budget};
	pg_atomic_init_u64(&shared->taken, SLAB_BYTES);
	return area;
}

Area *
area_attach(MemoryContext owner, AreaShared *shared)
{
	Area	*area = area_new(owner, shared);
	Mapping *mapping = &area->mapping;

	if (shared->descriptor < 0 ||
		(open_file(mapping, shared->owner, shared->descriptor) && area_map(mapping, shared->size)))
		return area;
	ereport(parallel_leader_participation ? DEBUG1 : ERROR,
			(errcode_for_file_access(), errmsg("could not map memory of process %d: %m", shared->owner)));
	return NULL;
}

uint64
area_alloc(Area *area, Size size, bool reserved)
{
	Size   end = reserved ? area->shared->size : area->shared->budget;
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
		if (at + slab > end || !pages_allocate(area->mapping.descriptor, at, area->mapping.base + at, slab))
			return 0;
		area->next = at;
		area->end = at + slab;
	}
	at = area->next;
	area->next += size;
	return at;
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
