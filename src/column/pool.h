/*
 * pool.h: large arrays, whose memory is used again after they are freed.
 */
#ifndef SCAN_COLUMN_POOL_H
#define SCAN_COLUMN_POOL_H

#include "postgres.h"

/* The arrays of one memory context. */
typedef struct Pool Pool;

/*
 * Creates a pool without arrays.  All of its arrays are freed when the context is reset or deleted, after an
 * error too.
 */
extern Pool *pool_create(MemoryContext owner);

/* Returns an array of at least `size` uninitialized bytes.  Fails as palloc does. */
extern void *pool_alloc(Pool *pool, Size size);

/*
 * Returns the array with room for `size` bytes, its contents kept, perhaps at another address.  NULL: allocates
 * a new one.
 */
extern void *pool_resize(Pool *pool, void *array, Size size);

/* Frees an array; NULL: does nothing. */
extern void pool_free(Pool *pool, void *array);

/*
 * Discards bytes `from` to `to` - 1 of an array.  They are undefined afterwards; whole pages go back to the
 * operating system.
 */
extern void pool_discard(void *array, Size from, Size to);

/*
 * pool_may_spill: lets new arrays of this pool lie on disk (file_map.h) when the arrays of all such pools would
 * exceed the limit of pool_spill_beyond(), in bytes.  It is for arrays that loops read in stretches
 * (stretch.h).
 */
extern void pool_may_spill(Pool *pool);
extern bool pool_spills(const Pool *pool);
extern void pool_spill_beyond(Size limit);

/* Sets how many bytes may be kept for reuse that no pool owns, from now on. */
extern void pool_keep_at_most(Size max);

/*
 * Registers a function that gives back memory that another file keeps.  It is called once, when the session is
 * idle: from a signal handler, at any time.  NULL: the memory is in use again, and must not be given back.
 */
extern void pool_when_idle(void (*give_back)(void));

/*
 * Gives back all but a little of what is kept, if there are no pools.  It is called when a query begins, which
 * may need none.
 */
extern void pool_idle(void);

#endif /* SCAN_COLUMN_POOL_H */
