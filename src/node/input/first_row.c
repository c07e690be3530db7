/*
 * first_row.c: keeps the first row of each partition, of input that is not in order.
 *
 * sorted.c asks it where row_number() = 1 or DISTINCT ON wants no other rows.  A hash table has the one row of each
 * partition that is the first so far, and a row that comes before it takes its place.  So rows that come in the
 * opposite of the window's order, as the latest ones of a log do, cost no more than others: top_rows.c, which has the
 * other conditions, would have to sort them all.  What is left are as many rows as partitions, and they are sorted.
 *
 * Of rows that are equal in the order the first one of the input stays, as it would in a sort.  Equal keys may have
 * different bytes (1.0 and 1.00), and then several rows stay, of which the sort finds the first.  So that it finds the
 * same one if they are equal in the order, such rows are put back in the order of the input before.
 *
 * Where there is one key of each kind, and numbers tell the order of both (integers, times), the table has the numbers,
 * and rows are not looked at but to be replaced.  Else the keys of the rows are compared.
 *
 * With many partitions each row is a cache miss in the table and one in the rows, and sorting all rows is better: a
 * million partitions of ten million rows took 1.3 times as long.  So it is if the table outgrows its part of
 * scan.work_mem, or if most rows begin a partition although fewer were expected.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "column/rows_serialize.h"
#include "guc.h"
#include "node/input/first_row.h"
#include "node/input/key_numbers.h"
#include "node/input/partition_hash.h"
#include "sort/compare.h"
#include "sort/normalize.h"

#define FIRST_SLOTS 1024		  /* of a new table */
#define FIRST_PARTITIONS 65536	  /* partitions at most: the table and their rows shall fit in a cache */
#define FIRST_ROWS 2			  /* rows of a partition at least, on average */
#define FIRST_BUDGET_PART 4		  /* the table may take this part of scan.work_mem */
#define FIRST_WASTE (1024 * 1024) /* bytes of values replaced that are worth a copy */
#define FIRST_AHEAD 8			  /* rows whose partition's row is fetched ahead */

/* An entry of the hash table. */
typedef struct FirstSlot
{
	uint32 hash;
	uint32 row; /* the row's position plus 1; 0: the entry is free */
	/* only while FirstRow.by_numbers */
	uint64 key;	   /* the partition's, as a Datum */
	uint64 number; /* of the row's order (key_numbers.h) */
} FirstSlot;

struct FirstRow
{
	MemoryContext	  memory;
	MemoryContext	  scratch;	/* for comparisons; reset after each batch */
	const WindowKeys *keys;		/* with their comparisons */
	int64			  expected; /* partitions */
	int64			  base;		/* the rows before it are of partitions that were forgotten */
	int64			  slots;	/* a power of two */
	int64			  used;
	FirstSlot		 *slot;
	int64			  seen;		  /* rows of the input */
	bool			  by_numbers; /* one key of each kind so far, none of them NULL, and numbers tell their order */
	uint64			 *key;		  /* of each row of a batch; only if `by_numbers` */
	uint64			 *number;
	bool			  variants; /* equal keys may have different bytes */
	int64			 *arrival;	/* of each row, its place in the input; only if `variants` */
	int64			  arrivals; /* rows for which `arrival` has room */
	Size			  waste;	/* bytes in the rows' arena that no row refers to */
	uint32			 *hash;		/* of each row of a batch */
	int64			  batch;	/* rows for which `hash` has room */
};

FirstRow *
first_row_create(const WindowKeys *keys, int64 partitions, MemoryContext parent)
{
	MemoryContext memory = AllocSetContextCreate(parent, "scan first row", ALLOCSET_DEFAULT_SIZES);
	FirstRow	 *first = (FirstRow *) MemoryContextAllocZero(memory, sizeof(FirstRow));

	first->memory = memory;
	first->scratch = AllocSetContextCreate(memory, "scan first row comparisons", ALLOCSET_SMALL_SIZES);
	first->keys = keys;
	first->expected = partitions;
	first->by_numbers = keys->partition == 1 && keys->n == 2 && keys->key[0].by_datum &&
						pack_is_exact(normalized_kind(&keys->key[1].order));
	for (int k = 0; k < keys->partition; k++)
		first->variants = first->variants || !keys->key[k].by_datum;
	first_row_forget(first);
	return first;
}

void
first_row_free(FirstRow *first)
{
	MemoryContextDelete(first->memory);
}

void
first_row_forget(FirstRow *first)
{
	if (first->slot != NULL)
		pfree(first->slot);
	first->slots = FIRST_SLOTS;
	while (first->slots < 2 * first->expected &&
		   2 * first->slots * sizeof(FirstSlot) <= guc_budget() / FIRST_BUDGET_PART)
		first->slots *= 2;
	first->slot = (FirstSlot *) MemoryContextAllocExtended(first->memory, first->slots * sizeof(FirstSlot),
														   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	first->used = first->seen = 0;
	first->waste = 0;
}

bool
first_row_suits(int64 partitions, double rows)
{
	return partitions <= FIRST_PARTITIONS && partitions <= rows / FIRST_ROWS;
}

bool
first_row_pays(const FirstRow *first)
{
	return first->used <= FIRST_PARTITIONS && first->slots * sizeof(FirstSlot) <= guc_budget() / FIRST_BUDGET_PART &&
		   (first->used <= 2 * first->expected || first->used <= first->seen / 2);
}

/* ---- the table ---- */

/* Makes the table twice as large. */
static void
grow(FirstRow *first)
{
	int64	   slots = 2 * first->slots;
	FirstSlot *slot = (FirstSlot *) MemoryContextAllocExtended(first->memory, slots * sizeof(FirstSlot),
															   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

	for (int64 from = 0; from < first->slots; from++)
	{
		int64 to = first->slot[from].hash & (slots - 1);

		if (first->slot[from].row == 0)
			continue;
		while (slot[to].row != 0)
			to = (to + 1) & (slots - 1);
		slot[to] = first->slot[from];
	}
	pfree(first->slot);
	first->slot = slot;
	first->slots = slots;
}

/* Returns the entry of the partition of row i of `batch`, or the free one for it. */
static inline FirstSlot *
find_slot(const FirstRow *first, const Rows *rows, const Rows *batch, int64 i)
{
	uint32 hash = first->hash[i];
	int64  place = hash & (first->slots - 1);

	while (first->slot[place].row != 0 && (first->slot[place].hash != hash ||
										   !same_partition(first->keys, rows, first->slot[place].row - 1, batch, i)))
		place = (place + 1) & (first->slots - 1);
	return &first->slot[place];
}

/* ---- batches ---- */

/* Adds the values of a column, which has this format, to the rows' hashes: a loop for each format. */
static pg_attribute_always_inline void
hash_values(FirstRow *first, Column column, ColumnFormat format, int64 n)
{
	column.format = format;
	column.by_value = format != COLUMN_REFERENCE;
	for (int64 i = 0; i < n; i++)
	{
		bool  isnull;
		Datum value = column_get(&column, i, &isnull);

		first->hash[i] = hash_combine(first->hash[i], isnull ? 0 : value_hash(&column, value));
	}
}

static void
hash_column(FirstRow *first, const Column *column, int64 n)
{
	switch (column->format)
	{
		case COLUMN_INT32:
			hash_values(first, *column, COLUMN_INT32, n);
			break;
		case COLUMN_INT64:
			hash_values(first, *column, COLUMN_INT64, n);
			break;
		default:
			hash_values(first, *column, column->format, n);
			break;
	}
}

/* Hashes the rows of a batch, and fetches ahead the entries that they will read. */
static void
hash_batch(FirstRow *first, const Rows *batch)
{
	if (batch->n > first->batch)
	{
		if (first->batch > 0)
		{
			pfree(first->hash);
			pfree(first->key);
			pfree(first->number);
		}
		first->batch = batch->n;
		first->hash = (uint32 *) MemoryContextAlloc(first->memory, batch->n * sizeof(uint32));
		first->key = (uint64 *) MemoryContextAllocZero(first->memory, batch->n * sizeof(uint64));
		first->number = (uint64 *) MemoryContextAllocZero(first->memory, batch->n * sizeof(uint64));
	}
	memset(first->hash, 0, batch->n * sizeof(uint32));
	for (int k = 0; k < first->keys->partition; k++)
		hash_column(first, partition_column(first->keys, batch, k), batch->n);
	for (int64 i = 0; i < batch->n; i++)
		__builtin_prefetch(&first->slot[first->hash[i] & (first->slots - 1)]);
}

/* Fetches ahead the row that an entry refers to. */
static inline void
prefetch_row(const FirstRow *first, const Rows *rows, int64 i)
{
	const FirstSlot *slot = &first->slot[first->hash[i] & (first->slots - 1)];

	if (slot->row != 0 && rows->stride > 0)
		__builtin_prefetch(rows->cells + (Size) (slot->row - 1) * rows->stride);
}

/* Notes the place in the input of the row at position `at`. */
static inline void
note_arrival(FirstRow *first, int64 at, int64 place)
{
	if (!first->variants)
		return;
	if (at >= first->arrivals)
	{
		int64  arrivals = Max(2 * first->arrivals, FIRST_SLOTS);
		int64 *arrival = (int64 *) MemoryContextAllocHuge(first->memory, arrivals * sizeof(int64));

		if (first->arrival != NULL)
		{
			memcpy(arrival, first->arrival, first->arrivals * sizeof(int64));
			pfree(first->arrival);
		}
		first->arrival = arrival;
		first->arrivals = arrivals;
	}
	first->arrival[at] = place;
}

/* Replaces the rows by copies in this order. */
static void
copy_rows(FirstRow *first, Rows **rows, const uint32 *order)
{
	Rows *before = *rows;

	*rows = rows_create_like(before);
	rows_append_some(*rows, before, order, before->n);
	rows_free(before);
	first->waste = 0;
}

static uint32 *
every_row(const FirstRow *first, const Rows *rows)
{
	uint32 *all = (uint32 *) MemoryContextAllocHuge(first->memory, Max(rows->n, 1) * sizeof(uint32));

	for (int64 i = 0; i < rows->n; i++)
		all[i] = (uint32) i;
	return all;
}

/* Copies the rows, if half of what their values took is not referred to any more. */
static void
drop_waste(FirstRow *first, Rows **rows)
{
	uint32 *all;

	if (first->waste < FIRST_WASTE || first->waste < (*rows)->arena.used / 2)
		return;
	all = every_row(first, *rows);
	copy_rows(first, rows, all);
	pfree(all);
}

static int
compare_arrival(const void *a, const void *b, void *arrival)
{
	int64 x = ((const int64 *) arrival)[*(const uint32 *) a], y = ((const int64 *) arrival)[*(const uint32 *) b];

	return x < y ? -1 : x > y;
}

void
first_row_settle(FirstRow *first, Rows **rows)
{
	uint32 *order;

	if (first->variants && first->used > 0)
	{
		order = every_row(first, *rows);
		qsort_arg(order + first->base, (*rows)->n - first->base, sizeof(uint32), compare_arrival, first->arrival);
		copy_rows(first, rows, order);
		pfree(order);
	}
	first_row_forget(first);
}

/* Fills in the keys and numbers of a batch.  Returns false if they do not tell all: some are NULL. */
static bool
number_batch(FirstRow *first, const Rows *batch)
{
	const Column *key = partition_column(first->keys, batch, 0);

	if (key->has_nulls || batch->column[first->keys->key[1].column].data.has_nulls)
		return false;
	for (int64 i = 0; i < batch->n; i++)
		first->key[i] = (uint64) column_datum(key, i);
	number_rows(first->keys, 1, batch, 0, batch->n, first->number);
	return true;
}

/* Stores row i of a batch in place of the row at position `at`. */
static inline void
replace_row(FirstRow *first, Rows *rows, int64 at, const Rows *batch, int64 i, bool plain)
{
	note_arrival(first, at, first->seen + i);
	if (plain)
		rows_replace_plain_row(rows, at, batch, i);
	else
		first->waste += rows_replace_row(rows, at, batch, i);
}

/* Appends row i of a batch, which is the first of its partition, to the rows, and fills in its entry. */
static inline void
append_row(FirstRow *first, Rows *rows, const Rows *batch, int64 i, FirstSlot *slot)
{
	rows_append_row(rows, batch, i);
	*slot = (FirstSlot){first->hash[i], (uint32) rows->n, first->key[i], first->number[i]};
	first->used++;
	note_arrival(first, rows->n - 1, first->seen + i);
}

/* Looks the rows of a batch up by their numbers: a row that is not kept costs no more than a look at its entry. */
static void
append_by_numbers(FirstRow *first, Rows *rows, const Rows *batch, bool plain)
{
	for (int64 i = 0; i < batch->n; i++)
	{
		int64	   place = first->hash[i] & (first->slots - 1);
		FirstSlot *slot;

		while (first->slot[place].row != 0 && first->slot[place].key != first->key[i])
			place = (place + 1) & (first->slots - 1);
		slot = &first->slot[place];
		if (slot->row == 0)
			append_row(first, rows, batch, i, slot);
		else if (first->number[i] < slot->number)
		{
			slot->number = first->number[i];
			replace_row(first, rows, slot->row - 1, batch, i, plain);
		}
	}
}

/* Looks the rows of a batch up by their keys, and compares them by the comparisons of their types. */
static void
append_by_keys(FirstRow *first, Rows *rows, const Rows *batch, bool plain)
{
	int			order_keys = first->keys->n - first->keys->partition;
	SortSupport order_key = first->keys->compare + first->keys->partition;

	for (int64 i = 0; i < batch->n; i++)
	{
		FirstSlot *slot;

		if (i + FIRST_AHEAD < batch->n)
			prefetch_row(first, rows, i + FIRST_AHEAD);
		slot = find_slot(first, rows, batch, i);
		if (slot->row == 0)
			append_row(first, rows, batch, i, slot);
		else if (compare_rows(order_key, order_keys, batch, i, rows, slot->row - 1) < 0)
			replace_row(first, rows, slot->row - 1, batch, i, plain);
	}
}

int64
first_row_append(FirstRow *first, Rows **rows, const Rows *batch)
{
	MemoryContext old = MemoryContextSwitchTo(first->scratch);
	int64		  n = (*rows)->n;
	bool		  plain = rows_are_plain(*rows) && rows_are_plain(batch);

	CHECK_FOR_INTERRUPTS();
	if (first->used == 0)
		first->base = n;
	while (2 * (first->used + batch->n) > first->slots)
		grow(first);
	hash_batch(first, batch);
	first->by_numbers = first->by_numbers && number_batch(first, batch);
	if (first->by_numbers)
		append_by_numbers(first, *rows, batch, plain);
	else
		append_by_keys(first, *rows, batch, plain);
	MemoryContextSwitchTo(old);
	MemoryContextReset(first->scratch);
	first->seen += batch->n;
	n = (*rows)->n - n;
	drop_waste(first, rows);
	return n;
}
