/*
 * sort_column.h: a column that rows are sorted by, as all files of the sort know it.
 */
#ifndef SCAN_SORT_SORT_COLUMN_H
#define SCAN_SORT_SORT_COLUMN_H

#include "postgres.h"

#include "sort/compare.h"

/*
 * How to restore the values of a key from the words that rows were sorted by (sort_order.h): the key's number in a word
 * is (word >> shift) & mask, its value (number * unit + base) ^ flip.
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
	bool		  expendable;  /* the sort may discard the values, unless `restored` and the words do not have them */
	bool		  restored;	   /* the caller restores the values from words, if they have them */
	int			  restored_as; /* if so: where in SortOrder.unpack the sort says how */
} SortColumn;

#endif /* SCAN_SORT_SORT_COLUMN_H */
