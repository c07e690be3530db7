/*
 * batch.h: piles of rows, put there by some processes and taken by others.
 *
 * exchange/repartition.c says which rows go to which pile, and when all are there.  Rows are put some at a time, to
 * memory that the processes share (area.h), or to a file of the process's where that is used up.
 */
#ifndef SCAN_EXCHANGE_BATCH_H
#define SCAN_EXCHANGE_BATCH_H

#include "postgres.h"

#include "access/parallel.h"

#include "column/rows.h"

/* The shared part. */
typedef struct PilesShared PilesShared;

/* What a process has of it. */
typedef struct Piles
{
	PilesShared		*shared;
	int				 number; /* of this process */
	MemoryContext	 memory;
	struct Area		*area;
	struct BufFile	*file;	  /* what this process writes to, */
	struct BufFile **files;	  /* and those that it reads; NULL: none yet */
	int64			 bytes;	  /* put in memory, */
	int64			 spilled; /* and in the file */
} Piles;

extern Size piles_shared_size(int processes, int piles);

/* Made by the process that launches others, with memory for so many bytes; and found by these. */
extern void piles_create(Piles *piles, MemoryContext memory, PilesShared *shared, ParallelContext *context, int count,
						 Size budget);
extern bool piles_attach(Piles *piles, MemoryContext memory, PilesShared *shared); /* false: it must take no part */

/* How many there are. */
extern int piles_count(const PilesShared *shared);

/* Puts rows on a pile, and forgets them here. */
extern void piles_put(Piles *piles, int pile, Rows *rows);

/* Puts rows that all processes are to look at on a pile; false: there is no memory that they share. */
extern bool piles_show(Piles *piles, int pile, const Rows *rows);

/* Appends the rows that were shown on a pile. */
extern void piles_look(const Piles *piles, int pile, Rows *rows);

/* Whether any rows have been put on a pile. */
extern bool piles_have(const Piles *piles, int pile);

/* This process puts no more: others may take what it has put as soon as they know. */
extern void piles_finish(Piles *piles);

/* Takes some rows off a pile, which nobody else takes from, and appends them; false: there are none left. */
extern bool piles_take(Piles *piles, int pile, Rows *rows);

/*
 * Keeps bytes for another process to read, once: in memory, or in a file of that name if they are many or there is none
 * left.  Whoever has the place has them where they lie, or a copy in the current context: `is_copy`.
 */
extern uint64	   piles_store(Piles *piles, const char *name, const void *bytes, Size size);
extern const void *piles_fetch(Piles *piles, const char *name, uint64 place, bool *is_copy);

/* Lets go of the files that are read. */
extern void piles_leave(Piles *piles);

/* Forgets all rows: there is no other process any more. */
extern void piles_reset(Piles *piles);

#endif /* SCAN_EXCHANGE_BATCH_H */
