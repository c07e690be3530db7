/*
 * key.h: the order of rows by sort keys, and where it starts a new group.
 *
 * The plan node lays its input down in columns (column/rows.h), and asks here for
 * the order of the rows.  Keys of numbers and times are packed into words that
 * compare as the keys do and sorted by radix; any other type is compared by its own
 * operator class.
 */
#ifndef SCAN_SORT_KEY_H
#define SCAN_SORT_KEY_H

#include "postgres.h"

typedef struct SortColumn
{
	const Datum *value; /* a value a row, narrow ones as a stored tuple has them */
	const bool	*isnull;
	Oid			 sort_operator; /* < or > of a btree operator class */
	Oid			 collation;
	bool		 nulls_first;
} SortColumn;

/* What is asked, and the answer, in arrays of n that are the caller's. */
typedef struct SortRequest
{
	int				  columns;
	const SortColumn *column;
	int				  partition; /* so many of the first columns make a partition */
	int64			  n;		 /* at most PG_UINT32_MAX */
	uint32			 *order;	 /* which row comes when; rows that are equal keep their order */
	bool			 *head;		 /* by place: the partition differs from the row before */
	bool			 *peer;		 /* or any key does */

	/* for EXPLAIN: bits of the packed keys; 0: compared */
	int bits;
} SortRequest;

/*
 * Answers a request.  NULL is equal to NULL.  Can be cancelled; errors of comparisons
 * come through; works in memory of the current context, which is given back.
 */
extern void sort_rows(SortRequest *request);

#endif /* SCAN_SORT_KEY_H */
