/*
 * sort_column.h: a column that rows are sorted by, as all files of the sort know it.
 */
#ifndef SCAN_SORT_SORT_COLUMN_H
#define SCAN_SORT_SORT_COLUMN_H

#include "postgres.h"

#include "sort/compare.h"

/*
 * How to restore the values of a key from the words that rows were sorted by (key.h): the key's number in a
 * word is (word >> shift) & mask, its value (number * unit + base) ^ flip.
 */
typedef struct Unpack
{
	bool   whole; /* the words contain the whole key; false: only its column has the values */
	bool   has_nulls;
	int	   shift; /* lowest bit of the key's number in a word */
	uint64 mask;
	uint64 null_number;
	uint64 unit, base, flip; /* from a number to its value */
} Unpack;

typedef struct SortColumn
{
	const Column *data; /* the value of each row */
	KeyOrder	  order;
	bool		  expendable; /* the sort may discard the values, if `unpack` is NULL or can restore them */
	Unpack		 *unpack;	  /* set by the sort: how to restore the values; NULL: the caller does not restore them */
} SortColumn;

#endif /* SCAN_SORT_SORT_COLUMN_H */
