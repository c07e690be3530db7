/*
 * repartition_state.h: what a process and all processes know of a repartition: for repartition.c and handoff.c.
 */
#ifndef SCAN_EXCHANGE_REPARTITION_STATE_H
#define SCAN_EXCHANGE_REPARTITION_STATE_H

#include "postgres.h"

#include "port/atomics.h"
#include "portability/instr_time.h"
#include "storage/barrier.h"

#include "column/rows.h"
#include "exchange/handoff.h"
#include "exchange/internal.h"
#include "exchange/repartition_report.h"
#include "exchange/rows_in_place.h"

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

	instr_time since;  /* when this process began to repartition, or to take batches; 0: it does neither */
	int64	   waited; /* nanoseconds that it has waited since then */
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

static inline int64
nanoseconds_since(instr_time since)
{
	instr_time now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, since);
	return (int64) (INSTR_TIME_GET_DOUBLE(now) * 1e9);
}

/* Frees the bytes that were handed over last, if they are a copy. */
static inline void
forget_handed(struct Repartition *repartition)
{
	if (repartition->handed != NULL)
		pfree(repartition->handed);
	repartition->handed = NULL;
}

#endif /* SCAN_EXCHANGE_REPARTITION_STATE_H */
