/*
 * sort_order.h: the order of rows that a sort has found: which row is at which position, and where units begin.
 *
 * sort_rows() (key.h) fills a SortOrder.  Rows themselves are not moved: whoever reads them in order asks here for
 * their numbers.  Where a key can be recomputed from the words that were sorted, the words are kept in place of row
 * numbers: they lie in order, so such a key is not gathered from all over the memory.  A reader that only asks for row
 * numbers need not know which of both there are.
 */
#ifndef SCAN_SORT_SORT_ORDER_H
#define SCAN_SORT_SORT_ORDER_H

#include "postgres.h"

#include "column/memory.h"
#include "sort/sort_column.h"

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

/* Frees the order's arrays, which are of `pool`. */
static inline void
sort_order_free(SortOrder *order, Pool *pool)
{
	pool_free(pool, order->kind == ORDER_ROWS ? (void *) order->rows : (void *) order->words);
	pool_free(pool, order->heads);
	pool_free(pool, order->peers);
}

#endif /* SCAN_SORT_SORT_ORDER_H */
