/*
 * pool.c: large arrays, whose memory serves again.
 *
 * The first touch of a page of fresh memory takes one to two microseconds, the sort of
 * the rows on it not much more.  So an array that is given back stays mapped, and serves
 * who asks next: the next run of a sort, the rows after it, another query of the session.
 * malloc() keeps nothing of this size, and its threshold is the whole backend's.
 *
 * What an idle session holds is committed as far as the system counts
 * (vm.overcommit_memory = 2), be its pages free for the taking (MADV_FREE) or not; and those
 * cost half as much as fresh ones when they are taken up again.  So all but KEPT_IDLE bytes
 * go back to the system: when the session has been idle for IDLE_MS, or begins a query that
 * has no use for them.  To give them back with their owner would be a part of the query, of
 * some 100 ms for each GB, and the query that follows at once would have to touch new ones.
 *
 * Huge pages (MADV_HUGEPAGE) were tried.  Where memory is at hand a fresh one costs a fifth
 * of 512 small ones; but in a virtual machine that gives free memory back to its host, as
 * many do, just the huge ones have to be brought, at five times the cost of small ones.
 *
 * Arrays of less than MAPPED_MIN bytes, which columns have before they grow, lie in the
 * owner's context.
 *
 * The rows that a moving frame looks at, and what functions make of them, may be more than a query's
 * memory is to be, and nobody knows before they are there.  Pools of such arrays spill: arrays beyond
 * the limit lie on disk (file_map.c).
 */
#include "postgres.h"

#include <sys/mman.h>

#include "access/xact.h"
#include "lib/ilist.h"
#include "portability/mem.h"
#include "utils/memutils.h"
#include "utils/timeout.h"

#include "column/file_map.h"
#include "column/pool.h"
#include "column/stretch.h"

#define MAPPED_MIN ((Size) 1024 * 1024)

/* What is kept when its owner has gone: enough for another query over some hundred thousand rows. */
#define KEPT_IDLE ((Size) 8 * 1024 * 1024)

/* How long a session is idle before it gives the rest back. */
#define IDLE_MS 100

/* Linux moves pages where others copy what is on them; POOL_COPIES tries the others' way. */
#if defined(MREMAP_MAYMOVE) && !defined(POOL_COPIES)
#define POOL_REMAPS true
#else
#define POOL_REMAPS false
#endif

/* What stands before an array. */
typedef struct Region
{
	dlist_node node; /* of the owner's regions, or of those that are kept */
	Size	   size; /* with this */
	bool	   mapped;
	bool	   is_on_disk;
	bool	   counts; /* its pool spills: it is in `spillable` */
} Region;

#define REGION_HEAD 64 /* a cache line: arrays are aligned to it */
StaticAssertDecl(sizeof(Region) <= REGION_HEAD, "a region's head fits");

struct Pool
{
	MemoryContext		  owner;
	dlist_head			  regions;
	bool				  spills;
	MemoryContextCallback callback;
};

static dlist_head kept = DLIST_STATIC_INIT(kept);
static Size		  kept_bytes;
static Size		  kept_max = SIZE_MAX;

static void (*others)(void); /* gives back what somebody else keeps; NULL: nothing */

/* pools that spill */
static Size spillable; /* bytes of their arrays in memory */
static Size spillable_most = SIZE_MAX;
#define KEPT_OF_DISK 4 /* of what is on disk a part of that limit may be in memory too */

static int		 owners;					/* pools there are */
static TimeoutId idle_timer = MAX_TIMEOUTS; /* until it is registered */

static inline Region *
region_of(void *array)
{
	return (Region *) ((char *) array - REGION_HEAD);
}

static inline void *
array_of(Region *region)
{
	return (char *) region + REGION_HEAD;
}

static void
out_of_memory(Size size)
{
	ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
					errdetail("Failed on request of size %zu.", size)));
}

/* ---- what is kept ---- */

static void
unmap_kept(Region *region)
{
	dlist_delete(&region->node);
	kept_bytes -= region->size;
	munmap(region, region->size);
}

/* Gives back what is kept beyond so many bytes, the oldest first. */
static void
trim_kept(Size max)
{
	while (kept_bytes > max)
		unmap_kept(dlist_container(Region, node, dlist_tail_node(&kept)));
}

static void
keep(Region *region)
{
	dlist_push_head(&kept, &region->node);
	kept_bytes += region->size;
	trim_kept(kept_max);
}

/* The smallest region that suffices, else the largest there is, if it can grow; NULL: none will do. */
static Region *
find_kept(Size size)
{
	Region	  *best = NULL;
	dlist_iter iter;

	dlist_foreach (iter, &kept)
	{
		Region *region = dlist_container(Region, node, iter.cur);
		bool	suffices = region->size >= size;

		if (best == NULL)
			best = region;
		else if (best->size >= size ? suffices && region->size < best->size : region->size > best->size)
			best = region;
	}
	return POOL_REMAPS || best == NULL || best->size >= size ? best : NULL;
}

static void
take_kept(Region *region)
{
	dlist_delete(&region->node);
	kept_bytes -= region->size;
}

/* ---- a session that is idle ---- */

/* Called by a signal, at any time: the timer runs only while nobody is in this file. */
static void
idle_has_ended(void)
{
	void (*give_back_more)(void) = others;

	others = NULL;
	trim_kept(KEPT_IDLE);
	if (give_back_more != NULL)
		give_back_more();
}

/* An error stops all timers of the backend, this one too. */
static void
end_of_transaction(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT)
		pool_idle();
}

/* Before there is anything to give back: that happens in the cleanup of errors too, where none may be raised. */
static void
register_idle_timer(void)
{
	if (idle_timer != MAX_TIMEOUTS)
		return;
	RegisterXactCallback(end_of_transaction, NULL);
	idle_timer = RegisterTimeout(USER_TIMEOUT, idle_has_ended);
}

static void
stop_idle_timer(void)
{
	if (idle_timer != MAX_TIMEOUTS && get_timeout_active(idle_timer))
		disable_timeout(idle_timer, false);
}

static void
start_idle_timer(void)
{
	if (kept_bytes <= KEPT_IDLE && others == NULL)
		return;
	enable_timeout_after(idle_timer, IDLE_MS);
}

void
pool_idle(void)
{
	if (owners > 0 || (kept_bytes <= KEPT_IDLE && others == NULL))
		return;
	stop_idle_timer();
	idle_has_ended();
}

void
pool_when_idle(void (*give_back)(void))
{
	register_idle_timer();
	stop_idle_timer();
	others = give_back;
	start_idle_timer();
}

void
pool_keep_at_most(Size max)
{
	stop_idle_timer();
	kept_max = max;
	trim_kept(max);
	start_idle_timer();
}

/* ---- regions ---- */

/* A mapped region of at least `size` bytes with what was in it at its start; NULL: there is no memory. */
static Region *
remap(Region *region, Size size)
{
	void *at;

	if (region != NULL && region->size >= size)
		return region;
	if (region == NULL)
		at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	else
#if POOL_REMAPS
		at = mremap(region, region->size, size, MREMAP_MAYMOVE);
#else
		at = MAP_FAILED; /* which nobody asks for */
#endif
	if (at == MAP_FAILED)
		return NULL;
	region = (Region *) at;
	region->size = size;
	region->mapped = true;
	region->is_on_disk = region->counts = false;
	return region;
}

static Region *
map_region(Size size)
{
	Region *region, *grown;

	stop_idle_timer();
	region = find_kept(size);
	if (region != NULL)
		take_kept(region);
	grown = remap(region, size);
	if (grown == NULL)
	{
		if (region != NULL)
			munmap(region, region->size);
		out_of_memory(size);
	}
	return grown;
}

/* ---- on disk ---- */

void
pool_may_spill(Pool *pool)
{
	pool->spills = true;
}

void
pool_spill_beyond(Size limit)
{
	spillable_most = limit;
	file_map_keep_at_most(limit / KEPT_OF_DISK);
}

static bool
goes_to_disk(const Pool *pool, Size size)
{
	return pool->spills && (spillable > spillable_most || size > spillable_most - spillable);
}

static Region *
region_on_disk(Size size)
{
	Region *region = (Region *) file_map(size);

	region->size = size;
	region->mapped = region->is_on_disk = true;
	region->counts = false;
	return region;
}

/* ---- arrays that come and go ---- */

static void
give_back(Region *region)
{
	stop_idle_timer();
	dlist_delete(&region->node);
	if (region->counts)
		spillable -= region->size;
	if (region->is_on_disk)
	{
		file_unmap(region);
		return;
	}
	keep(region);
}

static void
give_all_back(void *arg)
{
	Pool *pool = (Pool *) arg;

	while (!dlist_is_empty(&pool->regions))
		give_back(dlist_container(Region, node, dlist_head_node(&pool->regions)));
	owners--;
	start_idle_timer();
}

Pool *
pool_create(MemoryContext owner)
{
	Pool *pool = (Pool *) MemoryContextAllocZero(owner, sizeof(Pool));

	register_idle_timer();
	stop_idle_timer(); /* there is use for what is kept, if not yet */
	pool->owner = owner;
	owners++;
	dlist_init(&pool->regions);
	pool->callback.func = give_all_back;
	pool->callback.arg = pool;
	MemoryContextRegisterResetCallback(owner, &pool->callback);
	return pool;
}

/* The size of the region of an array; a mapped one is of whole pages. */
static Size
region_size(Size size)
{
	if (size > SIZE_MAX / 2)
		out_of_memory(size);
	size += REGION_HEAD;
	return size < MAPPED_MIN ? size : TYPEALIGN(BLCKSZ, size);
}

void *
pool_alloc(Pool *pool, Size size)
{
	Region *region;

	size = region_size(size);
	if (size < MAPPED_MIN)
	{
		region = (Region *) MemoryContextAlloc(pool->owner, size);
		region->size = size;
		region->mapped = false;
		return array_of(region);
	}
	if (goes_to_disk(pool, size))
		region = region_on_disk(size);
	else
	{
		region = map_region(size);
		region->counts = pool->spills;
		spillable += pool->spills ? region->size : 0;
	}
	dlist_push_head(&pool->regions, &region->node);
	return array_of(region);
}

void *
pool_resize(Pool *pool, void *array, Size size)
{
	Region *region, *grown;
	void   *moved;

	if (array == NULL)
		return pool_alloc(pool, size);
	region = region_of(array);
	if (region_size(size) <= region->size)
		return array;
	stop_idle_timer();
	grown = find_kept(region_size(size));
	if (!region->mapped || !POOL_REMAPS || region->is_on_disk || goes_to_disk(pool, region_size(size) - region->size) ||
		(grown != NULL && grown->size >= region_size(size)))
	{
		/* where memory is kept: to copy what there is costs less than to touch new memory after it */
		moved = pool_alloc(pool, size);
		stretch_copy(moved, array, region->size - REGION_HEAD);
		pool_free(pool, array);
		return moved;
	}
	dlist_delete(&region->node);
	spillable -= region->counts ? region->size : 0;
	grown = remap(region, region_size(size));
	if (grown != NULL)
		region = grown;
	region->counts = pool->spills;
	spillable += region->counts ? region->size : 0;
	dlist_push_head(&pool->regions, &region->node);
	if (grown == NULL)
		out_of_memory(size);
	return array_of(region);
}

void
pool_discard(void *array, Size from, Size to)
{
#ifdef MADV_DONTNEED
	char *begin = (char *) TYPEALIGN(BLCKSZ, (char *) array + from);
	char *end = (char *) TYPEALIGN_DOWN(BLCKSZ, (char *) array + to);

	if (region_of(array)->mapped && !region_of(array)->is_on_disk && begin < end)
		(void) madvise(begin, end - begin, MADV_DONTNEED);
#endif
}

void
pool_free(Pool *pool, void *array)
{
	if (array == NULL)
		return;
	if (region_of(array)->mapped)
		give_back(region_of(array));
	else
		pfree(region_of(array));
}
