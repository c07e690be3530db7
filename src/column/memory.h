/*
 * memory.h: where the arrays, accumulators and kept values of a query get their memory.
 */
#ifndef SCAN_COLUMN_MEMORY_H
#define SCAN_COLUMN_MEMORY_H

#include "postgres.h"

#include "utils/datum.h"

#include "column/column.h"
#include "op/fn.h"

/* ---- memory.c: PostgreSQL's memory for accumulators that grow (ScanMemory, op/fn.h) ---- */

/* Memory in a context, which frees all of it. */
typedef struct ContextMemory
{
	ScanMemory	  memory;
	MemoryContext context;
} ContextMemory;

/* Initializes `owner`, and returns a pointer into it. */
extern ScanMemory *context_memory(ContextMemory *owner, MemoryContext context);

/* Returns an array of zero bytes in place of another one of which nothing is kept; NULL: there is none. */
extern void *memory_renew(MemoryContext context, void *old, Size size);

/* ---- pool.c: large arrays, whose memory is used again after they are freed ---- */

/* The arrays of one memory context. */
typedef struct Pool Pool;

/*
 * Creates a pool without arrays.  All of its arrays are freed when the context is reset or deleted, after an error too.
 */
extern Pool *pool_create(MemoryContext owner);

/* Returns an array of at least `size` uninitialized bytes.  Fails as palloc does. */
extern void *pool_alloc(Pool *pool, Size size);

/*
 * Returns the array with room for `size` bytes, its contents kept, perhaps at another address.  NULL: allocates a new
 * one.
 */
extern void *pool_resize(Pool *pool, void *array, Size size);

/* Frees an array; NULL: does nothing. */
extern void pool_free(Pool *pool, void *array);

/*
 * Discards bytes `from` to `to` - 1 of an array.  They are undefined afterwards; whole pages go back to the operating
 * system.
 */
extern void pool_discard(void *array, Size from, Size to);

/*
 * pool_may_spill: lets new arrays of this pool lie on disk (memory.h) when the arrays of all such pools would exceed
 * the limit of pool_spill_beyond(), in bytes.  It is for arrays that loops read in stretches (stretch.h).
 */
extern void pool_may_spill(Pool *pool);
extern bool pool_spills(const Pool *pool);
extern void pool_spill_beyond(Size limit);

/* Sets how many bytes may be kept for reuse that no pool owns, from now on. */
extern void pool_keep_at_most(Size max);

/*
 * Registers a function that gives back memory that another file keeps.  It is called once, when the session is idle:
 * from a signal handler, at any time.  NULL: the memory is in use again, and must not be given back.
 */
extern void pool_when_idle(void (*give_back)(void));

/*
 * Gives back all but a little of what is kept, if there are no pools.  It is called when a query begins, which may need
 * none.
 */
extern void pool_idle(void);

/* ---- file_map.c: memory that the operating system may write to disk ---- */

/*
 * Returns `size` bytes, aligned to a cache line, mapped from a temporary file.  The operating system writes them out
 * when memory is short, and reads them back on access.  An error if the disk is full or temp_file_limit is reached.
 * The memory lives until file_unmap(), which may be called at any time, after an error too.
 */
extern void *file_map(Size size);
extern void	 file_unmap(void *at);

/* Bytes of all maps. */
extern Size file_map_total;

/* Sets about how many bytes of the maps may be in the process's memory from now on. */
extern void file_map_keep_at_most(Size bytes);

/*
 * Called by a loop that has read `rows` more rows (stretch.h).  When the rows since the last time are about as many as
 * may be in memory, the pages of all maps leave the process; they stay in the system's page cache, or on disk.
 */
extern void file_map_looked_at(int64 rows);

/*
 * retained.c: a Datum kept over many rows, in memory that is used again.
 *
 * The window functions keep the last value, the best one, the total so far.  Rejected: a datumCopy() a row, whose
 * memory would grow with the partition; a pfree() a row, which would be slow.
 */

/* What keeping values of a type needs to know of it. */
typedef struct RetainedType
{
	Oid	  oid;
	int16 length;
	bool  by_value;
	char  align;
} RetainedType;

/* A kept value.  Zero bytes: none is kept yet. */
typedef struct RetainedDatum
{
	Datum value;
	bool  present; /* a value is kept, which may be NULL */
	bool  isnull;
	char *buffer;
	Size  capacity;
} RetainedDatum;

extern RetainedType retained_type(Oid type);

/* datumCopy() into a context. */
static inline Datum
datum_copy_to(MemoryContext context, Datum value, bool by_value, int length)
{
	MemoryContext old = MemoryContextSwitchTo(context);

	value = datumCopy(value, by_value, length);
	MemoryContextSwitchTo(old);
	return value;
}

/*
 * Keeps a copy of `value`, flat if it was an expanded object, in `context`.  The context must live as long as
 * `retained`.  `value` may be the one that is kept already.
 */
extern void retained_set(RetainedDatum *retained, const RetainedType *type, Datum value, bool isnull,
						 MemoryContext context);

/* Forgets the value, and keeps the memory. */
static inline void
retained_clear(RetainedDatum *retained)
{
	retained->present = false;
}

#endif /* SCAN_COLUMN_MEMORY_H */
