/*
 * column.h: a column that rows are sorted by, as every file of the sort sees it.
 */
#ifndef SCAN_SORT_COLUMN_H
#define SCAN_SORT_COLUMN_H

#include "postgres.h"

#include "sort/compare.h"

typedef struct SortColumn
{
	const Column *data; /* a value a row, one after the other */
	KeyOrder	  order;
	bool		  expendable; /* nobody wants the values when the order is known */
} SortColumn;

#endif /* SCAN_SORT_COLUMN_H */
