/*
 * order.h: what an order is: that of a key's values, that of rows by their keys, and the one that a sort has found.
 */
#ifndef SCAN_SORT_ORDER_H
#define SCAN_SORT_ORDER_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/sortsupport.h"

#include "column/memory.h"
#include "column/rows.h"
#include "column/type.h"

/* ---- compare.c: compares the values of a key, and two rows by all of their keys ---- */

/*
 * Keys that are numbers are sorted as such (key.c).  These comparisons are for all else: values whose numbers do not
 * tell their whole order, the merge of runs, a row against the last one wanted.
 */

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

/* ---- a column that rows are sorted by, as all files of the sort know it ---- */

/*
 * How to restore the values of a key from the words that rows were sorted by (SortOrder below): the key's number in a
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
	bool		  expendable;  /* the sort may discard the values, unless `restored` and the words do not have them */
	bool		  restored;	   /* the caller restores the values from words, if they have them */
	int			  restored_as; /* if so: where in SortOrder.unpack the sort says how */
} SortColumn;

/* ---- the order of rows that a sort has found: which row is at which position, and where units begin ---- */

/*
 * sort_rows() (key.h) fills a SortOrder.  Rows themselves are not moved: whoever reads them in order asks here for
 * their numbers.  Where a key can be recomputed from the words that were sorted, the words are kept in place of row
 * numbers: they lie in order, so such a key is not gathered from all over the memory.  A reader that only asks for row
 * numbers need not know which of both there are.
 */

typedef enum SortOrderKind
{
	ORDER_ROWS = 0, /* `rows` has row numbers; the only kind unless SortRequest.keeps_words */
	ORDER_WORDS,	/* `words` has row numbers below packed keys */
} SortOrderKind;

typedef struct SortOrder
{
	SortOrderKind kind;
	int64		  n;	 /* number of positions */
	uint8		 *heads; /* a bit for each position: a partition begins */
	uint8		 *peers; /* a bit for each position: the row differs from the one before in some key */
	union
	{
		uint32 *rows;  /* ORDER_ROWS: the row at each position */
		uint64 *words; /* ORDER_WORDS: packed keys and the row at each position */
	};
	uint64	row_mask; /* ORDER_WORDS: the bits of a word that are the row */
	Unpack *unpack;	  /* how to restore a key's values from words: at SortColumn.restored_as; memory of the caller */
	int		bits;	  /* for EXPLAIN: bits of the packed keys; 0: the keys were compared */
} SortOrder;

/* Returns the row at a position. */
static inline uint32
sort_order_row(const SortOrder *order, int64 i)
{
	return order->kind == ORDER_ROWS ? order->rows[i] : (uint32) (order->words[i] & order->row_mask);
}

/* Returns the rows at the n positions from `from` on: where they lie, or unpacked from their words to `room`. */
static inline const uint32 *
sort_order_rows(const SortOrder *order, int64 from, int n, uint32 *room)
{
	if (order->kind == ORDER_ROWS)
		return order->rows + from;
	for (int i = 0; i < n; i++)
		room[i] = (uint32) (order->words[from + i] & order->row_mask);
	return room;
}

/* Returns how the values of a key are restored from the order's words; NULL: only its column has them. */
static inline const Unpack *
sort_order_unpack(const SortOrder *order, int restored_as)
{
	return order->kind == ORDER_WORDS && order->unpack[restored_as].whole ? &order->unpack[restored_as] : NULL;
}

/*
 * Begins the order of n rows: an ORDER_ROWS without row numbers, whose first row alone is marked.  Its arrays are of
 * `pool`; `unpack` stays.
 */
extern void sort_order_begin(SortOrder *order, Pool *pool, int64 n);

/* Fills in the row numbers: the order of the input. */
extern void sort_order_number(SortOrder *order, Pool *pool);

/* Frees the order's arrays, which are of `pool`. */
static inline void
sort_order_free(SortOrder *order, Pool *pool)
{
	pool_free(pool, order->kind == ORDER_ROWS ? (void *) order->rows : (void *) order->words);
	pool_free(pool, order->heads);
	pool_free(pool, order->peers);
}

#endif /* SCAN_SORT_ORDER_H */
