/*
 * filter.c: drops rows that are not wanted while they come in.
 *
 * sorted_input.c pulls its rows through here.  Where a condition lets only the first rows of each partition pass
 * (row_number() <= k, the like with a rank, DISTINCT ON), a table holds one row of each partition, and most rows that
 * come are compared with it and dropped (partition_table.h).  The filter does so in one of two ways.
 *
 * FILTER_FIRST, where one row of each partition is wanted, and partitions are few: the row held is the first one so
 * far, and a row that comes before it takes its place.  So rows that come in the opposite of the window's order, as the
 * latest ones of a log do, cost no more than others.  What is left are as many rows as partitions, and they are sorted.
 * Of rows that are equal in the order the first one of the input stays, as it would in a sort.  Equal keys may have
 * different bytes (1.0 and 1.00), and then several rows stay, of which the sort finds the first.  So that it finds the
 * same one if they are equal in the order, such rows are put back in the order of the input before.  With many
 * partitions each row is a cache miss in the table and one in the rows, and sorting all rows is better: a million
 * partitions of ten million rows took 1.3 times as long.  So it is if the table outgrows its part of scan.work_mem, or
 * if most rows begin a partition although fewer were expected: then the filter goes on in the other way.
 *
 * FILTER_TOP: rows are gathered until there are several times as many as are likely to be wanted, and sorted.  The
 * wanted rows are kept, and more rows are gathered after them.  The kept rows lie in the order of the sort, which
 * leaves equal rows in the order of the input; later rows come after them.  So the last sort has the same first rows as
 * a sort of the whole input.  Once a partition has as many rows as are wanted, a later row that comes after the last
 * wanted one need not be kept at all.  The table holds this last row, as long as there are few partitions.  Where equal
 * keys have different bytes, it does so for some of them only, and leaves the rest to the sort.
 *
 * Rejected: a heap of the best rows for each partition.  With many partitions a row costs as many cache misses as a
 * sort of everything has passes.  With few partitions hardly any row gets as far as the heap.  And rows that drop out
 * of a heap have to be found and squeezed out all the same.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "column/rows_serialize.h"
#include "column/stretch.h"
#include "guc.h"
#include "node/input/filter.h"
#include "node/input/partition_table.h"

#define MOST_PARTITIONS 65536 /* the table and its rows shall fit in a cache */

#define FIRST_PARTITIONS 4096	  /* of a new table */
#define FIRST_ROWS 2			  /* rows of a partition at least, on average */
#define FIRST_BUDGET_PART 4		  /* the table may take this part of scan.work_mem */
#define FIRST_WASTE (1024 * 1024) /* bytes of values replaced that are worth a copy */
#define FIRST_AHEAD 8			  /* rows whose partition's row is fetched ahead */

#define TOP_LEAST 16384	   /* the fewest rows that are worth a sort */
#define TOP_TIMES 8		   /* a sort is due at so many times the rows that are wanted */
#define TOP_BUDGET_PART 20 /* the table may take this part of scan.work_mem */

typedef enum FilterMode
{
	FILTER_NONE = 0, /* all rows are wanted */
	FILTER_FIRST,
	FILTER_TOP
} FilterMode;

struct Filter
{
	FilterMode		mode;
	RowSource		source;
	TopRows			wanted;
	MemoryContext	memory;
	MemoryContext	scratch;	/* for comparisons; reset after each batch */
	PartitionTable *table;		/* the row of each partition that others are compared with */
	Rows		   *unfiltered; /* a batch: rows of the input that have not been filtered */
	int64			seen;		/* rows that were looked up: FILTER_TOP: since the last sort */
	int64			passed;		/* rows of them that were kept */
	int64			due;		/* so many rows are sorted to drop those that are not wanted */
	bool			looks_up;	/* FILTER_TOP: the last wanted rows of some partitions are held */

	/* FILTER_FIRST */
	int64  base;	 /* rows before it are of partitions that were forgotten */
	Size   waste;	 /* bytes in the rows' arena that no row refers to */
	bool   variants; /* equal keys may have different bytes */
	int64 *arrival;	 /* of each row, its place in the input; only if `variants` */
	int64  arrivals; /* rows for which `arrival` has room */
};

/* Returns how many rows to gather, if `rows` are likely to be wanted. */
static int64
due_after(double rows)
{
	return (int64) Max(TOP_LEAST, Min(TOP_TIMES * rows, (double) PG_INT64_MAX / 2));
}

/* True if so many partitions are expected, and so many rows, that FILTER_FIRST is better than a sort. */
static bool
first_suits(const TopRows *wanted, double rows)
{
	return wanted->limit == 1 && wanted->unit == TOP_ROWS && wanted->partitions <= MOST_PARTITIONS &&
		   wanted->partitions <= rows / FIRST_ROWS;
}

Filter *
filter_create(WindowKeys *keys, TopRows wanted, RowSource source, const Rows *rows, double expected,
			  MemoryContext parent)
{
	MemoryContext memory = AllocSetContextCreate(parent, "scan filter", ALLOCSET_SMALL_SIZES);
	Filter		 *filter = (Filter *) MemoryContextAllocZero(memory, sizeof(Filter));

	filter->memory = memory;
	filter->source = source;
	filter->wanted = wanted;
	if (wanted.limit == 0)
		return filter;
	window_keys_prepare(keys);
	filter->mode = first_suits(&wanted, expected) ? FILTER_FIRST : FILTER_TOP;
	filter->scratch = AllocSetContextCreate(memory, "scan filter comparisons", ALLOCSET_SMALL_SIZES);
	filter->table = partition_table_create(keys, memory);
	filter->unfiltered = rows_create_like(rows);
	filter->due = due_after((double) wanted.limit * wanted.partitions);
	for (int k = 0; k < keys->partition; k++)
		filter->variants = filter->variants || !keys->key[k].by_datum;
	filter_forget(filter);
	return filter;
}

void
filter_free(Filter *filter)
{
	if (filter->unfiltered != NULL)
		rows_free(filter->unfiltered);
	MemoryContextDelete(filter->memory);
}

bool
filter_drops(const Filter *filter)
{
	return filter->mode != FILTER_NONE;
}

void
filter_forget(Filter *filter)
{
	int64 partitions = 0;

	if (filter->mode == FILTER_NONE)
		return;
	if (filter->mode == FILTER_FIRST)
	{
		partitions = Max(filter->wanted.partitions, FIRST_PARTITIONS);
		while (partitions > FIRST_PARTITIONS && partition_table_bytes(partitions) > guc_budget() / FIRST_BUDGET_PART)
			partitions /= 2;
		filter->seen = 0;
		filter->waste = 0;
	}
	partition_table_reset(filter->table, partitions);
	filter->looks_up = false;
}

/* ---- FILTER_FIRST ---- */

/* False if there are so many partitions that sorting all rows is better. */
static bool
first_pays(const Filter *filter)
{
	int64 partitions = filter->table->entries->members;

	return partitions <= MOST_PARTITIONS && partition_table_size(filter->table) <= guc_budget() / FIRST_BUDGET_PART &&
		   (partitions <= 2 * (int64) filter->wanted.partitions || partitions <= filter->seen / 2);
}

/* Notes the place in the input of the row at position `at`. */
static inline void
note_arrival(Filter *filter, int64 at, int64 place)
{
	if (!filter->variants)
		return;
	if (at >= filter->arrivals)
	{
		int64  arrivals = Max(2 * filter->arrivals, FIRST_PARTITIONS);
		int64 *arrival = (int64 *) MemoryContextAllocHuge(filter->memory, arrivals * sizeof(int64));

		if (filter->arrival != NULL)
		{
			memcpy(arrival, filter->arrival, filter->arrivals * sizeof(int64));
			pfree(filter->arrival);
		}
		filter->arrival = arrival;
		filter->arrivals = arrivals;
	}
	filter->arrival[at] = place;
}

/* Stores row i of the batch in place of the row at position `at`. */
static inline void
replace_row(Filter *filter, Rows *rows, int64 at, int64 i, bool plain)
{
	note_arrival(filter, at, filter->seen + i);
	if (plain)
		rows_replace_plain_row(rows, at, filter->unfiltered, i);
	else
		filter->waste += rows_replace_row(rows, at, filter->unfiltered, i);
}

/* Copies the rows, if half of what their values took is not referred to any more. */
static void
drop_waste(Filter *filter, Rows **rows)
{
	Rows *before = *rows;

	if (filter->waste < FIRST_WASTE || filter->waste < before->arena.used / 2)
		return;
	*rows = rows_create_like(before);
	rows_append_range(*rows, before, 0, before->n);
	rows_free(before);
	filter->waste = 0;
}

/* Keeps each row of the batch that begins a partition, or that comes before the row of its partition. */
static void
keep_first(Filter *filter, Rows *rows)
{
	PartitionTable *table = filter->table;
	const Rows	   *batch = filter->unfiltered;
	bool			plain = rows_are_plain(rows) && rows_are_plain(batch);
	bool			reads_rows = partition_table_reads_rows(table);

	for (int64 i = 0; i < batch->n; i++)
	{
		PartitionRow *entry;

		if (reads_rows && i + FIRST_AHEAD < batch->n)
			partition_table_prefetch(table, i + FIRST_AHEAD);
		entry = partition_table_find(table, i);
		if (entry == NULL)
		{
			partition_table_add(table, i, rows->n);
			note_arrival(filter, rows->n, filter->seen + i);
			rows_append_row(rows, batch, i);
		}
		else if (partition_table_compare(table, entry, i) < 0)
		{
			entry->number = table->number[i];
			replace_row(filter, rows, entry->row, i, plain);
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
restore_arrival(const Filter *filter, Rows **rows)
{
	Rows   *before = *rows;
	int64	n = before->n - filter->base;
	uint32 *order = (uint32 *) MemoryContextAllocHuge(filter->memory, n * sizeof(uint32));

	for (int64 i = 0; i < n; i++)
		order[i] = (uint32) (filter->base + i);
	qsort_arg(order, n, sizeof(uint32), compare_arrival, filter->arrival);
	*rows = rows_create_like(before);
	rows_append_range(*rows, before, 0, filter->base);
	rows_append_some(*rows, before, order, n);
	rows_free(before);
	pfree(order);
}

void
filter_settle(Filter *filter, Rows **rows)
{
	if (filter->mode != FILTER_FIRST)
		return;
	if (filter->variants && filter->table->entries->members > 0)
		restore_arrival(filter, rows);
	filter_forget(filter);
}

void
filter_expect_more(Filter *filter, Rows **rows)
{
	filter_settle(filter, rows);
	if (filter->mode == FILTER_FIRST)
	{
		filter->mode = FILTER_TOP;
		filter->seen = filter->passed = 0;
	}
	filter_forget(filter);
}

/* ---- rows in order ---- */

/* Counts the rows of a partition. */
typedef struct RowCounter
{
	int64 rows;
	int64 rank;
	int64 dense_rank;
} RowCounter;

/* Counts one more row, which begins a partition if `head` and a peer group if `peer`; returns its count. */
static inline int64
next_count(RowCounter *counter, TopUnit unit, bool head, bool peer)
{
	if (head)
		memset(counter, 0, sizeof(*counter));
	counter->rows++;
	if (head || peer)
	{
		counter->rank = counter->rows;
		counter->dense_rank++;
	}
	return unit == TOP_ROWS ? counter->rows : unit == TOP_RANKS ? counter->rank : counter->dense_rank;
}

void
filter_order(const TopRows *wanted, SortOrder *order)
{
	RowCounter counter = {0};
	int64	   to = 0;

	FOR_INTERRUPTIBLE (i, 0, order->n)
	{
		bool head = scan_bit(order->heads, i);
		bool peer = scan_bit(order->peers, i);

		if (next_count(&counter, wanted->unit, head, peer) > wanted->limit)
			continue;
		order->rows[to] = order->rows[i];
		scan_bit_put(order->heads, to, head);
		scan_bit_put(order->peers, to, peer);
		to++;
	}
	order->n = to;
}

/* ---- FILTER_TOP ---- */

/*
 * Holds the last rows of those partitions that have as many rows as are wanted, unless partitions are too many;
 * `order`: the rows'.
 */
static void
hold_last_rows(Filter *filter, const Rows *rows, const SortOrder *order)
{
	TopUnit	   unit = filter->wanted.unit;
	RowCounter counter = {0};
	int64	   partitions = 0;

	FOR_INTERRUPTIBLE (i, 0, rows->n)
		partitions += scan_bit(order->heads, i);
	if (partitions > MOST_PARTITIONS || partition_table_bytes(partitions) > guc_budget() / TOP_BUDGET_PART)
		return;
	partition_table_reset(filter->table, partitions);
	filter->looks_up = true;
	FOR_INTERRUPTIBLE (i, 0, rows->n)
	{
		(void) next_count(&counter, unit, scan_bit(order->heads, i), scan_bit(order->peers, i));
		/* a partition may have more rows than the limit of a rank: the rows beyond are peers of the last one */
		if ((i + 1 == rows->n || scan_bit(order->heads, i + 1)) &&
			(unit == TOP_DENSE_RANKS ? counter.dense_rank : counter.rows) >= filter->wanted.limit)
			partition_table_put(filter->table, rows, i);
	}
}

bool
filter_keep(Filter *filter, Rows **rows, const SortOrder *order)
{
	Rows *before = *rows;

	if (filter->mode == FILTER_NONE)
		return false;
	if (order->n > before->n / 2)
	{
		/* more rows are wanted than expected: another sort pays only when many more have come */
		filter->due = due_after((double) before->n);
		return false;
	}
	*rows = rows_create_like(before);
	for (int64 from = 0, stop; from < order->n; from = stop)
	{
		stop = stretch_end(from, order->n);
		rows_append_some(*rows, before, order->rows + from, stop - from);
	}
	filter->due = due_after((double) order->n);
	filter_forget(filter);
	if (filter->mode == FILTER_TOP && filter->passed <= filter->seen / 2)
		hold_last_rows(filter, *rows, order);
	else if (filter->mode == FILTER_TOP)
		/* most rows come before the last wanted one: until the next sort, which is due later, rows are not looked up */
		filter->due *= TOP_TIMES;
	filter->seen = filter->passed = 0;
	rows_free(before); /* and, with their pool, the order and its boundaries */
	return true;
}

/* Keeps each row of the batch that may be wanted. */
static void
keep_top(const Filter *filter, Rows *rows)
{
	const Rows *batch = filter->unfiltered;
	/* a row equal to the last one comes after it, and is wanted only where peers are counted alike */
	int latest = filter->wanted.unit == TOP_ROWS ? -1 : 0;

	for (int64 i = 0; i < batch->n; i++)
	{
		const PartitionRow *last = partition_table_find(filter->table, i);

		if (last == NULL || partition_table_compare(filter->table, last, i) <= latest)
			rows_append_row(rows, batch, i);
	}
}

/* ---- rows to come ---- */

bool
filter_is_due(const Filter *filter, const Rows *rows)
{
	return filter->mode == FILTER_TOP && rows->n >= filter->due;
}

/* Appends some rows of the input; false: there are none. */
static bool
append_some(const Filter *filter, Rows *rows)
{
	return filter->source.append(filter->source.arg, rows);
}

/* Keeps the wanted rows of the batch. */
static void
keep_wanted(Filter *filter, Rows **rows)
{
	MemoryContext old = MemoryContextSwitchTo(filter->scratch);

	CHECK_FOR_INTERRUPTS();
	if (filter->mode == FILTER_FIRST && filter->table->entries->members == 0)
		filter->base = (*rows)->n;
	partition_table_begin_batch(filter->table, *rows, filter->unfiltered);
	if (filter->mode == FILTER_FIRST)
		keep_first(filter, *rows);
	else
		keep_top(filter, *rows);
	MemoryContextSwitchTo(old);
	MemoryContextReset(filter->scratch);
	if (filter->mode == FILTER_FIRST)
		drop_waste(filter, rows);
}

bool
filter_pull(Filter *filter, Rows **rows, int64 *left_out)
{
	int64 before, kept;

	if (filter->mode == FILTER_FIRST && !first_pays(filter))
		filter_expect_more(filter, rows);
	if (filter->mode != FILTER_FIRST && !filter->looks_up)
		return append_some(filter, *rows);
	rows_reset(filter->unfiltered);
	if (!append_some(filter, filter->unfiltered))
		return false;
	before = (*rows)->n;
	keep_wanted(filter, rows);
	kept = (*rows)->n - before;
	filter->seen += filter->unfiltered->n;
	filter->passed += kept;
	*left_out += filter->unfiltered->n - kept;
	return true;
}
