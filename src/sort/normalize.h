/*
 * normalize.h: a sort key as numbers that tell its order, or as much of it as they can.
 */
#ifndef SCAN_SORT_NORMALIZE_H
#define SCAN_SORT_NORMALIZE_H

#include "postgres.h"

#include "column/pool.h"
#include "sort/bit_pack.h"
#include "sort/sort_column.h"

typedef struct SortKey
{
	const SortColumn *column;
	Pack			  pack;
	bool			  exact;   /* equal numbers are equal values; else `support` compares these */
	bool			  guessed; /* `guess` is likely to tell their order, and never to be trusted */
	Pack			  guess;
	SortSupportData	  support;
} SortKey;

/* Finds the numbers of n rows, of at most `bits` bits where there is a choice, and their range. */
extern void normalize_key(SortKey *key, const SortColumn *column, int64 n, int bits, Pool *pool);

/* Gives back the arrays of numbers. */
extern void normalized_free(SortKey *key, Pool *pool);

/* What numbers the values of such an order are as they are; PACK_NULLS: none. */
extern PackKind normalized_kind(const KeyOrder *order);

/* The same, and whether the order is that of the numbers or the reverse. */
extern PackKind normalized_kind_of(const KeyOrder *order, bool *descending);

#endif /* SCAN_SORT_NORMALIZE_H */
