/*
 * true_counts.h: counts of true bits before each row of a block, where a job counts them faster than a loop.
 *
 * node/evaluate/compaction.c makes both of its functions of them: the counts say where each kept value goes and which
 * number each row has.  Its own loops, which count while they move or number, need no such column.
 */
#ifndef SCAN_RUN_TRUE_COUNTS_H
#define SCAN_RUN_TRUE_COUNTS_H

#include "postgres.h"

#include "column/block.h"
#include "column/column.h"

/* Returns the bit at row i: a NULL is stored as false. */
static inline bool
bit_at(const Column *bits, int64 i)
{
	return bits->value[i * bits->stride] != 0;
}

/* The true bits that a job counted in a block, from row `from` of the block on. */
typedef struct TrueCounts
{
	MemoryContext memory; /* of the job; reset before the next one */
	const int64	 *before; /* [i - from]: the true bits of rows `from` to i - 1; NULL: no job counted the block */
	int64		  from;
} TrueCounts;

/* Prepares for counts; their memory comes from a context below `query`. */
extern TrueCounts true_counts_create(MemoryContext query);

/* Counts the true bits of the rows from `from` to the block's end, if a job is faster than the caller's loop. */
extern void true_counts_make(TrueCounts *counts, const Column *bits, const Block *block, int64 from);

/* Returns how many rows a block should have for such a job. */
extern int64 true_counts_preferred_rows(void);

/* Returns the counted bits before row i. */
static inline int64
trues_before(const TrueCounts *counts, int64 i)
{
	return counts->before[i - counts->from];
}

#endif /* SCAN_RUN_TRUE_COUNTS_H */
