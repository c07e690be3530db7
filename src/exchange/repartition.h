/*
 * repartition.h: the rows of several processes, repartitioned to batches, so that each partition is in one batch.
 *
 * node/input/sorted.c repartitions the rows that its process reads, and takes batches of the rows of all.  Every
 * process does the same; none is special, and any number of them finishes: whoever comes
 * before the last row is repartitioned helps and waits for the others who do, whoever comes later takes batches.
 */
#ifndef SCAN_EXCHANGE_REPARTITION_H
#define SCAN_EXCHANGE_REPARTITION_H

#include "postgres.h"

#include "access/parallel.h"
#include "fmgr.h"

#include "column/rows.h"
#include "exchange/handoff.h"

/* What lies in the query's shared memory. */
typedef struct RepartitionShared RepartitionShared;

/* What a process has of it. */
typedef struct Repartition Repartition;

/* A column by which rows are repartitioned: part of what makes a partition. */
typedef struct RepartitionKey
{
	int		 column;
	bool	 by_datum; /* equal Datums are equal values, and the reverse */
	FmgrInfo hash;	   /* else: a hash function of the type, under which equal values have one hash */
	Oid		 collation;
} RepartitionKey;

/* What there is to do for a process that comes; the next one follows when all who have come are done. */
typedef enum RepartitionPhase
{
	REPARTITION_SAMPLES = 0, /* where batches are ranges: to hold its rows, and to take samples of them, */
	REPARTITION_SHOW,		 /* and to show these: nothing, for one who comes now */
	REPARTITION_ROWS,		 /* to repartition its rows */
	REPARTITION_TAKING		 /* to take batches */
} RepartitionPhase;

/* What became of it, for EXPLAIN. */
typedef struct RepartitionReport
{
	int	  participants; /* who repartitioned rows, or took a batch */
	int	  batches;
	bool  ordered; /* they are ranges */
	int64 rows;
	int64 bytes;   /* of them in shared memory, */
	int64 spilled; /* and in files */

	/* nanoseconds of all participants */
	int64 repartitioning; /* with reading the rows */
	int64 waiting;		  /* for others */
	int64 taking;		  /* until there are no more batches, with the nodes above */
} RepartitionReport;

/*
 * How many batches so many bytes of rows are best repartitioned to.  Ranges are blocks in memory, of which each has to
 * fit in a part of the budget.
 */
extern int repartition_batches_for(double bytes, int processes, bool ordered, Size budget);

extern Size repartition_shared_size(int processes, int batches, bool ordered);

/*
 * Made by the process that launches others, with memory for so many bytes of rows; found by these; begun anew.  The
 * batches are those of a hash, or, `ordered`, ranges of an order, of which there are as many as the rows turn out to
 * need. A process has a `budget` of its own.
 */
extern Repartition *repartition_create(MemoryContext memory, RepartitionShared *shared, ParallelContext *context,
									   int batches, bool ordered, Size budget);
extern Repartition *repartition_attach(MemoryContext memory, RepartitionShared *shared);
extern void			repartition_reset(Repartition *repartition);

/* Begins to repartition rows that are laid out as `like`, and says what there is to do. */
extern RepartitionPhase repartition_begin(Repartition *repartition, const Rows *like, const RepartitionKey *key,
										  int keys);

/*
 * Ranges: this process holds so many bytes of rows, and one of 2^level of its rows is a sample.  When all have said so,
 * it is known how many ranges there are, and the level of all: the highest.
 */
extern int repartition_agree(Repartition *repartition, double bytes, int level);

/* Ranges: shows samples of the rows to all processes, and has those of all in their place, the same everywhere. */
extern void repartition_samples(Repartition *repartition, Rows *samples);

extern int repartition_batches(const Repartition *repartition);

/* Deals rows by their hash, or n of them to the batches that are said; best some thousands at once. */
extern void repartition_rows(Repartition *repartition, const Rows *rows);
extern void repartition_rows_to(Repartition *repartition, const Rows *rows, int64 from, int64 n, const uint32 *to);

/* There are no more rows here: waits until there are none anywhere. */
extern void repartition_finish(Repartition *repartition);

/* Takes a batch that nobody has, the first one; false: there is none. */
extern bool repartition_next_batch(Repartition *repartition);

/* Appends some of the batch's rows, which it has no more; false: it is empty. */
extern bool repartition_pull(Repartition *repartition, Rows *rows);

/* The range that was taken last. */
extern int repartition_taken(const Repartition *repartition);

/* Whether no range after it has any rows. */
extern bool repartition_range_is_last(const Repartition *repartition);

/* The last range before the one that was taken that has any rows; -1: there is none. */
extern int repartition_range_before(const Repartition *repartition);

/*
 * Hands over what comes after the range that was taken; what was handed over after another: waits for it.  It is there
 * until the next call.
 */
extern void		   repartition_hand_over(Repartition *repartition, HandoffKind kind, const void *bytes, Size size);
extern const void *repartition_handed_over(Repartition *repartition, HandoffKind kind, int range);

/* Lets go of files, to begin anew. */
extern void repartition_leave(Repartition *repartition);

extern RepartitionReport repartition_report(const RepartitionShared *shared);

#endif /* SCAN_EXCHANGE_REPARTITION_H */
