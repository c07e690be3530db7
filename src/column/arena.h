/*
 * arena.h: an array that holds values of types that are not passed by value, one after the other.
 *
 * The columns of rows and of results store offsets into an arena (column.h), counted in bytes from its beginning.  So
 * the array may move when it grows, and may be mapped at another address.
 */
#ifndef SCAN_COLUMN_ARENA_H
#define SCAN_COLUMN_ARENA_H

#include "postgres.h"

#include "column/column.h"
#include "column/memory.h"

/*
 * Appends `size` bytes of uninitialized memory, and returns their address, which is aligned.  The offset is what `used`
 * was before the call.  A later call may move the memory.
 */
extern void *arena_room(Arena *arena, Pool *pool, Size size);

/*
 * arena_reserve: returns the aligned address of at least `size` bytes of uninitialized memory, which is not appended
 * yet.  arena_keep: appends the first `size` bytes of it, and returns their offset.  So a value whose size is known
 * only once it is made is made where it stays.
 */
extern void *arena_grow(Arena *arena, Pool *pool, Size size);

static inline void *
arena_reserve(Arena *arena, Pool *pool, Size size)
{
	if (unlikely(arena->size - arena->used < size))
		return arena_grow(arena, pool, size);
	return arena->bytes + arena->used;
}

static inline uint64
arena_keep(Arena *arena, Size size)
{
	uint64 place = arena->used;

	arena->used += MAXALIGN(size);
	return place;
}

/* Appends a copy of a value, flat if it is an expanded object.  Returns the offset of the copy, which is aligned. */
extern uint64 arena_copy(Arena *arena, Pool *pool, int16 length, Datum value);

/* Makes the arena empty.  Its memory is kept for the next values, unless it is more than a few MB. */
extern void arena_reset(Arena *arena, Pool *pool);

#endif /* SCAN_COLUMN_ARENA_H */
