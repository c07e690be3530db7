/*
 * window_keys.h: the keys of the window, those of PARTITION BY and then those of ORDER BY, and what they tell of rows
 * that lie beside each other.
 *
 * exec/begin.c fills the keys in.  All parts of the input that put rows in order, or find their boundaries, read them.
 */
#ifndef SCAN_NODE_INPUT_WINDOW_KEYS_H
#define SCAN_NODE_INPUT_WINDOW_KEYS_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/execnodes.h"
#include "utils/sortsupport.h"

#include "column/block.h"
#include "column/rows.h"
#include "sort/sort_column.h"
#include "sort/sort_order.h"

typedef struct WindowKey
{
	int		 column; /* the column of the rows that it is in */
	FmgrInfo equal;
	bool	 by_datum; /* equal Datums are equal values, and the reverse */
	KeyOrder order;
} WindowKey;

typedef struct WindowKeys
{
	int			  n;
	int			  partition; /* number of first keys that are of PARTITION BY */
	WindowKey	 *key;
	SortSupport	  compare; /* the keys' comparisons; NULL until window_keys_prepare() */
	MemoryContext memory;  /* of `compare`: lives as long as the node */
} WindowKeys;

/* Looks the order of a key up in the catalog.  Its memory is the current context's, which must be the node's. */
extern void window_key_set_order(WindowKey *key, Oid sort_operator, Oid collation, bool nulls_first);

/* Fills in keys->compare, once: for rows that are merged, or compared with others. */
extern void window_keys_prepare(WindowKeys *keys);

/* ---- boundaries: the rows at which partitions and peer groups begin ---- */

/* Makes room for n rows in the block's `head` and `peer`. */
extern void boundaries_reserve(Block *block, int64 n);

/*
 * Fills `head` and `peer` of the block's rows from row `from` on; if that is row 0, it is the input's first row.
 * Comparisons leave their garbage in the per-tuple memory of `econtext`, which is reset.
 */
extern void boundaries_mark(const WindowKeys *keys, ExprContext *econtext, Block *block, int64 from);

/* Sorted input: returns the first position from `from` on at which a unit starts; the end of the order if none does. */
extern int64 boundaries_next_unit(const SortOrder *order, Lookahead unit, int64 from);

/* ---- what numbers tell of the order of rows, without a sort ---- */

/*
 * Computes a number of key k for each of n rows from row `from` on.  Of two rows that are equal in keys 0 to k - 1, the
 * one that comes first in window order has the smaller number, or both numbers are equal.
 */
extern void number_rows(const WindowKeys *keys, int k, const Rows *rows, int64 from, int64 n, uint64 *number);

/* True if the rows are in window order.  window_keys_prepare() must have been called, here and below. */
extern bool rows_are_in_order(const WindowKeys *keys, const Rows *rows);

/* Fills in the order, as sort_rows() would, of rows that are in window order. */
extern void order_of_ordered_rows(const WindowKeys *keys, const Rows *rows, SortOrder *order);

#endif /* SCAN_NODE_INPUT_WINDOW_KEYS_H */
