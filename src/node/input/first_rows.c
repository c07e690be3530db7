/*
 * first_rows.c: keeps the first row of each partition while rows come in no order.
 *
 * filter.c asks it where one row of each partition is wanted.  A table holds the first row so far of each partition,
 * and a row that comes before it takes its place.  So rows that come in the opposite of the window's order, as the
 * latest ones of a log do, cost no more than others.  What is left are as many rows as partitions, and they are sorted.
 * Of rows that are equal in the order the first one of the input stays, as it would in a sort.
 *
 * Numbers are kept in a FirstTable, which finds one of a million partitions at the cost of one cache miss.  Where the
 * source can, only the keys of a row are read, and the other columns once the row is known to be kept (keys_first.c).
 *
 * Other keys are kept in a PartitionTable.  Equal keys may have different bytes there (1.0 and 1.00), and then several
 * rows stay, of which the sort finds the first.  So that it finds the same one if they are equal in the order, such
 * rows are put back in the order of the input before.  With many partitions each row is a cache miss in that table and
 * one in the rows, and sorting all rows is better: a million partitions of ten million rows took 1.3 times as long.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "column/rows_serialize.h"
#include "guc.h"
#include "node/input/first_row_tables.h"

#define MOST_PARTITIONS 65536 /* a PartitionTable and its rows shall fit in a cache */

#define FIRST_PARTITIONS 4096	  /* of a new table, if scan.work_mem has room for it */
#define FIRST_LEAST 64			  /* of a new table in any case */
#define FIRST_ROWS 2			  /* rows of a partition at least, on average */
#define FIRST_BUDGET_PART 4		  /* the table may take this part of scan.work_mem */
#define FIRST_WASTE (1024 * 1024) /* bytes of values replaced that are worth a copy */
#define FIRST_AHEAD 8			  /* rows whose partition's row is fetched ahead */

struct FirstRows
{
	MemoryContext	memory;
	double			expected; /* partitions */
	FirstTable	   *numbers;  /* the row of each partition; NULL: `table` has it */
	PartitionTable *table;
	Rows		   *taken; /* rows of a batch that are kept, if the batch has their keys only */
	bool			begun; /* `numbers` is ready for the batch */
	int64			seen;  /* rows that were looked up */
	Size			waste; /* bytes in the rows' arena that no row refers to */

	/* only with a PartitionTable */
	int64  base;	 /* rows before it are of partitions that were forgotten */
	bool   variants; /* equal keys may have different bytes */
	int64 *arrival;	 /* of each row, its place in the input; only if `variants` */
	int64  arrivals; /* rows for which `arrival` has room */
};

/* ---- setting up ---- */

bool
first_rows_suit(const WindowKeys *keys, double partitions, double rows)
{
	if (partitions > rows / FIRST_ROWS)
		return false;
	return first_table_suits(keys) ? partitions <= PG_UINT32_MAX &&
										 first_table_bytes((int64) partitions) <= guc_budget() / FIRST_BUDGET_PART
								   : partitions <= MOST_PARTITIONS;
}

FirstRows *
first_rows_create(const WindowKeys *keys, const Rows *rows, double partitions, MemoryContext parent)
{
	MemoryContext memory = AllocSetContextCreate(parent, "scan first rows", ALLOCSET_SMALL_SIZES);
	FirstRows	 *first = (FirstRows *) MemoryContextAlloc(memory, sizeof(FirstRows));

	*first = (FirstRows){.memory = memory, .expected = partitions, .taken = rows_create_like(rows)};
	if (first_table_suits(keys))
		first->numbers = first_table_create(keys, memory);
	else
		first->table = partition_table_create(keys, memory);
	for (int k = 0; k < keys->partition; k++)
		first->variants = first->variants || !keys->key[k].by_datum;
	first_rows_forget(first);
	return first;
}

void
first_rows_free(FirstRows *first)
{
	rows_free(first->taken);
	MemoryContextDelete(first->memory);
}

static Size
table_bytes(const FirstRows *first, int64 partitions)
{
	return first->numbers != NULL ? first_table_bytes(partitions) : partition_table_bytes(partitions);
}

static int64
partitions_found(const FirstRows *first)
{
	return first->numbers != NULL ? first_table_partitions(first->numbers) : first->table->entries->members;
}

void
first_rows_forget(FirstRows *first)
{
	int64 partitions = (int64) Max(Min(first->expected, PG_UINT32_MAX), FIRST_PARTITIONS);

	while (partitions > FIRST_LEAST && table_bytes(first, partitions) > guc_budget() / FIRST_BUDGET_PART)
		partitions /= 2;
	if (first->numbers != NULL)
		first_table_reset(first->numbers, partitions);
	else
		partition_table_reset(first->table, partitions);
	first->begun = false;
	first->seen = 0;
	first->waste = 0;
}

Size
first_rows_bytes(const FirstRows *first)
{
	return first->numbers != NULL ? first_table_size(first->numbers) : partition_table_size(first->table);
}

bool
first_rows_pay(const FirstRows *first)
{
	int64 partitions = partitions_found(first);

	return (first->numbers != NULL || partitions <= MOST_PARTITIONS) &&
		   first_rows_bytes(first) <= guc_budget() / FIRST_BUDGET_PART &&
		   (partitions <= 2 * (int64) first->expected || partitions <= first->seen / FIRST_ROWS);
}

bool
first_rows_read_keys(const FirstRows *first)
{
	return first->numbers != NULL;
}

/* Copies the rows, if half of what their values took is not referred to any more. */
static void
drop_waste(FirstRows *first, Rows **rows)
{
	Rows *before = *rows;

	if (first->waste < FIRST_WASTE || first->waste < before->arena.used / 2)
		return;
	*rows = rows_create_like(before);
	rows_append_range(*rows, before, 0, before->n);
	rows_free(before);
	first->waste = 0;
}

/* ---- keys that are numbers ---- */

/* Stores the chosen rows. */
static void
store_chosen(FirstRows *first, Rows *rows, const Rows *batch, const RowSource *source, const FirstChoice *choice)
{
	uint32 *which = choice->which;

	if (source != NULL)
	{
		rows_reset(first->taken);
		source->take(source->arg, first->taken, which, choice->n);
		for (int64 i = 0; i < choice->n; i++)
			which[i] = (uint32) i;
		batch = first->taken;
	}
	first->waste += rows_replace_some(rows, choice->at, batch, which, choice->n);
}

static void
keep_by_number(FirstRows *first, Rows *rows, const Rows *batch, const RowSource *source)
{
	if (!first->begun)
		first_table_begin_batch(first->numbers, batch);
	for (int64 from = 0; from < batch->n;)
	{
		FirstChoice choice;

		from = first_table_choose(first->numbers, rows, from, &choice);
		if (choice.n > 0)
			store_chosen(first, rows, batch, source, &choice);
	}
}

/* ---- other keys ---- */

/* Notes the place in the input of the row at position `at`. */
static inline void
note_arrival(FirstRows *first, int64 at, int64 place)
{
	if (!first->variants)
		return;
	if (at >= first->arrivals)
	{
		Size size;

		first->arrivals = Max(2 * first->arrivals, FIRST_PARTITIONS);
		size = first->arrivals * sizeof(int64);
		first->arrival = (int64 *) (first->arrival == NULL ? MemoryContextAllocHuge(first->memory, size)
														   : repalloc_huge(first->arrival, size));
	}
	first->arrival[at] = place;
}

/* Stores row i of the batch in place of the row at position `at`. */
static inline void
replace_row(FirstRows *first, Rows *rows, int64 at, const Rows *batch, int64 i, bool plain)
{
	note_arrival(first, at, first->seen + i);
	if (plain)
		rows_replace_plain_row(rows, at, batch, i);
	else
		first->waste += rows_replace_row(rows, at, batch, i);
}

static void
keep_by_bytes(FirstRows *first, Rows *rows, const Rows *batch)
{
	PartitionTable *table = first->table;
	bool			plain = rows_are_plain(rows) && rows_are_plain(batch);
	bool			reads_rows;

	if (table->entries->members == 0)
		first->base = rows->n;
	partition_table_begin_batch(table, rows, batch);
	reads_rows = partition_table_reads_rows(table);
	for (int64 i = 0; i < batch->n; i++)
	{
		PartitionRow *entry;

		if (reads_rows && i + FIRST_AHEAD < batch->n)
			partition_table_prefetch(table, i + FIRST_AHEAD);
		entry = partition_table_find(table, i);
		if (entry == NULL)
		{
			partition_table_add(table, i, rows->n);
			note_arrival(first, rows->n, first->seen + i);
			rows_append_row(rows, batch, i);
		}
		else if (partition_table_compare(table, entry, i) < 0)
		{
			entry->number = table->number[i];
			replace_row(first, rows, entry->row, batch, i, plain);
		}
	}
}

static int
compare_arrival(const void *a, const void *b, void *arrival)
{
	int64 x = ((const int64 *) arrival)[*(const uint32 *) a], y = ((const int64 *) arrival)[*(const uint32 *) b];

	return x < y ? -1 : x > y;
}

/* Puts the rows from `base` on back in the order of the input. */
static void
restore_arrival(const FirstRows *first, Rows **rows)
{
	Rows   *before = *rows;
	int64	n = before->n - first->base;
	uint32 *order = (uint32 *) MemoryContextAllocHuge(first->memory, n * sizeof(uint32));

	for (int64 i = 0; i < n; i++)
		order[i] = (uint32) (first->base + i);
	qsort_arg(order, n, sizeof(uint32), compare_arrival, first->arrival);
	*rows = rows_create_like(before);
	rows_append_range(*rows, before, 0, first->base);
	rows_append_some(*rows, before, order, n);
	rows_free(before);
	pfree(order);
}

/* ---- any keys ---- */

void
first_rows_begin(FirstRows *first, const Rows *batch)
{
	first_table_begin_batch(first->numbers, batch);
	first->begun = true;
}

void
first_rows_keep(FirstRows *first, Rows **rows, const Rows *batch, const RowSource *source)
{
	if (first->numbers != NULL)
		keep_by_number(first, *rows, batch, source);
	else
		keep_by_bytes(first, *rows, batch);
	first->begun = false;
	first->seen += batch->n;
	drop_waste(first, rows);
}

void
first_rows_settle(FirstRows *first, Rows **rows)
{
	if (first->variants && partitions_found(first) > 0)
		restore_arrival(first, rows);
	first_rows_forget(first);
}
