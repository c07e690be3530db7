/*
 * internal.h: what the files of exchange/ share, and nobody else calls.
 */
#ifndef SCAN_EXCHANGE_INTERNAL_H
#define SCAN_EXCHANGE_INTERNAL_H

#include "postgres.h"

#include "access/parallel.h"
#include "port/atomics.h"
#include "storage/barrier.h"

#include "column/rows.h"
#include "exchange/exchange.h"
#include "library/clock.h"

/* ---- area.c: memory that the processes of a query share ---- */

/*
 * pieces.c puts rows there.  The memory has no name and lies in no file system.  Its size is bounded by the
 * query's budget alone, and it is freed with the last process that has it open.
 */

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

/* ---- pieces.c: lists of rows that a process puts in an area, some at a time ---- */

/* A list, in the query's DSM.  Only the process that puts rows writes to it. */
typedef struct Pieces
{
	uint64 last; /* offset of the last piece; 0: none */
	int64  n;
	int64  rows; /* of all pieces */
} Pieces;

/* A piece begins with its head; the rows follow. */
typedef struct PieceHead
{
	uint64 before; /* offset of the piece before; 0: none */
	int64  first;  /* number of its first row */
} PieceHead;

/* Puts rows behind those of a list, and returns the bytes that they take; 0: there is no memory (area_alloc()). */
extern Size pieces_put(Area *area, Pieces *pieces, const Rows *rows, bool reserved);

/* Returns where the rows of a piece are written, for rows_read_memory() or rows_read_in_place(). */
extern char *piece_rows(const Area *area, uint64 place, PieceHead *head);

/* ---- batch.c: batches of rows, on which some processes put rows that others take ---- */

/*
 * exchange/repartition.c decides which rows go to which batch, and knows when all rows are there.  Rows are put some at
 * a time, in memory that the processes share (area.c), or in a file of the process where the memory is used up.
 */

/* The shared state of all batches, in the query's DSM. */
typedef struct BatchesShared BatchesShared;

/* A process's view of the batches. */
typedef struct Batches
{
	BatchesShared	*shared;
	int				 number; /* of this process: 0 is the leader */
	MemoryContext	 memory;
	struct Area		*area;
	struct BufFile	*file;	  /* the file that this process writes; NULL: none */
	struct BufFile **files;	  /* the file of each process, opened to be read; NULL: none is open */
	int64			 bytes;	  /* bytes that this process has put in shared memory */
	int64			 spilled; /* bytes that this process has put in its file */
} Batches;

extern Size batches_shared_size(int processes, int batches);

/* Creates `count` batches, with shared memory for `budget` bytes: called by the process that launches the others. */
extern void batches_create(Batches *batches, MemoryContext memory, BatchesShared *shared, ParallelContext *context,
						   int count, Size budget);

/* Called by the other processes.  Returns false if the process must not put or take any rows. */
extern bool batches_attach(Batches *batches, MemoryContext memory, BatchesShared *shared);

/* Moves the rows to a batch: `rows` is empty afterwards. */
extern void batches_put(Batches *batches, int batch, Rows *rows);

/* Puts a copy of rows on a batch for all processes to read; false: there is no shared memory. */
extern bool batches_show(Batches *batches, int batch, const Rows *rows);

/* Appends the rows that all processes have put on a batch by batches_show(); they stay on the batch. */
extern void batches_look(const Batches *batches, int batch, Rows *rows);

/* Has batches_have() say that there are rows on a batch, though this process has them elsewhere. */
extern void batches_mark(Batches *batches, int batch);

/* True if batches_put() has put any rows on a batch, even if they have been taken since. */
extern bool batches_have(const Batches *batches, int batch);

/* Returns how many rows batches_put() has put on a batch. */
extern int64 batches_rows(const Batches *batches, int batch);

/* Called when this process puts no more rows; others may take its rows as soon as they know of the call. */
extern void batches_finish(Batches *batches);

/* Takes some rows off a batch and appends them; false: none are left.  Only one process may take from a batch. */
extern bool batches_take(Batches *batches, int batch, Rows *rows);

/*
 * batches_store() stores bytes that another process reads once: in shared memory, or in a file with that name if there
 * are many bytes or no memory is left.  It returns their place, by which batches_fetch() returns the stored bytes, or,
 * setting *is_copy, a copy in the current context.
 */
extern uint64	   batches_store(Batches *batches, const char *name, const void *bytes, Size size);
extern const void *batches_fetch(Batches *batches, const char *name, uint64 place, bool *is_copy);

/* Closes the files that are read. */
extern void batches_leave(Batches *batches);

/* Removes all rows and files.  No other process may have the batches any more. */
extern void batches_reset(Batches *batches);

/* ---- handoff.c: passes bytes from each range of the window order to the next one ---- */

/*
 * Several processes compute ranges at once, but a range needs the functions' states after the rows before it, or the
 * last of these rows.  The process with a range hands over the place of bytes of each kind (batches_store()) once, and
 * the process with the next range waits for it.
 */

/* The shared state, in the query's DSM. */
typedef struct HandoffShared HandoffShared;

extern Size handoff_shared_size(int ranges);

/* Sets up a handoff without anything handed over, anew for each repartition; no other process may have the memory. */
extern void handoff_begin(HandoffShared *shared, int ranges);

/* ---- what a process and all processes know of a repartition: for repartition.c and handoff.c ---- */

struct RepartitionShared
{
	uint64			 build; /* scan_build of the process that created it; must be first */
	Barrier			 barrier;
	pg_atomic_uint64 count[COUNTS];
	int				 processes;
	Size			 budget;   /* memory of each process, in bytes */
	int				 capacity; /* number of batches that there is room for */
	pg_atomic_uint32 batches;  /* number of batches */
	bool			 ordered;  /* batches are ranges */
	pg_atomic_uint32 level;	   /* ranges: one of 2^level rows is a sample */
};

struct Repartition
{
	struct RepartitionShared *shared;
	Batches					  batches;
	Ordered					  ordered; /* ranges only */
	bool					  came;	   /* this process counts as a participant */
	bool					  idle;	   /* this process takes no part */
	MemoryContext			  memory;

	/* repartitioning */
	MemoryContext				 scratch; /* of the hash functions; reset after each call of repartition_rows() */
	const struct RepartitionKey *key;
	int							 keys;
	const Rows					*like;	   /* rows that are laid out as those to be repartitioned */
	Size						 kept;	   /* bytes of rows that are kept of a batch before they are written */
	Rows					   **batch;	   /* the rows that are kept of each batch */
	uint64						*hash;	   /* the hash of each row of the current call */
	uint32						*to;	   /* the batch of each row of the current call */
	uint32						*order;	   /* the rows of the current call, batch by batch */
	int64						 capacity; /* rows that `hash`, `to` and `order` have memory for */
	int64						 rows;	   /* number of rows that this process has repartitioned */

	int	  taken;  /* the batch that was taken last */
	void *handed; /* the bytes that were returned last by repartition_handed_over(), if they are a copy */

	double since;  /* clock_ns() when this process began to repartition, or to take batches; 0: it does neither */
	double waited; /* nanoseconds that it has waited since then */
};

/*
 * The shared memory has RepartitionShared, then the handoff, then the batches: one more than rows are repartitioned to,
 * for samples.  For ranges, the rows in order come last.
 */
static inline HandoffShared *
handoff_of(struct RepartitionShared *shared)
{
	return (HandoffShared *) ((char *) shared + MAXALIGN(sizeof(struct RepartitionShared)));
}

static inline BatchesShared *
batches_of(struct RepartitionShared *shared, int batches)
{
	return (BatchesShared *) ((char *) handoff_of(shared) + MAXALIGN(handoff_shared_size(batches)));
}

static inline OrderedShared *
ordered_of(struct RepartitionShared *shared, int processes, int batches)
{
	return (OrderedShared *) ((char *) batches_of(shared, batches) +
							  MAXALIGN(batches_shared_size(processes, batches + 1)));
}

/* Adds to a count, and returns what it was before. */
static inline int64
count_more(struct RepartitionShared *shared, RepartitionCount count, int64 more)
{
	return (int64) pg_atomic_fetch_add_u64(&shared->count[count], more);
}

/* Returns the number of batches, which for ranges is known only after repartition_agree(). */
static inline int
batches_now(const struct RepartitionShared *shared)
{
	return (int) pg_atomic_read_u32(unconstify(pg_atomic_uint32 *, &shared->batches));
}

/* Frees the bytes that were handed over last, if they are a copy. */
static inline void
forget_handed(struct Repartition *repartition)
{
	if (repartition->handed != NULL)
		pfree(repartition->handed);
	repartition->handed = NULL;
}

#endif /* SCAN_EXCHANGE_INTERNAL_H */
