/*
 * arena.c: an array that holds values of types that are not passed by value.
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/expandeddatum.h"

#include "column/arena.h"
#include "compat.h"

/* The size of the first array, and the largest size that arena_reset() keeps. */
#define ARENA_LEAST ((Size) 8 * 1024)
#define ARENA_KEPT ((Size) 4 * 1024 * 1024)

/* Makes room for `size` bytes, of which arena->used tells where they begin, and returns their address. */
void *
arena_grow(Arena *arena, Pool *pool, Size size)
{
	/* grow by half at least: growing may copy the array, so it must be rare */
	arena->size = Max(Max(arena->size + arena->size / 2, arena->used + size), ARENA_LEAST);
	arena->bytes = (char *) pool_resize(pool, arena->bytes, arena->size);
	return arena->bytes + arena->used;
}

void *
arena_room(Arena *arena, Pool *pool, Size size)
{
	char *at = (char *) arena_reserve(arena, pool, MAXALIGN(size));

	/* the arena is written to files as a whole: no byte of it may be what was in memory before */
	memset(at + size, 0, MAXALIGN(size) - size);
	(void) arena_keep(arena, size);
	return at;
}

uint64
arena_copy(Arena *arena, Pool *pool, int16 length, Datum value)
{
	const char *from = DatumGetPointer(value);
	uint64		place = arena->used;
	bool		expanded = length == -1 && VARATT_IS_EXTERNAL_EXPANDED(from);
	Size		size = expanded		  ? EOH_get_flat_size(DatumGetEOHP(value))
					   : length == -1 ? VARSIZE_ANY(from)
									  : datumGetSize(value, false, length);
	void	   *to = arena_room(arena, pool, size);

	if (expanded)
		EOH_flatten_into(DatumGetEOHP(value), to, size);
	else
		memcpy(to, from, size);
	return place;
}

void
arena_reset(Arena *arena, Pool *pool)
{
	arena->used = 0;
	if (arena->size > ARENA_KEPT)
	{
		pool_free(pool, arena->bytes);
		arena->bytes = NULL;
		arena->size = 0;
	}
}
