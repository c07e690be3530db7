/*
 * area.h: memory that the processes of a query share.
 *
 * exchange/batch.c puts rows there.  The memory has no name and lies in no file system: its size is bounded by the
 * query's budget alone, and it goes with the last process that has it.
 */
#ifndef SCAN_EXCHANGE_AREA_H
#define SCAN_EXCHANGE_AREA_H

#include "postgres.h"

#include "port/atomics.h"

/* What all have of it: in the query's shared memory. */
typedef struct AreaShared
{
	pid_t			 owner;		 /* the process that has made it, */
	int				 descriptor; /* and the file there; -1: there is no such memory */
	Size			 size;		 /* with what is reserved */
	Size			 budget;	 /* without it */
	pg_atomic_uint64 taken;
} AreaShared;

/* What a process has of it. */
typedef struct Area Area;

/* Makes memory of so many bytes at most, which the process has until `owner` is reset; or none. */
extern Area *area_create(MemoryContext owner, AreaShared *shared, Size size);

/*
 * The memory of another process, which has made it and has not ended.  NULL: the system forbids that, and whoever asks
 * must leave the work to those who have it; that is an error where the leader does none.
 */
extern Area *area_attach(MemoryContext owner, AreaShared *shared);

/* Place for so many bytes, aligned to a line of the cache; 0: there is none. */
extern uint64 area_alloc(Area *area, Size size);

/* The same of what is reserved for the little that cannot lie elsewhere. */
extern uint64 area_alloc_reserved(Area *area, Size size);

/* Where a place is in this process. */
extern char *area_at(const Area *area, uint64 place);

/* Forgets all that was put there: there is no other process any more. */
extern void area_reset(Area *area);

#endif /* SCAN_EXCHANGE_AREA_H */
