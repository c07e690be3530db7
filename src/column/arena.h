/*
 * arena.h: an array that holds values of types that are not passed by value, one after the other.
 *
 * The columns of rows and of results store offsets into an arena (column.h), counted in bytes from its
 * beginning.  So the array may move when it grows, and may be mapped at another address.
 */
#ifndef SCAN_COLUMN_ARENA_H
#define SCAN_COLUMN_ARENA_H

#include "postgres.h"

#include "column/column.h"
#include "column/pool.h"

/*
 * Appends `size` bytes of uninitialized memory, and returns their address, which is aligned.  The offset is
 * what `used` was before the call.  A later call may move the memory.
 */
extern void *arena_room(Arena *arena, Pool *pool, Size size);

/* Appends a copy of a value, flat if it is an expanded object.  Returns the offset of the copy, which is aligned. */
extern uint64 arena_copy(Arena *arena, Pool *pool, int16 length, Datum value);

/* Makes the arena empty.  Its memory is kept for the next values, unless it is more than a few MB. */
extern void arena_reset(Arena *arena, Pool *pool);

#endif /* SCAN_COLUMN_ARENA_H */
