/*
 * pool.c: large arrays, whose memory is used again after they are freed.
 *
 * The first touch of a page of fresh memory takes one to two microseconds; sorting the rows on it takes hardly longer.
 * So a freed array stays mapped and is used for the next request: of the next run of a sort, of the rows after it, of
 * another query of the session.  malloc() keeps nothing of this size, and its threshold is for the whole backend.
 *
 * The memory that an idle session keeps counts as committed (vm.overcommit_memory = 2), even if its pages are marked as
 * free for the taking (MADV_FREE); and pages so marked cost half as much as fresh ones when they are used again.  So
 * all but KEPT_IDLE bytes go back to the operating system: when the session has been idle for IDLE_MS, or when it
 * begins a query without pools.  Rejected: giving them back when their owner goes.  The query would pay for that, some
 * 100 ms for each GB, and a query that follows at once would have to touch new pages.
 *
 * Rejected: huge pages (MADV_HUGEPAGE).  Where memory is at hand, a fresh huge page costs a fifth of 512 small ones.
 * But in a virtual machine that gives free memory back to its host, as many do, just the huge pages have to be fetched
 * from the host, at five times the cost of small ones.
 *
 * Arrays of less than MAPPED_MIN bytes, as columns have before they grow, lie in the owner's context.
 *
 * The rows of a sliding frame, and what functions make of them, may exceed a query's memory, and their size is not
 * known in advance.  Pools of such arrays spill: arrays beyond the limit lie on disk (file_map.c).
 */
#include "postgres.h"

#include <sys/mman.h>

#include "access/xact.h"
#include "lib/ilist.h"
#include "portability/mem.h"
#include "utils/memutils.h"
#include "utils/timeout.h"

#include "column/memory.h"
#include "column/stretch.h"

#define MAPPED_MIN ((Size) 1024 * 1024)

/* Bytes that an idle session keeps: enough for another query over some hundred thousand rows. */
#define KEPT_IDLE ((Size) 8 * 1024 * 1024)

/* Milliseconds after which an idle session gives the rest back. */
#define IDLE_MS 100

/* Linux can move pages; elsewhere arrays are copied.  POOL_COPIES tests the copying on Linux. */
#if defined(MREMAP_MAYMOVE) && !defined(POOL_COPIES)
#define POOL_REMAPS true
#else
#define POOL_REMAPS false
#endif

/* The header of an array. */
typedef struct Region
{
	dlist_node node; /* in the pool's list of regions, or in `kept` */
	Size	   size; /* bytes, header included */
	bool	   mapped;
	bool	   is_on_disk;
	bool	   counts; /* its pool spills, and its size is included in `spillable` */
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

static void (*others)(void); /* gives back what another file keeps; NULL: there is nothing */

/* of the pools that spill */
static Size spillable; /* bytes of arrays that are not on disk */
static Size spillable_most = SIZE_MAX;
#define KEPT_OF_DISK 4 /* arrays on disk may have limit / KEPT_OF_DISK bytes in memory */

static int		 owners;					/* number of pools */
static TimeoutId idle_timer = MAX_TIMEOUTS; /* MAX_TIMEOUTS: not registered yet */

static inline Region *
region_of(void *array)
{
	return (Region *) ((char *) array - REGION_HEAD);
}

static inline void *
region_array(Region *region)
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
take_kept(Region *region)
{
	dlist_delete(&region->node);
	kept_bytes -= region->size;
}

/* Gives back what is kept beyond `max` bytes, the oldest regions first. */
static void
trim_kept(Size max)
{
	while (kept_bytes > max)
	{
		Region *oldest = dlist_container(Region, node, dlist_tail_node(&kept));

		take_kept(oldest);
		munmap(oldest, oldest->size);
	}
}

static void
region_keep(Region *region)
{
	dlist_push_head(&kept, &region->node);
	kept_bytes += region->size;
	trim_kept(kept_max);
}

/* Returns the smallest kept region that suffices, or else the largest if it can grow; NULL: there is none. */
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

/* ---- a session that is idle ---- */

/* Called from a signal handler, at any time: the timer runs only while no code of this file does. */
static void
idle_has_ended(void)
{
	void (*give_back_more)(void) = others;

	others = NULL;
	trim_kept(KEPT_IDLE);
	if (give_back_more != NULL)
		give_back_more();
}

/* An error stops all timers of the backend, so also the idle timer: what is kept goes back at once. */
static void
end_of_transaction(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT)
		pool_idle();
}

/*
 * Called before there is anything to give back: giving back also happens in the cleanup after errors, where no error
 * may be raised.
 */
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

/*
 * Returns a mapped region of at least `size` bytes that begins with the contents of `region` (NULL: a new one).  NULL:
 * there is no memory.
 */
static Region *
region_remap(Region *region, Size size)
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
		at = MAP_FAILED; /* no caller asks for it */
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
	grown = region_remap(region, size);
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

bool
pool_spills(const Pool *pool)
{
	return pool->spills;
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

	*region = (Region){.size = size, .mapped = true, .is_on_disk = true};
	return region;
}

/* ---- arrays that come and go ---- */

static void
region_unmap(Region *region)
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
	region_keep(region);
}

static void
give_all_back(void *arg)
{
	Pool *pool = (Pool *) arg;

	while (!dlist_is_empty(&pool->regions))
		region_unmap(dlist_container(Region, node, dlist_head_node(&pool->regions)));
	owners--;
	start_idle_timer();
}

Pool *
pool_create(MemoryContext owner)
{
	Pool *pool = (Pool *) MemoryContextAlloc(owner, sizeof(Pool));

	register_idle_timer();
	stop_idle_timer(); /* what is kept will be used, if not yet */
	*pool = (Pool){.owner = owner, .callback = {.func = give_all_back, .arg = pool}};
	owners++;
	dlist_init(&pool->regions);
	MemoryContextRegisterResetCallback(owner, &pool->callback);
	return pool;
}

/* Returns the size of an array's region, header included; a mapped region consists of whole pages. */
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
		return region_array(region);
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
	return region_array(region);
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
		/* where memory is kept, copying into it costs less than touching new memory to grow */
		moved = pool_alloc(pool, size);
		stretch_copy(moved, array, region->size - REGION_HEAD);
		pool_free(pool, array);
		return moved;
	}
	dlist_delete(&region->node);
	spillable -= region->counts ? region->size : 0;
	grown = region_remap(region, region_size(size));
	if (grown != NULL)
		region = grown;
	region->counts = pool->spills;
	spillable += region->counts ? region->size : 0;
	dlist_push_head(&pool->regions, &region->node);
	if (grown == NULL)
		out_of_memory(size);
	return region_array(region);
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
		region_unmap(region_of(array));
	else
		pfree(region_of(array));
}
