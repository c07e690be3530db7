/*
 * deque.h: a double-ended queue: entries of one size that are appended at the end and removed at either end.
 *
 * time_average keeps the rows of a moving frame in a deque (functions/aggregate/time_average.c), scan_cost its lots
 * (number/lots.c).  The entries lie in a ring, in the caller's memory context.  The ring's length is a power of two;
 * the ring grows and never shrinks.  Callers give the size of an entry with each call, so that the compiler knows it.
 */
#ifndef SCAN_COLUMN_DEQUE_H
#define SCAN_COLUMN_DEQUE_H

#include "utils/memutils.h"

#define DEQUE_FIRST_ROOM 8

/* Zero bytes, but for `memory`, are an empty deque. */
typedef struct Deque
{
	MemoryContext memory;
	char		 *ring;
	int64		  room;	 /* entries for which the ring has room: 0, or a power of two */
	int64		  first; /* position of the first entry in the ring */
	int64		  n;
} Deque;

/* Returns the i-th entry from the first one, which counts as 0. */
static inline void *
deque_entry(const Deque *deque, int64 i, Size size)
{
	return deque->ring + ((deque->first + i) & (deque->room - 1)) * size;
}

/* Doubles the ring, which is full. */
static inline void
deque_grow(Deque *deque, Size size)
{
	int64 room = Max(DEQUE_FIRST_ROOM, 2 * deque->room), behind = deque->room - deque->first;
	char *ring = (char *) MemoryContextAllocHuge(deque->memory, room * size);

	if (deque->ring != NULL)
	{
		memcpy(ring, deque->ring + deque->first * size, behind * size);
		memcpy(ring + behind * size, deque->ring, deque->first * size);
		pfree(deque->ring);
	}
	deque->ring = ring;
	deque->room = room;
	deque->first = 0;
}

/* Appends an entry and returns it, for the caller to fill in. */
static inline void *
deque_append(Deque *deque, Size size)
{
	if (unlikely(deque->n == deque->room))
		deque_grow(deque, size);
	return deque_entry(deque, deque->n++, size);
}

static inline void
deque_remove_first(Deque *deque)
{
	deque->n--;
	deque->first = deque->n == 0 ? 0 : (deque->first + 1) & (deque->room - 1);
}

static inline void
deque_remove_last(Deque *deque)
{
	deque->n--;
}

#endif /* SCAN_COLUMN_DEQUE_H */
