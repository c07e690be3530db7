/*
 * compare.h: the order of a key's values, and which of two rows comes first by their keys.
 *
 * Where a row's keys are numbers they are sorted as such (key.c); these comparisons are for the
 * rest: values whose numbers do not tell all, runs that are merged, a row against the last one
 * that is wanted.
 */
#ifndef SCAN_SORT_COMPARE_H
#define SCAN_SORT_COMPARE_H

#include "postgres.h"

#include "utils/sortsupport.h"

#include "column/rows.h"

typedef struct KeyOrder
{
	Oid	 sort_operator; /* < or > of a btree operator class */
	Oid	 collation;
	bool nulls_first;
} KeyOrder;

/* Finds the comparison of a key's values, in the current memory context; `column`: of the rows, if they are compared.
 */
static inline void
compare_prepare(SortSupport support, const KeyOrder *order, int column, bool abbreviate)
{
	*support = (SortSupportData){.ssup_cxt = CurrentMemoryContext,
								 .ssup_collation = order->collation,
								 .ssup_nulls_first = order->nulls_first,
								 .ssup_attno = column + 1,
								 .abbreviate = abbreviate};
	PrepareSortSupportFromOrderingOp(order->sort_operator, support);
}

/* Below 0, 0, above 0 as row i of `a` comes before, with or after row j of `b`, by so many keys. */
static inline int
compare_rows(SortSupportData *support, int keys, const Rows *a, int64 i, const Rows *b, int64 j)
{
	for (int k = 0; k < keys; k++)
	{
		int	  column = support[k].ssup_attno - 1;
		bool  x_isnull, y_isnull;
		Datum x = column_get(&a->column[column].data, i, &x_isnull);
		Datum y = column_get(&b->column[column].data, j, &y_isnull);
		int	  order = ApplySortComparator(x, x_isnull, y, y_isnull, &support[k]);

		if (order != 0)
			return order;
	}
	return 0;
}

#endif /* SCAN_SORT_COMPARE_H */
