/*
 * arena.h: values that are not passed by value, one after the other in one array.
 *
 * The columns of rows and of results have places in an arena (column.h): counted in bytes from its
 * beginning, so that the array may move when it grows, or be mapped elsewhere.
 */
#ifndef SCAN_COLUMN_ARENA_H
#define SCAN_COLUMN_ARENA_H

#include "postgres.h"

#include "column/column.h"
#include "column/pool.h"

/* Place for so many bytes, which is aligned and begins where `used` was. */
extern void *arena_room(Arena *arena, Pool *pool, Size size);

/* Copies a value to the arena, flat if it is an expanded object; returns its place, which is aligned. */
extern uint64 arena_copy(Arena *arena, Pool *pool, int16 length, Datum value);

/* Forgets the values, and lets go of the memory if it is much. */
extern void arena_reset(Arena *arena, Pool *pool);

#endif /* SCAN_COLUMN_ARENA_H */
