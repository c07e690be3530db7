/*
 * partition_hash.h: hashes and compares the partition keys of rows, by their bytes.
 *
 * top_rows.c and first_row.c look partitions up in tables.  Equal values may have different bytes (1.0 and 1.00), so a
 * partition may have several entries in a table; the sort that follows brings its rows together.
 */
#ifndef SCAN_NODE_INPUT_PARTITION_HASH_H
#define SCAN_NODE_INPUT_PARTITION_HASH_H

#include "postgres.h"

#include "common/hashfn.h"
#include "utils/datum.h"

#include "column/rows.h"
#include "node/input/window_keys.h"

static inline const Column *
partition_column(const WindowKeys *keys, const Rows *rows, int k)
{
	return &rows->column[keys->key[k].column].data;
}

static inline uint32
value_hash(const Column *column, Datum value)
{
	if (column->by_value)
		return murmurhash32((uint32) value ^ murmurhash32((uint32) ((uint64) value >> 32)));
	return hash_bytes((const unsigned char *) DatumGetPointer(value), (int) datumGetSize(value, false, column->length));
}

static inline uint32
partition_hash(const WindowKeys *keys, const Rows *rows, int64 i)
{
	uint32 hash = 0;

	for (int k = 0; k < keys->partition; k++)
	{
		const Column *column = partition_column(keys, rows, k);
		bool		  isnull;
		Datum		  value = column_get(column, i, &isnull);

		hash = hash_combine(hash, isnull ? 0 : value_hash(column, value));
	}
	return hash;
}

/* True if row i of `a` and row j of `b` have the same bytes in the partition keys. */
static inline bool
same_partition(const WindowKeys *keys, const Rows *a, int64 i, const Rows *b, int64 j)
{
	for (int k = 0; k < keys->partition; k++)
	{
		const Column *column = partition_column(keys, a, k);
		bool		  x_isnull, y_isnull;
		Datum		  x = column_get(column, i, &x_isnull);
		Datum		  y = column_get(partition_column(keys, b, k), j, &y_isnull);

		if (x_isnull != y_isnull ||
			(column->by_value ? x != y : !x_isnull && !datumIsEqual(x, y, false, column->length)))
			return false;
	}
	return true;
}

#endif /* SCAN_NODE_INPUT_PARTITION_HASH_H */
