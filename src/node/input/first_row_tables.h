/*
 * first_row_tables.h: holds the first row of each partition while rows come in no order: what filter.c calls.
 */
#ifndef SCAN_NODE_INPUT_FIRST_ROW_TABLES_H
#define SCAN_NODE_INPUT_FIRST_ROW_TABLES_H

#include "postgres.h"

#include "column/rows.h"
#include "node/input/sorting.h"

/* ---- partition_table.c: finds the row of a partition that is held, by the keys of another row ---- */

/*
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

/* An entry of the table: the row of a partition that is held. */
typedef struct PartitionRow
{
	uint64 key;		   /* PartitionTable.by_datum: the partition's key; else the row's position */
	uint64 number;	   /* by_number: of the row's key of ORDER BY (window_keys.c) */
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
	const Rows *rows, *batch;
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

/* ---- first_table.c: finds the first row of each of very many partitions, by numbers ---- */

/*
 * first_rows.c asks it where one key of PARTITION BY is passed by value, and the first key of ORDER BY, if there is
 * one, has numbers that compare as its values do.  An entry has the partition's key, the number of its first row so
 * far, and the row's position.  Three entries lie in a cache line.  So a row costs one cache miss, which is fetched
 * ahead together with those of the other rows of a batch.
 *
 * partition_table.c is for all other keys.  Its entries lie across cache lines, and it reads the rows where they lie.
 * For a million partitions of ten million rows it took 1.3 times as long as a sort of all rows, and this table 0.9.
 */

typedef struct FirstTable FirstTable;

/* Rows of a batch that are stored, and where: in place of another row, or behind the last one. */
typedef struct FirstChoice
{
	int64	n;
	uint32 *which; /* rows of the batch; one may take the place of one before it */
	uint32 *at;	   /* their positions among the rows that are held */
} FirstChoice;

/* True if the table can be used with such keys. */
extern bool first_table_suits(const WindowKeys *keys);

/* Creates a table, in memory of its own below `parent`.  window_keys_prepare() must have been called. */
extern FirstTable *first_table_create(const WindowKeys *keys, MemoryContext parent);

/* Empties the table.  When it is used again it has room for so many partitions, and takes first_table_bytes(). */
extern void first_table_reset(FirstTable *table, int64 partitions);
extern Size first_table_bytes(int64 partitions);

/* Returns the bytes that the table takes now, and the number of partitions in it. */
extern Size	 first_table_size(const FirstTable *table);
extern int64 first_table_partitions(const FirstTable *table);

/* Readies the table to look up the rows of a batch, of which the keys are there. */
extern void first_table_begin_batch(FirstTable *table, const Rows *batch);

/*
 * Looks up the rows of the batch from row `from` on, while the rows that are held are in `rows`.  Chooses those that
 * begin a partition, or that come before the row of their partition.  Returns the first row that has not been looked
 * up.  The chosen rows must be stored before the next call.
 */
extern int64 first_table_choose(FirstTable *table, const Rows *rows, int64 from, FirstChoice *choice);

/* ---- first_rows.c: keeps the first row of each partition while rows come in no order ---- */

typedef struct FirstRows FirstRows;

/* True if so many partitions are expected, and so many rows, that keeping first rows is better than a sort. */
extern bool first_rows_suit(const WindowKeys *keys, double partitions, double rows);

/*
 * Creates a keeper of rows like `rows`, in memory of its own below `parent`.  window_keys_prepare() must have been
 * called.  `partitions`: how many are expected.
 */
extern FirstRows *first_rows_create(const WindowKeys *keys, const Rows *rows, double partitions, MemoryContext parent);

extern void first_rows_free(FirstRows *first);

/* False if there are so many partitions that sorting all rows is better. */
extern bool first_rows_pay(const FirstRows *first);

/* Returns the bytes that the table takes. */
extern Size first_rows_bytes(const FirstRows *first);

/* Forgets the partitions that were found. */
extern void first_rows_forget(FirstRows *first);

/* True if a batch may have the columns of the keys only. */
extern bool first_rows_read_keys(const FirstRows *first);

/*
 * Begins to fetch what first_rows_keep() reads for the batch into the processor's cache.  It need not be called, and
 * only may be if first_rows_read_keys().
 */
extern void first_rows_begin(FirstRows *first, const Rows *batch);

/*
 * Keeps each row of the batch that begins a partition, or that comes before the row of its partition, which it
 * replaces.  May replace *rows by a copy.  `source`: NULL if the batch has all columns; else it has those of the keys,
 * and the source is asked for the rows that are kept.
 */
extern void first_rows_keep(FirstRows *first, Rows **rows, const Rows *batch, const RowSource *source);

/* Puts rows back in the order of the input where the sort must find them so, and forgets the partitions. */
extern void first_rows_settle(FirstRows *first, Rows **rows);

#endif /* SCAN_NODE_INPUT_FIRST_ROW_TABLES_H */
