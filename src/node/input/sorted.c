/*
 * sorted.c: sorts input of PrefixScan that is not in window order.
 *
 * reader.c calls it before the first block.  All rows are pulled into columns in memory, and row numbers are sorted.
 * Rows that do not fit in scan.work_mem are sorted in parts, which go to disk (sort/runs.h) and come back merged, as
 * from a child that is in order.  Rows that are equal in all keys keep the order of the input, in memory and on disk.
 * Where only the first rows of each partition are wanted, first_rows.c finds the rows that are not.
 *
 * Where several processes read the child, each first repartitions its rows to batches (exchange/repartition.h).  A
 * batch has whole partitions and is an input of its own.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "exchange/repartition.h"
#include "guc.h"
#include "node/input/first_rows.h"
#include "node/input/pull.h"
#include "node/input/sorted.h"
#include "run.h"
#include "sort/key.h"
#include "sort/normalize.h"
#include "sort/runs.h"

/* ---- in memory ---- */

/* Rows that are pulled between two checks of the budget. */
#define SORT_PULL 4096

/* True if key k's column is another key, too: a stage of the sort may end between the two keys. */
static bool
is_key_twice(const BlockReader *reader, int k)
{
	for (int other = 0; other < reader->keys.n; other++)
		if (other != k && reader->keys.key[other].column == reader->keys.key[k].column)
			return true;
	return false;
}

/*
 * Lays wanted keys apart from other columns where they can be recomputed from sorted words: such a key need not be
 * gathered, and its column need not be kept once the words have it.
 */
static void
lay_keys_apart(const BlockReader *reader)
{
	bool numbers = reader->top.limit == 0; /* the rows that first_rows.c keeps are copied with their keys */

	for (int k = 0; k < reader->keys.n; k++)
		numbers = numbers && normalized_kind(&reader->keys.key[k].order) != PACK_NULLS;
	for (int k = 0; k < reader->keys.n; k++)
	{
		RowColumn *column = &reader->buffer[0].rows->column[reader->keys.key[k].column];

		column->apart = numbers && column->wanted && !column->constant && !is_key_twice(reader, k) &&
						pack_is_exact(normalized_kind(&reader->keys.key[k].order));
	}
}

/*
 * Fills in the sort's columns.  With `expendable`, the sort may drop columns that are not wanted, or that can be
 * recomputed.  Returns how many bytes a row the sort takes beside the columns.
 */
static Size
sort_columns(const BlockReader *reader, SortColumn *column, bool expendable)
{
	for (int k = 0; k < reader->keys.n; k++)
	{
		const WindowKey *key = &reader->keys.key[k];
		const RowColumn *from = &reader->all->column[key->column];

		column[k].data = &from->data;
		column[k].order = key->order;
		column[k].expendable = expendable && (!from->wanted || from->apart) && !is_key_twice(reader, k);
		column[k].restored = from->apart;
		column[k].restored_as = key->column;
	}
	return sort_row_bytes(column, reader->keys.n);
}

/* Returns the bytes of the rows, as far as memory has been written to, and of their sort. */
static Size
sorted_size(const Rows *all, Size sort_bytes)
{
	return all->n * (rows_row_bytes(all) + sort_bytes) + all->arena.used;
}

/* Sorts the rows in memory.  `last`: blocks are gathered from them; else they are written or copied in their order. */
static void
sort_in_memory(BlockReader *reader, SortColumn *column, Size sort_bytes, bool last)
{
	Rows	   *all = reader->all;
	SortRequest request = {
		.columns = reader->keys.n, .column = column, .partition = reader->keys.partition, .n = all->n};
	InstrumentStep step;

	reader->sorted_bytes = sorted_size(all, sort_bytes);
	reader->statistics.peak_bytes = Max(reader->statistics.peak_bytes, reader->sorted_bytes);
	request.pool = all->arrays;
	request.sorter = &scan_word_sorter;
	request.keeps_words = last && !reader->range_partitioned;
	step = instrument_begin(reader->statistics.instrument);
	if (last && reader->top.limit == 0 && !reader->range_partitioned)
		request.scans = reader->offer(reader->functions, guc_budget() - Min(guc_budget(), reader->sorted_bytes));
	sort_rows(&request, &reader->order);
	if (request.scans != NULL)
	{
		reader->sorted_bytes += reader->take(reader->functions, true);
		reader->statistics.peak_bytes = Max(reader->statistics.peak_bytes, reader->sorted_bytes);
	}
	if (reader->top.limit > 0)
		top_of_order(&reader->top, &reader->order);
	reader->statistics.left_out += all->n - reader->order.n;
	if (reader->statistics.instrument != NULL)
	{
		instrument_end(reader->statistics.instrument, &step, &reader->statistics.instrument->sort_ns);
		instrument_jobs(reader->statistics.instrument, &step);
	}
}

/* ---- on disk ---- */

/* Writes the sorted rows in memory to disk, as a run. */
static void
put_away(BlockReader *reader)
{
	InstrumentStep step = instrument_begin(reader->statistics.instrument);

	if (reader->runs == NULL)
	{
		window_keys_prepare(&reader->keys);
		reader->runs = runs_create(reader->memory, reader->buffer[0].rows->column, reader->pull.columns,
								   reader->keys.compare, reader->keys.n, guc_budget());
	}
	runs_write(reader->runs, reader->all, &reader->order);
	if (reader->statistics.instrument != NULL)
		instrument_end(reader->statistics.instrument, &step, &reader->statistics.instrument->sort_ns);
	sort_order_free(&reader->order, reader->all->arrays);
	rows_reset(reader->all);
}

int64
sorted_pull(BlockReader *reader, Rows *rows, int64 limit)
{
	return runs_pull(reader->runs, rows, limit, BLOCK_MAX_BYTES);
}

/* ---- all of it ---- */

Rows *
sorted_rows(BlockReader *reader)
{
	lay_keys_apart(reader);
	return rows_create(reader->memory, reader->buffer[0].rows->column, reader->pull.columns, ROWS_BY_ROW);
}

/* What stands between the input and the rows in memory, if not all rows are wanted. */
typedef struct Filter
{
	Top	 *top;		/* NULL: all rows are wanted */
	Rows *batch;	/* rows of the input that have not been filtered */
	bool  of_batch; /* the input is a batch that was taken, not the child */
} Filter;

static Filter
filter_create(BlockReader *reader, bool of_batch)
{
	Filter filter = {NULL, NULL, of_batch};

	if (reader->top.limit > 0)
	{
		window_keys_prepare(&reader->keys);
		filter.top = top_create(&reader->keys, reader->top, reader->memory);
		filter.batch = rows_create_like(reader->all);
	}
	return filter;
}

static void
filter_free(Filter *filter)
{
	if (filter->top == NULL)
		return;
	top_free(filter->top);
	rows_free(filter->batch);
}

/* Appends some rows of the input; false: there are none. */
static bool
append_some(BlockReader *reader, const Filter *filter, Rows *rows)
{
	return filter->of_batch ? repartition_pull(reader->repartition, rows)
							: pull_rows(&reader->pull, rows, SORT_PULL) > 0;
}

/* Appends some wanted rows of the input to those in memory; false: the input has ended. */
static bool
pull_some(BlockReader *reader, const Filter *filter)
{
	if (filter->top == NULL || !top_filters(filter->top))
		return append_some(reader, filter, reader->all);
	rows_reset(filter->batch);
	if (!append_some(reader, filter, filter->batch))
		return false;
	reader->statistics.left_out += filter->batch->n - top_append(filter->top, reader->all, filter->batch);
	return true;
}

/* Returns the most bytes that the rows in memory take: while they are sorted, or while the wanted ones are copied. */
static Size
bytes_needed(const BlockReader *reader, const Filter *filter, Size sort_bytes)
{
	const Rows *all = reader->all;
	Size		copy_bytes = sizeof(uint32) + rows_row_bytes(all) / 2; /* half of the rows at most */

	if (filter->top == NULL)
		return sorted_size(all, sort_bytes);
	return sorted_size(all, Max(sort_bytes, copy_bytes)) + all->arena.used / 2;
}

/*
 * Sorts the rows in memory.  If at most half of them are wanted, the others are dropped.  Else the wanted rows go to
 * disk if memory is `full`, and all rows stay if it is not.
 */
static void
make_room(BlockReader *reader, Filter *filter, SortColumn *column, bool full)
{
	Size sort_bytes = sort_columns(reader, column, false);

	sort_in_memory(reader, column, sort_bytes, false);
	if (filter->top != NULL && top_keep(filter->top, &reader->all, &reader->order))
		return;
	if (full)
	{
		put_away(reader);
		if (filter->top != NULL)
			top_forget(filter->top);
		return;
	}
	/* all rows stay, and will be sorted again */
	reader->statistics.left_out -= reader->all->n - reader->order.n;
	sort_order_free(&reader->order, reader->all->arrays);
}

void
sorted_input(BlockReader *reader)
{
	Size		budget = guc_budget();
	SortColumn *column = (SortColumn *) palloc0(Max(reader->keys.n, 1) * sizeof(SortColumn));
	Size		least_bytes, sort_bytes;
	Filter		filter;
	bool		full;

	if (reader->order.unpack == NULL)
		reader->order.unpack = (Unpack *) MemoryContextAllocZero(reader->memory,
																 Max(reader->pull.columns, 1) * sizeof(Unpack));
	reader->all = sorted_rows(reader);
	filter = filter_create(reader, reader->repartition != NULL);
	least_bytes = sort_columns(reader, column, true);
	sort_bytes = sort_columns(reader, column, false);
	/*
	 * Rows that go to disk need their keys.  So dropping keys makes room for more rows only where all rows are expected
	 * to fit in memory without them.
	 */
	if (filter.top != NULL ||
		reader->pull.child->plan->plan_rows * (rows_row_bytes(reader->all) + least_bytes) > budget)
		least_bytes = sort_bytes;
	while (pull_some(reader, &filter))
	{
		full = bytes_needed(reader, &filter, least_bytes) > budget || reader->all->n > PG_UINT32_MAX - SORT_PULL;
		/* a range is one block, whatever it takes */
		if (reader->range_partitioned && reader->all->n > PG_UINT32_MAX - SORT_PULL)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many rows are equal in all keys of a window"),
					 errhint("One process can answer it: SET scan.parallel = off.")));
		full = full && !reader->range_partitioned;
		if (full)
			least_bytes = sort_bytes;
		if (full || (filter.top != NULL && reader->all->n >= top_due(filter.top)))
			make_room(reader, &filter, column, full);
	}
	filter_free(&filter);
	if (reader->runs == NULL)
	{
		/* keys are dropped only where memory is short: the next query would have to touch freed memory anew */
		sort_bytes = sort_columns(reader, column,
								  reader->top.limit == 0 && !reader->range_partitioned &&
									  sorted_size(reader->all, sort_bytes) > budget);
		sort_in_memory(reader, column, sort_bytes, true);
		rows_refer_to(reader->buffer[0].rows, &reader->all->arena);
	}
	else
	{
		if (reader->all->n > 0)
		{
			sort_in_memory(reader, column, sort_columns(reader, column, false), false);
			put_away(reader);
		}
		rows_free(reader->all);
		reader->all = NULL;
		reader->statistics.spilled += runs_written(reader->runs);
	}
	pfree(column);
}

/* ---- several processes ---- */

/* Rows are filtered before they are repartitioned if fewer than one of so many rows of a process are wanted. */
#define TOP_PART 16

static void
repartition_all(BlockReader *reader, Rows *batch)
{
	while (pull_rows(&reader->pull, batch, SORT_PULL) > 0)
		/* a few rows for each batch would be much work */
		if (batch->n >= SORT_PULL || batch->arena.used > BLOCK_MAX_BYTES)
		{
			repartition_rows(reader->repartition, batch);
			rows_reset(batch);
		}
	repartition_rows(reader->repartition, batch);
}

/* True if it is less work to find the first rows of partitions in this process, too, than to repartition all rows. */
static bool
few_are_wanted(const BlockReader *reader)
{
	return reader->pull.child->plan->plan_rows > TOP_PART * (double) reader->top.limit * reader->top.partitions;
}

/* Repartitions the rows that may be among the first ones of their partitions. */
static void
repartition_top(BlockReader *reader)
{
	SortColumn *column = (SortColumn *) palloc0(Max(reader->keys.n, 1) * sizeof(SortColumn));
	Filter		filter;
	Size		sort_bytes;

	reader->all = sorted_rows(reader);
	filter = filter_create(reader, false);
	sort_bytes = sort_columns(reader, column, false);
	while (pull_some(reader, &filter))
	{
		if (bytes_needed(reader, &filter, sort_bytes) > guc_budget() / 2)
		{
			repartition_rows(reader->repartition, reader->all);
			rows_reset(reader->all);
			top_forget(filter.top);
		}
		else if (reader->all->n >= top_due(filter.top))
			make_room(reader, &filter, column, false);
	}
	filter_free(&filter);
	repartition_rows(reader->repartition, reader->all);
	rows_free(reader->all);
	reader->all = NULL;
	pfree(column);
}

void
sorted_repartition(BlockReader *reader)
{
	Rows *batch;

	batch = sorted_rows(reader);
	if (repartition_begin(reader->repartition, batch, reader->repartition_key, reader->keys.partition) ==
		REPARTITION_ROWS)
	{
		if (reader->top.limit > 0 && few_are_wanted(reader))
			repartition_top(reader);
		else
			repartition_all(reader, batch);
		repartition_finish(reader->repartition);
	}
	rows_free(batch);
}

void
sorted_rewind(BlockReader *reader)
{
	if (reader->all != NULL)
	{
		(void) reader->take(reader->functions, false);
		rows_free(reader->all); /* and, with its pool, the order and its boundaries */
		rows_refer_to(reader->buffer[0].rows, NULL);
	}
	if (reader->runs != NULL)
		runs_free(reader->runs);
	reader->all = NULL;
	reader->runs = NULL;
	reader->next = 0;
}
