/*
 * key.h: the order of rows by sort keys, and where it starts a new group.
 *
 * The plan node lays its input down in columns (column/rows.h), and asks here for
 * the order of the rows.  Whatever the type, a key is turned into numbers as far as
 * they can tell its order, and these are sorted by radix; its operator class compares
 * only what they cannot tell apart.
 */
#ifndef SCAN_SORT_KEY_H
#define SCAN_SORT_KEY_H

#include "postgres.h"

#include "column/pool.h"
#include "sort/sort_column.h"
#include "sort/words.h"

/* What is asked, and the answer; the marks are the caller's arrays. */
typedef struct SortRequest
{
	int					columns;
	const SortColumn   *column;
	int					partition; /* so many of the first columns make a partition */
	int64				n;		   /* at most PG_UINT32_MAX */
	uint8			   *head;	   /* a bit a place: the partition differs from the row before */
	uint8			   *peer;	   /* or any key does */
	Pool			   *pool;	   /* for the order and what is needed meanwhile */
	const WordSorter   *sorter;	   /* who sorts words by their bits */
	struct SortedScans *scans;	   /* what that may run over the rows on the way; NULL: nothing */
	bool				keeps; /* `words` may stay in place of `order`, for keys to be had back (SortColumn.unpack) */

	/* which row comes when, an array of the pool; rows that are equal keep their order */
	uint32 *order;	  /* NULL: */
	uint64 *words;	  /* these have it */
	uint64	row_mask; /* in these bits */

	/* for EXPLAIN: bits of the packed keys; 0: compared */
	int bits;
} SortRequest;

/*
 * Answers a request.  NULL is equal to NULL.  Can be cancelled; errors of comparisons
 * come through; works in memory of the pool and the current context, which is given
 * back.
 */
extern void sort_rows(SortRequest *request);

/*
 * The bytes a row that a sort by such columns takes beside them, its answer among these; without
 * those of expendable columns that go for certain before the sort has most.
 */
extern Size sort_row_bytes(const SortColumn *column, int columns);

#endif /* SCAN_SORT_KEY_H */
