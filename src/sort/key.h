/*
 * key.h: sorts rows by their keys, and marks where a partition or peer group begins.
 *
 * The plan node stores its input in columns (column/rows.h), and gets the order of the rows here.  A key of any type is
 * turned into numbers as far as numbers can tell its order, and the numbers are sorted by radix.  The operator class
 * compares only what the numbers cannot tell apart.
 */
#ifndef SCAN_SORT_KEY_H
#define SCAN_SORT_KEY_H

#include "postgres.h"

#include "column/memory.h"
#include "sort/order.h"
#include "sort/radix.h"

/* What to sort. */
typedef struct SortRequest
{
	int				   columns;
	const SortColumn  *column;
	int				   partition; /* number of first columns that are PARTITION BY keys */
	int64			   n;		  /* number of rows, at most PG_UINT32_MAX */
	Pool			  *pool;	  /* for the order's arrays and for working memory */
	const WordSorter  *sorter;	  /* sorts words by their bits */
	struct FusedScans *scans;	  /* scans that `sorter` may run over the rows while it sorts; NULL: none */

	/* The order may be one of words, if keys are restored from them.  Then the caller has allocated order->unpack. */
	bool keeps_words;
} SortRequest;

/*
 * Sorts the rows of a request, and fills in their order; equal rows keep the order of the input.  NULL is equal to
 * NULL.  Can be cancelled, and passes on errors of comparisons.  Its working memory comes from the pool and the current
 * context, and is freed.
 */
extern void sort_rows(const SortRequest *request, SortOrder *order);

/*
 * Returns the bytes per row that a sort by such columns takes beside the columns, its result included.  Subtracted are
 * the bytes of expendable columns that are certain to be discarded before the sort takes the most memory.
 */
extern double sort_row_bytes(const SortColumn *column, int columns);

#endif /* SCAN_SORT_KEY_H */
