/*
 * partition_table.h: finds the row of a partition that is held, by the keys of another row.
 *
 * filter.c holds one row of each partition while rows come in no order: its first one so far, or the last one that is
 * wanted.  A row that comes is compared with it.  The table is core's simplehash, half full at the most: with a few
 * thousand partitions most rows find their entry at the first look, and the table stays in a cache.
 *
 * Partitions are told apart by the bytes of their keys.  Equal values may have different bytes (1.0 and 1.00), so a
 * partition may have several entries; the sort that follows brings its rows together.
 *
 * One key of PARTITION BY that is passed by value is compared as it is, and one key of ORDER BY by its number, where
 * numbers tell its order (integers, times): an entry has both.  Other keys are compared where the rows lie.
 */
#ifndef SCAN_NODE_INPUT_PARTITION_TABLE_H
#define SCAN_NODE_INPUT_PARTITION_TABLE_H

#include "postgres.h"

#include "column/rows.h"
#include "node/input/window_keys.h"

/* An entry of the table: the row of a partition that is held. */
typedef struct PartitionRow
{
	uint64 key;		   /* PartitionTable.by_datum: the partition's key; else the row's position */
	uint64 number;	   /* by_number: of the row's key of ORDER BY (window_keys.h) */
	uint32 row;		   /* the row's position */
	uint32 hash : 31;  /* of the partition's keys */
	uint32 status : 1; /* simplehash's */
} PartitionRow;

typedef struct PartitionTable
{
	MemoryContext		   memory;
	const WindowKeys	  *keys; /* with their comparisons */
	struct partition_hash *entries;
	bool				   by_datum;  /* one key of PARTITION BY, whose Datums tell it, and no NULL so far */
	bool				   by_number; /* one key of ORDER BY, whose numbers tell its order, and no NULL so far */

	/* the rows that are held, and a batch of rows that are looked up */
	const Rows *rows;
	const Rows *batch;
	int64		room;	/* rows for which the arrays have room */
	uint32	   *hash;	/* of each row of the batch */
	uint64	   *key;	/* of each row of the batch, to look it up by: the partition's if by_datum, else its position */
	uint64	   *number; /* of each row of the batch, if by_number */
} PartitionTable;

/* Creates a table for rows with such keys, in memory of its own below `parent`. */
extern PartitionTable *partition_table_create(const WindowKeys *keys, MemoryContext parent);

/* Empties the table, and makes room for so many partitions, for which it takes partition_table_bytes(). */
extern void partition_table_reset(PartitionTable *table, int64 partitions);
extern Size partition_table_bytes(int64 partitions);

/* Returns the bytes that the table takes now. */
extern Size partition_table_size(const PartitionTable *table);

/* Holds row i of `rows`, whose partition has no entry. */
extern void partition_table_put(PartitionTable *table, const Rows *rows, int64 i);

/* Readies the table to look up the rows of a batch, while the rows that are held are in `rows`. */
extern void partition_table_begin_batch(PartitionTable *table, const Rows *rows, const Rows *batch);

/* simplehash's struct; partition_table.c has its functions. */
#define SH_PREFIX partition
#define SH_ELEMENT_TYPE PartitionRow
#define SH_KEY_TYPE uint64
#define SH_SCOPE extern
#define SH_DECLARE
#include "lib/simplehash.h"

/* What the inline functions below call for keys that do not decide by themselves. */
extern PartitionRow *partition_table_search(const PartitionTable *table, int64 i);
extern int			 partition_table_compare_keys(const PartitionTable *table, const PartitionRow *entry, int64 i);

/* Returns the entry where the search for the batch's row i begins. */
static inline PartitionRow *
partition_table_begin(const PartitionTable *table, int64 i)
{
	return &table->entries->data[table->hash[i] & table->entries->sizemask];
}

/* Returns the entry of the partition of the batch's row i; NULL: there is none. */
static inline PartitionRow *
partition_table_find(const PartitionTable *table, int64 i)
{
	PartitionRow *entry = partition_table_begin(table, i);

	/* most rows find it at once, and without a call */
	if (table->by_datum && entry->key == table->key[i] && entry->status != 0)
		return entry;
	return partition_table_search(table, i);
}

/* Makes an entry for the batch's row i, whose partition has none; the row will be row `at` of those held. */
extern void partition_table_add(PartitionTable *table, int64 i, int64 at);

/* Returns a number below, at or above 0 if the batch's row i comes before, with or after the row of an entry. */
static inline int
partition_table_compare(const PartitionTable *table, const PartitionRow *entry, int64 i)
{
	if (table->by_number)
		return table->number[i] < entry->number ? -1 : table->number[i] > entry->number;
	return partition_table_compare_keys(table, entry, i);
}

/* True if rows that are held are looked at, and not only their entries. */
static inline bool
partition_table_reads_rows(const PartitionTable *table)
{
	return !(table->by_datum && table->by_number) && table->rows->stride > 0;
}

/*
 * Fetches ahead the row that the batch's row i will be compared with; only if partition_table_reads_rows().  Always
 * inlined: see prefetch_rows() in sorted_block.c.
 */
static pg_attribute_always_inline void
partition_table_prefetch(const PartitionTable *table, int64 i)
{
	const PartitionRow *entry = partition_table_begin(table, i);

	if (entry->status != 0)
		__builtin_prefetch(table->rows->cells + (Size) entry->row * table->rows->stride);
}

#endif /* SCAN_NODE_INPUT_PARTITION_TABLE_H */
