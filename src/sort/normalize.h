/*
 * normalize.h: turns a sort key into numbers that tell its order, or as much of it as numbers can.
 */
#ifndef SCAN_SORT_NORMALIZE_H
#define SCAN_SORT_NORMALIZE_H

#include "postgres.h"

#include "column/memory.h"
#include "sort/bit_pack.h"
#include "sort/order.h"

typedef struct SortKey
{
	const SortColumn *column;
	Pack			  pack;
	/* equal numbers are equal values; if false, `support` compares the values of equal numbers */
	bool exact;
	/* `guess` has numbers that are likely to be in the values' order; the values must still be compared */
	bool			guessed;
	Pack			guess;
	SortSupportData support;
} SortKey;

/*
 * Finds the numbers of n rows and their range.  Numbers of strings have at most `bits` bits.  Arrays come from the
 * pool.
 */
extern void normalize_key(SortKey *key, const SortColumn *column, int64 n, int bits, Pool *pool);

/* Frees the arrays of numbers. */
extern void normalized_free(SortKey *key, Pool *pool);

/* Returns the kind of number that the values of such an order are themselves; PACK_NULLS: they are not numbers. */
extern PackKind normalized_kind(const KeyOrder *order);

#endif /* SCAN_SORT_NORMALIZE_H */
