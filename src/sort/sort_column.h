/*
 * sort_column.h: a column that rows are sorted by, as every file of the sort sees it.
 */
#ifndef SCAN_SORT_SORT_COLUMN_H
#define SCAN_SORT_SORT_COLUMN_H

#include "postgres.h"

#include "sort/compare.h"

/* How the values of a key are had back from the words that rows were sorted by (key.h). */
typedef struct Unpack
{
	bool   whole; /* the words have all of the key; else it has to be had from its column */
	bool   has_nulls;
	int	   shift; /* where the key's number is in a word, */
	uint64 mask;
	uint64 null_number;
	uint64 unit, base, flip; /* and what makes its value of it */
} Unpack;

typedef struct SortColumn
{
	const Column *data; /* a value a row, one after the other */
	KeyOrder	  order;
	bool		  expendable; /* when the order is known the values may go, */
	Unpack		 *unpack;	  /* if they can be had back as this will say; NULL: nobody wants them then */
} SortColumn;

#endif /* SCAN_SORT_SORT_COLUMN_H */
