/*
 * repartition.h: the rows of several processes, dealt to piles, so that each partition is in one pile.
 *
 * node/input/sorted.c deals the rows that its process reads, and takes piles of the rows of all.  Every
 * process does the same; none is special, and any number of them finishes: whoever comes
 * before the last row is dealt helps and waits for the others who do, whoever comes later takes piles.
 */
#ifndef SCAN_EXCHANGE_REPARTITION_H
#define SCAN_EXCHANGE_REPARTITION_H

#include "postgres.h"

#include "access/parallel.h"
#include "fmgr.h"

#include "column/rows.h"
#include "exchange/handoff.h"

/* What lies in the query's shared memory. */
typedef struct DealShared DealShared;

/* What a process has of it. */
typedef struct Deal Deal;

/* A column by which rows are dealt: part of what makes a partition. */
typedef struct DealKey
{
	int		 column;
	bool	 by_datum; /* equal Datums are equal values, and the reverse */
	FmgrInfo hash;	   /* else: a hash function of the type, under which equal values have one hash */
	Oid		 collation;
} DealKey;

/* What there is to do for a process that comes; the next one follows when all who have come are done. */
typedef enum DealPhase
{
	DEAL_SAMPLES = 0, /* where piles are ranges: to hold its rows, and to take samples of them, */
	DEAL_SHOW,		  /* and to show these: nothing, for one who comes now */
	DEAL_ROWS,		  /* to deal its rows */
	DEAL_TAKING		  /* to take piles */
} DealPhase;

/* What became of it, for EXPLAIN. */
typedef struct DealReport
{
	int	  participants; /* who dealt rows, or took a pile */
	int	  piles;
	bool  ordered; /* they are ranges */
	int64 rows;
	int64 bytes;   /* of them in shared memory, */
	int64 spilled; /* and in files */

	/* nanoseconds of all participants */
	int64 dealing; /* with reading the rows */
	int64 waiting; /* for others */
	int64 taking;  /* until there are no more piles, with the nodes above */
} DealReport;

/*
 * How many piles so many bytes of rows are best dealt to.  Ranges are blocks in memory, of which each has to fit in a
 * part of the budget.
 */
extern int deal_piles_for(double bytes, int processes, bool ordered, Size budget);

extern Size deal_shared_size(int processes, int piles, bool ordered);

/*
 * Made by the process that launches others, with memory for so many bytes of rows; found by these; begun anew.  The
 * piles are those of a hash, or, `ordered`, ranges of an order, of which there are as many as the rows turn out to
 * need. A process has a `budget` of its own.
 */
extern Deal *deal_create(MemoryContext memory, DealShared *shared, ParallelContext *context, int piles, bool ordered,
						 Size budget);
extern Deal *deal_attach(MemoryContext memory, DealShared *shared);
extern void	 deal_reset(Deal *deal);

/* Begins to deal rows that are laid out as `like`, and says what there is to do. */
extern DealPhase deal_begin(Deal *deal, const Rows *like, const DealKey *key, int keys);

/*
 * Ranges: this process holds so many bytes of rows, and one of 2^level of its rows is a sample.  When all have said so,
 * it is known how many ranges there are, and the level of all: the highest.
 */
extern int deal_agree(Deal *deal, double bytes, int level);

/* Ranges: shows samples of the rows to all processes, and has those of all in their place, the same everywhere. */
extern void deal_samples(Deal *deal, Rows *samples);

extern int deal_piles(const Deal *deal);

/* Deals rows by their hash, or n of them to the piles that are said; best some thousands at once. */
extern void deal_rows(Deal *deal, const Rows *rows);
extern void deal_rows_to(Deal *deal, const Rows *rows, int64 from, int64 n, const uint32 *to);

/* There are no more rows here: waits until there are none anywhere. */
extern void deal_finish(Deal *deal);

/* Takes a pile that nobody has, the first one; false: there is none. */
extern bool deal_next_pile(Deal *deal);

/* Appends some of the pile's rows, which it has no more; false: it is empty. */
extern bool deal_pull(Deal *deal, Rows *rows);

/* The range that was taken last. */
extern int deal_taken(const Deal *deal);

/* Whether no range after it has any rows. */
extern bool deal_range_is_last(const Deal *deal);

/* The last range before the one that was taken that has any rows; -1: there is none. */
extern int deal_range_before(const Deal *deal);

/*
 * Hands over what comes after the range that was taken; what was handed over after another: waits for it.  It is there
 * until the next call.
 */
extern void		   deal_hand_over(Deal *deal, ChainKind kind, const void *bytes, Size size);
extern const void *deal_handed_over(Deal *deal, ChainKind kind, int range);

/* Lets go of files, to begin anew. */
extern void deal_leave(Deal *deal);

extern DealReport deal_report(const DealShared *shared);

#endif /* SCAN_EXCHANGE_REPARTITION_H */
