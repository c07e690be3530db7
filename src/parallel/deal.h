/*
 * deal.h: the rows of several processes, dealt to piles, so that each partition is in one pile.
 *
 * node/rows/sorted.c deals the rows that its process reads, and takes piles of the rows of all.  Every
 * process does the same; none is special, and any number of them finishes: whoever comes
 * before the last row is dealt helps and waits for the others who do, whoever comes later takes piles.
 */
#ifndef SCAN_PARALLEL_DEAL_H
#define SCAN_PARALLEL_DEAL_H

#include "postgres.h"

#include "access/parallel.h"

#include "column/rows.h"

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

/* What became of it, for EXPLAIN. */
typedef struct DealReport
{
	int	  participants; /* who dealt rows, or took a pile */
	int	  piles;
	int64 rows;
	int64 bytes;   /* of them in shared memory, */
	int64 spilled; /* and in files */
} DealReport;

extern Size deal_shared_size(int processes, int piles);

/* Made by the process that launches others, with memory for so many bytes of rows; found by these; begun anew. */
extern Deal *deal_create(MemoryContext memory, DealShared *shared, ParallelContext *context, int piles, Size budget);
extern Deal *deal_attach(MemoryContext memory, DealShared *shared);
extern void	 deal_reset(Deal *deal);

/* Begins to deal rows that are laid out as `like`; false: all are dealt already. */
extern bool deal_begin(Deal *deal, const Rows *like, const DealKey *key, int keys);

/* Deals some rows. */
extern void deal_rows(Deal *deal, const Rows *rows);

/* There are no more rows here: waits until there are none anywhere. */
extern void deal_finish(Deal *deal);

/* Takes a pile that nobody has; false: there is none. */
extern bool deal_next_pile(Deal *deal);

/* Appends some of the pile's rows, which it has no more; false: it is empty. */
extern bool deal_pull(Deal *deal, Rows *rows);

/* Lets go of files, to begin anew. */
extern void deal_leave(Deal *deal);

extern DealReport deal_report(const DealShared *shared);

#endif /* SCAN_PARALLEL_DEAL_H */
