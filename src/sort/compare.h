/*
 * compare.h: compares the values of a key, and two rows by all of their keys.
 *
 * Keys that are numbers are sorted as such (key.c).  These comparisons are for all else: values whose numbers
 * do not tell their whole order, the merge of runs, a row against the last one wanted.
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

/*
 * Finds the comparison of a key's values; its memory is the current context's.  `column`: the key's column, for
 * compare_rows().
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

/* Compares row i of `a` with row j of `b` by their first `keys` keys: returns a number below 0, 0 or above 0. */
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
