/*
 * pool.h: large arrays, whose memory serves again.
 */
#ifndef SCAN_COLUMN_POOL_H
#define SCAN_COLUMN_POOL_H

#include "postgres.h"

/* The arrays of one owner. */
typedef struct Pool Pool;

/* No arrays yet; they all go when the context is reset or deleted, after an error too. */
extern Pool *pool_create(MemoryContext owner);

/* An array of at least so many bytes, which mean nothing yet.  Fails as palloc does. */
extern void *pool_alloc(Pool *pool, Size size);

/* The array with place for so many bytes, here or elsewhere; NULL: a new one. */
extern void *pool_resize(Pool *pool, void *array, Size size);

/* Gives an array back; NULL: none. */
extern void pool_free(Pool *pool, void *array);

/*
 * Lets go of what is in the array from byte `from` to `to`, which means nothing afterwards: the
 * memory goes back to the system, as far as it is whole pages.
 */
extern void pool_discard(void *array, Size from, Size to);

/*
 * Has new arrays of a pool lie on disk (file_map.h) where those of all such pools would be more
 * than pool_spill_beyond() allows.  For arrays that loops look at in stretches (stretch.h).
 */
extern void pool_may_spill(Pool *pool);
extern void pool_spill_beyond(Size limit);

/* How many bytes may be kept that no owner has, from now on. */
extern void pool_keep_at_most(Size max);

/*
 * Has memory that somebody else keeps given back, once, when the session is idle: by a signal, at any time; NULL: it
 * is in use, and is not.
 */
extern void pool_when_idle(void (*give_back)(void));

/* Gives back what is kept, but a little, if there is no owner: a query begins that will have none. */
extern void pool_idle(void);

#endif /* SCAN_COLUMN_POOL_H */
