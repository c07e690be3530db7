/*
 * compare.h: compares the values of a key, and two rows by all of their keys.
 *
 * Keys that are numbers are sorted as such (key.c).  These comparisons are for all else: values whose numbers do not
 * tell their whole order, the merge of runs, a row against the last one wanted.
 */
#ifndef SCAN_SORT_COMPARE_H
#define SCAN_SORT_COMPARE_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/sortsupport.h"

#include "column/rows.h"
#include "column/type.h"

/* The order of a key's values.  The catalog is asked once, by key_order(); copies share what it has found. */
typedef struct KeyOrder
{
	Oid	 sort_operator; /* < or > of a btree operator class */
	Oid	 collation;		/* C's, if the key's orders by bytes as well */
	bool nulls_first;
	bool descending; /* sort_operator is > */

	const TypeInfo *known;		/* what is known of the comparison function; never NULL */
	FmgrInfo	   *support;	/* the operator class's sort support function; NULL: there is none */
	FmgrInfo	   *comparison; /* its comparison function; NULL: the class, or this function, is not in the catalog */
} KeyOrder;

/* Looks an order up.  Its memory is the current context's, which must live as long as all copies of the order. */
extern KeyOrder key_order(Oid sort_operator, Oid collation, bool nulls_first);

/*
 * Prepares the comparison of a key's values; its memory is the current context's.  Raises an error if the values cannot
 * be compared.  `column`: the key's column, for compare_rows().
 */
extern void compare_prepare(SortSupport support, const KeyOrder *order, int column, bool abbreviate);

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
