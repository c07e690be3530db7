/*
 * key.h: sorts rows by their keys, and marks where a partition or peer group begins.
 *
 * The plan node stores its input in columns (column/rows.h), and gets the order of the rows here.  A key of any
 * type is turned into numbers as far as numbers can tell its order, and the numbers are sorted by radix.  The
 * operator class compares only what the numbers cannot tell apart.
 */
#ifndef SCAN_SORT_KEY_H
#define SCAN_SORT_KEY_H

#include "postgres.h"

#include "column/pool.h"
#include "sort/sort_column.h"
#include "sort/words.h"

/* A sort and its result.  The caller allocates `head` and `peer`, a bit for each row. */
typedef struct SortRequest
{
	int					columns;
	const SortColumn   *column;
	int					partition; /* number of first columns that are PARTITION BY keys */
	int64				n;		   /* number of rows, at most PG_UINT32_MAX */
	uint8			   *head;	   /* bit set: the row at this position begins a partition */
	uint8			   *peer;	   /* bit set: the row at this position differs from the one before in some key */
	Pool			   *pool;	   /* for the result and for working memory */
	const WordSorter   *sorter;	   /* sorts words by their bits */
	struct SortedScans *scans;	   /* scans that `sorter` may run over the rows while it sorts; NULL: none */
	/* true: `words` may be returned in place of `order`, so that keys can be restored from them (SortColumn.unpack) */
	bool keeps;

	/* the result, an array of the pool; equal rows keep the order of the input */
	uint32 *order;	  /* row numbers in sorted order; NULL: `words` has them */
	uint64 *words;	  /* the sorted words, or NULL */
	uint64	row_mask; /* the bits of a word that are the row's number */

	/* for EXPLAIN: bits of the packed keys; 0: the keys were compared */
	int bits;
} SortRequest;

/*
 * Sorts the rows of a request.  NULL is equal to NULL.  Can be cancelled, and passes on errors of comparisons.
 * Its working memory comes from the pool and the current context, and is freed.
 */
extern void sort_rows(SortRequest *request);

/*
 * Returns the bytes per row that a sort by such columns takes beside the columns, its result included.
 * Subtracted are the bytes of expendable columns that are certain to be discarded before the sort takes the
 * most memory.
 */
extern Size sort_row_bytes(const SortColumn *column, int columns);

#endif /* SCAN_SORT_KEY_H */
