/*
 * batch.h: batches of rows, put there by some processes and taken by others.
 *
 * exchange/repartition.c says which rows go to which batch, and when all are there.  Rows are put some at a time, to
 * memory that the processes share (area.h), or to a file of the process's where that is used up.
 */
#ifndef SCAN_EXCHANGE_BATCH_H
#define SCAN_EXCHANGE_BATCH_H

#include "postgres.h"

#include "access/parallel.h"

#include "column/rows.h"

/* The shared part. */
typedef struct BatchesShared BatchesShared;

/* What a process has of it. */
typedef struct Batches
{
	BatchesShared	*shared;
	int				 number; /* of this process */
	MemoryContext	 memory;
	struct Area		*area;
	struct BufFile	*file;	  /* what this process writes to, */
	struct BufFile **files;	  /* and those that it reads; NULL: none yet */
	int64			 bytes;	  /* put in memory, */
	int64			 spilled; /* and in the file */
} Batches;

extern Size batches_shared_size(int processes, int batches);

/* Made by the process that launches others, with memory for so many bytes; and found by these. */
extern void batches_create(Batches *batches, MemoryContext memory, BatchesShared *shared, ParallelContext *context,
						   int count, Size budget);
extern bool batches_attach(Batches *batches, MemoryContext memory,
						   BatchesShared *shared); /* false: it must take no part */

/* How many there are. */
extern int batches_count(const BatchesShared *shared);

/* Puts rows on a batch, and forgets them here. */
extern void batches_put(Batches *batches, int batch, Rows *rows);

/* Puts rows that all processes are to look at on a batch; false: there is no memory that they share. */
extern bool batches_show(Batches *batches, int batch, const Rows *rows);

/* Appends the rows that were shown on a batch. */
extern void batches_look(const Batches *batches, int batch, Rows *rows);

/* Whether any rows have been put on a batch. */
extern bool batches_have(const Batches *batches, int batch);

/* This process puts no more: others may take what it has put as soon as they know. */
extern void batches_finish(Batches *batches);

/* Takes some rows off a batch, which nobody else takes from, and appends them; false: there are none left. */
extern bool batches_take(Batches *batches, int batch, Rows *rows);

/*
 * Keeps bytes for another process to read, once: in memory, or in a file of that name if they are many or there is none
 * left.  Whoever has the place has them where they lie, or a copy in the current context: `is_copy`.
 */
extern uint64	   batches_store(Batches *batches, const char *name, const void *bytes, Size size);
extern const void *batches_fetch(Batches *batches, const char *name, uint64 place, bool *is_copy);

/* Lets go of the files that are read. */
extern void batches_leave(Batches *batches);

/* Forgets all rows: there is no other process any more. */
extern void batches_reset(Batches *batches);

#endif /* SCAN_EXCHANGE_BATCH_H */
