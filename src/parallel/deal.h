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
#include "utils/dsa.h"

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

/* The shared part: its size, made in the process that launches the others, begun anew for a rescan, and found. */
extern Size	 deal_shared_size(int processes, int piles);
extern void	 deal_shared_create(DealShared *shared, ParallelContext *context, int piles);
extern void	 deal_shared_reset(DealShared *shared, dsa_area *area);
extern Deal *deal_attach(MemoryContext memory, DealShared *shared, bool worker);

/*
 * Begins to deal rows that are laid out as `like`; false: all are dealt already.  At most so many bytes of them
 * stay in the query's shared memory, `area`.
 */
extern bool deal_begin(Deal *deal, dsa_area *area, Size budget, const Rows *like, const DealKey *key, int keys);

/* Deals some rows. */
extern void deal_rows(Deal *deal, const Rows *rows);

/* There are no more rows here: waits until there are none anywhere. */
extern void deal_finish(Deal *deal);

/* Takes a pile that nobody has; false: there is none. */
extern bool deal_next_pile(Deal *deal, dsa_area *area);

/* Appends some of the pile's rows, which it has no more; false: it is empty. */
extern bool deal_pull(Deal *deal, Rows *rows);

/* Lets go of files and memory, to begin anew. */
extern void deal_leave(Deal *deal);

extern DealReport deal_report(const DealShared *shared);

#endif /* SCAN_PARALLEL_DEAL_H */
