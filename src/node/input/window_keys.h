/*
 * window_keys.h: the keys of the window: those of PARTITION BY, then those of ORDER BY.
 *
 * exec/begin.c fills them in.  All parts of the input that put rows in order, or find their boundaries, read them.
 */
#ifndef SCAN_NODE_INPUT_WINDOW_KEYS_H
#define SCAN_NODE_INPUT_WINDOW_KEYS_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/sortsupport.h"

#include "sort/sort_column.h"

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

#endif /* SCAN_NODE_INPUT_WINDOW_KEYS_H */
