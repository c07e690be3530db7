/*
 * column.h: a column that rows are sorted by, as every file of the sort sees it.
 */
#ifndef SCAN_SORT_COLUMN_H
#define SCAN_SORT_COLUMN_H

#include "postgres.h"

typedef struct SortColumn
{
	const Datum *value; /* a value a row, narrow ones as a stored tuple has them */
	const bool	*isnull;
	bool		 may_be_null;	/* false: isnull need not be looked at */
	int16		 length;		/* of the type, */
	bool		 by_value;		/* and whether it is in its Datum */
	Oid			 sort_operator; /* < or > of a btree operator class */
	Oid			 collation;
	bool		 nulls_first;
} SortColumn;

#endif /* SCAN_SORT_COLUMN_H */
