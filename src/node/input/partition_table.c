/*
 * partition_table.c: finds the row of a partition that is held, by the keys of another row.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "column/memory.h"
#include "node/input/first_row_tables.h"
#include "node/input/sorting.h"
#include "sort/normalize.h"
#include "sort/order.h"

/* ---- the table ---- */

static inline const Column *
partition_column(const WindowKeys *keys, const Rows *rows, int k)
{
	return &rows->column[keys->key[k].column].data;
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

/* True if an entry with the key `of_entry` is of the partition of the batch's row that is looked up by `of_row`. */
static inline bool
partition_key_equal(const PartitionTable *table, uint64 of_entry, uint64 of_row)
{
	return table->by_datum ? of_entry == of_row
						   : same_partition(table->keys, table->rows, (int64) of_entry, table->batch, (int64) of_row);
}

#define SH_PREFIX partition
#define SH_ELEMENT_TYPE PartitionRow
#define SH_KEY_TYPE uint64
#define SH_KEY key
#define SH_STORE_HASH
#define SH_GET_HASH(entries, entry) (entry)->hash
#define SH_HASH_KEY(entries, key) 0 /* not asked for: hashes are passed */
#define SH_EQUAL(entries, of_entry, of_row) \
	partition_key_equal((const PartitionTable *) (entries)->private_data, of_entry, of_row)
#define SH_FILLFACTOR 0.5
#define SH_SCOPE extern
#define SH_DEFINE
#include "lib/simplehash.h"

PartitionTable *
partition_table_create(const WindowKeys *keys, MemoryContext parent)
{
	MemoryContext	memory = AllocSetContextCreate(parent, "scan partitions", ALLOCSET_DEFAULT_SIZES);
	PartitionTable *table = (PartitionTable *) MemoryContextAlloc(memory, sizeof(PartitionTable));

	*table = (PartitionTable){.memory = memory, .keys = keys};
	partition_table_reset(table, 0);
	return table;
}

void
partition_table_reset(PartitionTable *table, int64 partitions)
{
	const WindowKeys *keys = table->keys;

	if (table->entries != NULL)
		partition_destroy(table->entries);
	table->entries = partition_create(table->memory, (uint32) partitions, table);
	table->by_datum = keys->partition == 1 && keys->key[0].by_datum;
	table->by_number = keys->n == keys->partition + 1 &&
					   pack_is_exact(normalized_kind(&keys->key[keys->partition].order));
}

Size
partition_table_bytes(int64 partitions)
{
	return pg_nextpower2_64(Max(partitions, 1) * 2) * sizeof(PartitionRow);
}

Size
partition_table_size(const PartitionTable *table)
{
	return table->entries->size * sizeof(PartitionRow);
}

/* ---- hashes and numbers ---- */

/* Adds the hash of a value to that of the values before, which is `hash`. */
static inline uint32
add_value(uint32 hash, const Column *column, int64 i)
{
	bool  isnull;
	Datum value = column_get(column, i, &isnull);

	if (isnull)
		return hash_combine(hash, 0);
	if (column->by_value)
		return hash_combine(hash, murmurhash32((uint32) value ^ murmurhash32((uint32) ((uint64) value >> 32))));
	return hash_combine(hash, hash_bytes((const unsigned char *) DatumGetPointer(value),
										 (int) datumGetSize(value, false, column->length)));
}

/* Adds the values of a column, which has this format, to the rows' hashes: a loop for each format. */
static pg_attribute_always_inline void
hash_values(PartitionTable *table, Column column, ColumnFormat format, int64 n)
{
	column.format = format;
	column.by_value = format != COLUMN_REFERENCE;
	for (int64 i = 0; i < n; i++)
		table->hash[i] = add_value(table->hash[i], &column, i);
}

static void
hash_column(PartitionTable *table, const Column *column, int64 n)
{
	if (column->format == COLUMN_INT32)
		hash_values(table, *column, COLUMN_INT32, n);
	else if (column->format == COLUMN_INT64)
		hash_values(table, *column, COLUMN_INT64, n);
	else
		hash_values(table, *column, column->format, n);
}

/* Has the rows' keys compared where they lie from now on, if some of these rows have NULLs in them. */
static void
heed_nulls(PartitionTable *table, const Rows *rows)
{
	const WindowKeys *keys = table->keys;

	if (table->by_number && rows->column[keys->key[keys->partition].column].data.has_nulls)
		table->by_number = false;
	if (table->by_datum && partition_column(keys, rows, 0)->has_nulls)
	{
		partition_iterator at;
		PartitionRow	  *entry;

		table->by_datum = false;
		partition_start_iterate(table->entries, &at);
		while ((entry = partition_iterate(table->entries, &at)) != NULL)
			entry->key = entry->row;
	}
}

/* Fills in the keys, by which they are looked up, and numbers of n rows from row `from` on. */
static void
key_rows(const PartitionTable *table, const Rows *rows, int64 from, int64 n, uint64 *key, uint64 *number)
{
	for (int64 i = 0; i < n; i++)
		key[i] = table->by_datum ? (uint64) column_datum(partition_column(table->keys, rows, 0), from + i)
								 : (uint64) (from + i);
	if (table->by_number)
		number_rows(table->keys, table->keys->partition, rows, from, n, number);
}

static void
make_room(PartitionTable *table, int64 n)
{
	if (n <= table->room)
		return;
	table->room = n;
	table->hash = (uint32 *) memory_renew(table->memory, table->hash, n * sizeof(uint32));
	table->key = (uint64 *) memory_renew(table->memory, table->key, n * sizeof(uint64));
	table->number = (uint64 *) memory_renew(table->memory, table->number, n * sizeof(uint64));
}

void
partition_table_begin_batch(PartitionTable *table, const Rows *rows, const Rows *batch)
{
	make_room(table, batch->n);
	table->rows = rows;
	table->batch = batch;
	memset(table->hash, 0, batch->n * sizeof(uint32));
	for (int k = 0; k < table->keys->partition; k++)
		hash_column(table, partition_column(table->keys, batch, k), batch->n);
	for (int64 i = 0; i < batch->n; i++)
	{
		table->hash[i] >>= 1;
		__builtin_prefetch(&table->entries->data[table->hash[i] & table->entries->sizemask]);
	}
	heed_nulls(table, batch);
	key_rows(table, batch, 0, batch->n, table->key, table->number);
}

void
partition_table_put(PartitionTable *table, const Rows *rows, int64 i)
{
	PartitionRow *entry;
	uint32		  hash = 0;
	uint64		  key, number = 0;
	bool		  there;

	table->rows = table->batch = rows;
	heed_nulls(table, rows);
	for (int k = 0; k < table->keys->partition; k++)
		hash = add_value(hash, partition_column(table->keys, rows, k), i);
	key_rows(table, rows, i, 1, &key, &number);
	entry = partition_insert_hash(table->entries, key, hash >> 1, &there);
	entry->row = (uint32) i;
	entry->number = number;
}

void
partition_table_add(PartitionTable *table, int64 i, int64 at)
{
	bool		  there;
	PartitionRow *entry = partition_insert_hash(table->entries, table->key[i], table->hash[i], &there);

	entry->row = (uint32) at;
	entry->number = table->number[i];
	if (!table->by_datum)
		entry->key = (uint64) at;
}

/* ---- looking up ---- */

PartitionRow *
partition_table_search(const PartitionTable *table, int64 i)
{
	return partition_lookup_hash(table->entries, table->key[i], table->hash[i]);
}

int
partition_table_compare_keys(const PartitionTable *table, const PartitionRow *entry, int64 i)
{
	const WindowKeys *keys = table->keys;

	return compare_rows(keys->compare + keys->partition, keys->n - keys->partition, table->batch, i, table->rows,
						entry->row);
}
