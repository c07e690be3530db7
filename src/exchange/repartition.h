/*
 * repartition.h: repartitions the rows that several processes read to batches: each has whole partitions, or is a
 * range.
 *
 * node/input/shared_input.c and order_ranges.c repartition the rows that their process reads, and shared_input.c takes
 * batches of the rows of all processes.  Every process does the same, and any number of processes suffices.  A process
 * that comes before the last row is repartitioned takes part, and waits for the others that do.  A process that comes
 * later only takes batches.
 */
#ifndef SCAN_EXCHANGE_REPARTITION_H
#define SCAN_EXCHANGE_REPARTITION_H

#include "postgres.h"

#include "access/parallel.h"
#include "fmgr.h"

#include "column/rows.h"
#include "exchange/repartition_report.h"
#include "exchange/rows_in_place.h"

/* The shared state, in the query's DSM. */
typedef struct RepartitionShared RepartitionShared;

/* A process's view of the repartition. */
typedef struct Repartition Repartition;

/* A key of the partition; its hash tells the batch of a row. */
typedef struct RepartitionKey
{
	int		 column;   /* the column of the rows that the key is in */
	bool	 by_datum; /* equal Datums are equal values, and the reverse */
	FmgrInfo hash;	   /* unless by_datum: a hash function of the type; equal values have equal hashes */
	Oid		 collation;
} RepartitionKey;

/* What a process that begins has to do.  A phase ends when all processes that have begun are done with it. */
typedef enum RepartitionPhase
{
	REPARTITION_SAMPLES = 0, /* ranges only: to hold its rows, and to take samples of them */
	REPARTITION_SHOW,		 /* ranges only: to show its samples; a process that begins now has none */
	REPARTITION_ROWS,		 /* to repartition its rows */
	REPARTITION_TAKING		 /* to take batches */
} RepartitionPhase;

/*
 * Returns how many batches `bytes` bytes of rows are best repartitioned to.  A range is a block in memory, and has to
 * fit in a part of the budget.
 */
extern int repartition_batches_for(double bytes, int processes, bool ordered, Size budget);

extern Size repartition_shared_size(int processes, int batches, bool ordered);

/*
 * repartition_create() is called by the process that launches the others, repartition_attach() by the others, and
 * repartition_reset() by the first before it launches others again.  Batches are found by a hash, or are ranges of the
 * window order if `ordered`; there are as many ranges as the rows turn out to need.  Each process has `budget` bytes.
 */
extern Repartition *repartition_create(MemoryContext memory, RepartitionShared *shared, ParallelContext *context,
									   int batches, bool ordered, Size budget);
extern Repartition *repartition_attach(MemoryContext memory, RepartitionShared *shared);
extern void			repartition_reset(Repartition *repartition);

/* Begins to repartition rows that are laid out as `like`; returns what this process has to do. */
extern RepartitionPhase repartition_begin(Repartition *repartition, const Rows *like, const RepartitionKey *key,
										  int keys);

/*
 * Ranges: tells the others that this process holds `bytes` bytes of rows, and that one of 2^level of its rows is a
 * sample; waits until all processes have called it.  Then the number of ranges is known.  Returns the highest level.
 */
extern int repartition_agree(Repartition *repartition, double bytes, int level);

/* Ranges: shows the samples to all processes, and replaces them by those of all, which are the same in each process. */
extern void repartition_samples(Repartition *repartition, Rows *samples);

extern int repartition_batches(const Repartition *repartition);

/* Ranges: returns where the rows are that came in order, of all processes; and how many processes there may be. */
extern Ordered *repartition_ordered(Repartition *repartition);
extern int		repartition_processes(const Repartition *repartition);

/*
 * repartition_rows() puts rows on batches by their hash; repartition_rows_to() puts rows `from` to from + n - 1, the
 * first on batch to[0].  Best called with some thousands of rows.
 */
extern void repartition_rows(Repartition *repartition, const Rows *rows);
extern void repartition_rows_to(Repartition *repartition, const Rows *rows, int64 from, int64 n, const uint32 *to);

/* Called when this process has no more rows; waits until no process has any. */
extern void repartition_finish(Repartition *repartition);

/* Takes the first batch that no process has taken; false: there is none. */
extern bool repartition_next_batch(Repartition *repartition);

/* Returns how many rows the batch that was taken has, without those in order. */
extern int64 repartition_rows_taken(const Repartition *repartition);

/* Moves some rows of the batch that was taken to the end of `rows`; false: the batch is empty. */
extern bool repartition_pull(Repartition *repartition, Rows *rows);

/* Closes the files that are read, so that the process can begin again. */
extern void repartition_leave(Repartition *repartition);

extern RepartitionReport repartition_report(const RepartitionShared *shared);

#endif /* SCAN_EXCHANGE_REPARTITION_H */
