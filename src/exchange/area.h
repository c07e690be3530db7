/*
 * area.h: memory that the processes of a query share.
 *
 * exchange/batch.c puts rows there.  The memory has no name and lies in no file system.  Its size is bounded by the
 * query's budget alone, and it is freed with the last process that has it open.
 */
#ifndef SCAN_EXCHANGE_AREA_H
#define SCAN_EXCHANGE_AREA_H

#include "postgres.h"

#include "port/atomics.h"

/* The shared state of an area, in the query's DSM. */
typedef struct AreaShared
{
	pid_t			 owner;		 /* the process that created the area */
	int				 descriptor; /* the owner's file descriptor of the area; -1: there is no such memory */
	Size			 size;		 /* in bytes, with the reserved part */
	Size			 budget;	 /* in bytes, without the reserved part */
	pg_atomic_uint64 taken;		 /* bytes that processes have taken, in slabs */
} AreaShared;

/* A process's view of an area. */
typedef struct Area Area;

/*
 * Creates an area of at most `size` bytes, beside the reserved part.  The process has it until `owner` is reset.  If
 * the system has no such memory, all allocations fail.
 */
extern Area *area_create(MemoryContext owner, AreaShared *shared, Size size);

/*
 * Maps the area of another process, which must not have ended.  If the system forbids that, returns NULL, and the
 * caller must leave the work to the other processes; raises an error if the leader does not take part in the work.
 */
extern Area *area_attach(MemoryContext owner, AreaShared *shared);

/*
 * Returns the offset of `size` free bytes, aligned to a cache line; 0: there are none.  `reserved`: they may be in the
 * reserved part, which is for the little that cannot lie elsewhere.
 */
extern uint64 area_alloc(Area *area, Size size, bool reserved);

/* Returns the address of an offset in this process. */
extern char *area_at(const Area *area, uint64 place);

/* Forgets all that was put there.  No other process may have the area any more. */
extern void area_reset(Area *area);

#endif /* SCAN_EXCHANGE_AREA_H */
