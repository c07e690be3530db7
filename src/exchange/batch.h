/*
 * batch.h: batches of rows, on which some processes put rows that others take.
 *
 * exchange/repartition.c decides which rows go to which batch, and knows when all rows are there.  Rows are put some at
 * a time, in memory that the processes share (area.h), or in a file of the process where the memory is used up.
 */
#ifndef SCAN_EXCHANGE_BATCH_H
#define SCAN_EXCHANGE_BATCH_H

#include "postgres.h"

#include "access/parallel.h"

#include "column/rows.h"

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

#endif /* SCAN_EXCHANGE_BATCH_H */
