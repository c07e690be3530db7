/*
 * filter.c: drops rows that are not wanted while they come in.
 *
 * sorted_input.c pulls its rows through here.  Where a condition lets only the first rows of each partition pass
 * (row_number() <= k, the like with a rank, DISTINCT ON), a table holds one row of each partition, and most rows that
 * come are compared with it and dropped.  The filter does so in one of two ways.
 *
 * FILTER_FIRST, where one row of each partition is wanted: first_rows.c keeps it.  If its table outgrows its part of
 * scan.work_mem, or if most rows begin a partition although fewer were expected, the filter goes on in the other way.
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
#include "node/input/first_row_tables.h"
#include "node/input/sorting.h"
#include "node/row_counter.h"

#define MOST_PARTITIONS 65536 /* the table of FILTER_TOP and its rows shall fit in a cache */

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
	FilterMode	  mode;
	RowSource	  source;
	TopRows		  wanted;
	MemoryContext memory;
	MemoryContext scratch;	  /* for comparisons; reset after each batch */
	Rows		 *unfiltered; /* a batch: rows of the input that have not been filtered */

	/* FILTER_FIRST */
	FirstRows *first;
	bool	   looked; /* the batch has keys only, and its rows can be taken from the source */

	/* FILTER_TOP */
	PartitionTable *table;	  /* the last wanted row of each partition that has so many */
	int64			seen;	  /* rows that were looked up since the last sort */
	int64			passed;	  /* rows of them that were kept */
	int64			due;	  /* so many rows are sorted to drop those that are not wanted */
	bool			looks_up; /* the last wanted rows of some partitions are held */
};

/* Returns how many rows to gather, if `rows` are likely to be wanted. */
static int64
due_after(double rows)
{
	return (int64) Max(TOP_LEAST, Min(TOP_TIMES * rows, (double) PG_INT64_MAX / 2));
}

bool
filter_replaces(const WindowKeys *keys, const TopRows *wanted, double expected)
{
	return wanted->limit == 1 && wanted->unit == TOP_ROWS && first_rows_suit(keys, wanted->partitions, expected);
}

Filter *
filter_create(WindowKeys *keys, TopRows wanted, RowSource source, const Rows *rows, double expected,
			  MemoryContext parent)
{
	MemoryContext memory = AllocSetContextCreate(parent, "scan filter", ALLOCSET_SMALL_SIZES);
	Filter		 *filter = (Filter *) MemoryContextAlloc(memory, sizeof(Filter));

	*filter = (Filter){.memory = memory, .source = source, .wanted = wanted};
	if (wanted.limit == 0)
		return filter;
	window_keys_prepare(keys);
	filter->mode = FILTER_TOP;
	filter->scratch = AllocSetContextCreate(memory, "scan filter comparisons", ALLOCSET_SMALL_SIZES);
	filter->table = partition_table_create(keys, memory);
	filter->unfiltered = rows_create_like(rows);
	filter->due = due_after((double) wanted.limit * wanted.partitions);
	if (filter_replaces(keys, &wanted, expected))
	{
		filter->mode = FILTER_FIRST;
		filter->first = first_rows_create(keys, rows, wanted.partitions, memory);
	}
	return filter;
}

void
filter_free(Filter *filter)
{
	if (filter->unfiltered != NULL)
		rows_free(filter->unfiltered);
	if (filter->first != NULL)
		first_rows_free(filter->first);
	MemoryContextDelete(filter->memory);
}

bool
filter_drops(const Filter *filter)
{
	return filter->mode != FILTER_NONE;
}

Size
filter_bytes(const Filter *filter)
{
	return filter->mode == FILTER_FIRST ? first_rows_bytes(filter->first) : 0;
}

void
filter_forget(Filter *filter)
{
	if (filter->mode == FILTER_FIRST)
		first_rows_forget(filter->first);
	else if (filter->mode == FILTER_TOP)
		partition_table_reset(filter->table, 0);
	filter->looks_up = false;
}

void
filter_settle(Filter *filter, Rows **rows)
{
	if (filter->mode == FILTER_FIRST)
		first_rows_settle(filter->first, rows);
}

/* ---- rows in order ---- */

void
filter_order(const TopRows *wanted, SortOrder *order)
{
	RowCounter counter = {0};
	int64	   to = 0;

	FOR_INTERRUPTIBLE (i, 0, order->n)
	{
		bool head = scan_bit(order->heads, i);
		bool peer = scan_bit(order->peers, i);

		if (row_counter_next(&counter, wanted->unit, head, peer) > wanted->limit)
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
		(void) row_counter_next(&counter, unit, scan_bit(order->heads, i), scan_bit(order->peers, i));
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
keep_wanted(Filter *filter, Rows **rows, int64 *left_out)
{
	MemoryContext old = MemoryContextSwitchTo(filter->scratch);
	int64		  before = (*rows)->n, kept;

	CHECK_FOR_INTERRUPTS();
	if (filter->mode == FILTER_FIRST)
		first_rows_keep(filter->first, rows, filter->unfiltered, filter->looked ? &filter->source : NULL);
	else
	{
		partition_table_begin_batch(filter->table, *rows, filter->unfiltered);
		keep_top(filter, *rows);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(filter->scratch);
	filter->looked = false;
	kept = (*rows)->n - before;
	filter->seen += filter->unfiltered->n;
	filter->passed += kept;
	*left_out += filter->unfiltered->n - kept;
}

/* Looks at the keys of some rows of the input, if the source can do that; false: there are none, or it cannot. */
static bool
look(Filter *filter)
{
	if (filter->source.look == NULL || !first_rows_read_keys(filter->first) || !first_rows_pay(filter->first))
		return false;
	rows_reset(filter->unfiltered);
	filter->looked = filter->source.look(filter->source.arg, filter->unfiltered) > 0;
	if (filter->looked)
		first_rows_begin(filter->first, filter->unfiltered);
	return filter->looked;
}

/*
 * Keeps rows whose keys were looked at, and looks at the next ones.  So what both read comes to the processor's cache
 * while the other is computed.
 */
static void
keep_looked(Filter *filter, Rows **rows, int64 *left_out)
{
	filter->source.ahead(filter->source.arg);
	keep_wanted(filter, rows, left_out);
	look(filter);
}

void
filter_expect_more(Filter *filter, Rows **rows, int64 *left_out)
{
	if (filter->looked)
		keep_wanted(filter, rows, left_out);
	filter_settle(filter, rows);
	if (filter->mode == FILTER_FIRST)
	{
		first_rows_free(filter->first);
		filter->first = NULL;
		filter->mode = FILTER_TOP;
		filter->seen = filter->passed = 0;
	}
	filter_forget(filter);
}

bool
filter_pull(Filter *filter, Rows **rows, int64 *left_out)
{
	if (filter->mode == FILTER_FIRST && (filter->looked || look(filter)))
	{
		keep_looked(filter, rows, left_out);
		return true;
	}
	if (filter->mode == FILTER_FIRST && !first_rows_pay(filter->first))
		filter_expect_more(filter, rows, left_out);
	if (filter->mode != FILTER_FIRST && !filter->looks_up)
		return append_some(filter, *rows);
	rows_reset(filter->unfiltered);
	if (!append_some(filter, filter->unfiltered))
		return false;
	keep_wanted(filter, rows, left_out);
	return true;
}
