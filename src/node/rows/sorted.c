/*
 * sorted.c: input of PrefixScan that is not in window order.
 *
 * All of it is pulled before the first block: into columns in memory, which are
 * sorted by an index.  What does not fit in scan.work_mem is sorted in parts, which go
 * to disk (sort/runs.h) and come back merged, as from a child that is in order.  Rows
 * that are equal in all keys keep the order of the input, in memory and on disk.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "guc.h"
#include "node/rows/pull.h"
#include "node/rows/sorted.h"
#include "run.h"
#include "sort/key.h"
#include "sort/runs.h"

/* ---- in memory ---- */

/* Rows between two looks at the budget. */
#define SORT_PULL 4096

/*
 * The sort's columns; those that are keys and nothing else may go when they are `expendable`.
 * Returns the bytes a row that the sort takes beside them.
 */
static Size
sort_columns(const BlockReader *reader, SortColumn *column, bool expendable)
{
	for (int k = 0; k < reader->keys; k++)
	{
		const BlockKey *key = &reader->key[k];

		column[k].data = &reader->all->column[key->column].data;
		column[k].sort_operator = key->sort_operator;
		column[k].collation = key->collation;
		column[k].nulls_first = key->nulls_first;
		column[k].expendable = expendable && !reader->all->column[key->column].wanted;
		for (int other = 0; other < reader->keys; other++)
			if (other != k && reader->key[other].column == key->column)
				column[k].expendable = false; /* a stage may end between the two */
	}
	return sort_row_bytes(column, reader->keys);
}

/* The bytes of the rows, as far as they have been written to, and of what their sort takes. */
static Size
sorted_size(const Rows *all, Size sort_bytes)
{
	return all->n * (rows_row_bytes(all) + sort_bytes) + all->arena.used;
}

static void
sort_in_memory(BlockReader *reader, SortColumn *column, Size sort_bytes)
{
	Rows	   *all = reader->all;
	SortRequest request = {.columns = reader->keys, .column = column, .partition = reader->partition_keys, .n = all->n};
	Size		marks = scan_bit_bytes(all->n) + 1;
	InstrumentStep step;

	reader->sorted_bytes = sorted_size(all, sort_bytes);
	reader->most_bytes = Max(reader->most_bytes, reader->sorted_bytes);
	request.pool = all->arrays;
	request.sorter = &scan_word_sorter;
	reader->heads = request.head = (uint8 *) pool_alloc(all->arrays, marks);
	reader->peers = request.peer = (uint8 *) pool_alloc(all->arrays, marks);
	step = instrument_begin(reader->instrument);
	sort_rows(&request);
	reader->order = request.order;
	if (reader->instrument != NULL)
	{
		instrument_end(reader->instrument, &step, &reader->instrument->sort_ns);
		instrument_jobs(reader->instrument, &step);
	}
	reader->sort_bits = request.bits;
}

/* ---- on disk ---- */

static Runs *
new_runs(const BlockReader *reader)
{
	RunKey *key = (RunKey *) palloc(Max(reader->keys, 1) * sizeof(RunKey));
	Runs   *runs;

	for (int k = 0; k < reader->keys; k++)
	{
		key[k].column = reader->key[k].column;
		key[k].sort_operator = reader->key[k].sort_operator;
		key[k].collation = reader->key[k].collation;
		key[k].nulls_first = reader->key[k].nulls_first;
	}
	runs = runs_create(reader->memory, reader->rows[0]->column, reader->columns, key, reader->keys, guc_budget());
	pfree(key);
	return runs;
}

/* Lets go of what told the order of the rows in memory. */
static void
forget_order(BlockReader *reader)
{
	pool_free(reader->all->arrays, reader->order);
	pool_free(reader->all->arrays, reader->heads);
	pool_free(reader->all->arrays, reader->peers);
}

/* Sorts the rows in memory and puts them on disk. */
static void
put_away(BlockReader *reader, SortColumn *column, Size sort_bytes)
{
	InstrumentStep step;

	if (reader->runs == NULL)
		reader->runs = new_runs(reader);
	sort_in_memory(reader, column, sort_bytes);
	step = instrument_begin(reader->instrument);
	runs_write(reader->runs, reader->all, reader->order);
	if (reader->instrument != NULL)
		instrument_end(reader->instrument, &step, &reader->instrument->sort_ns);
	forget_order(reader);
	rows_reset(reader->all);
}

int64
sorted_pull(BlockReader *reader, Rows *rows, int64 most)
{
	return runs_pull(reader->runs, rows, most, BLOCK_MAX_BYTES);
}

/* ---- all of it ---- */

void
sorted_input(BlockReader *reader)
{
	Size		budget = guc_budget();
	SortColumn *column = (SortColumn *) palloc0(Max(reader->keys, 1) * sizeof(SortColumn));
	Size		least_bytes, sort_bytes;

	reader->all = rows_create(reader->memory, reader->rows[0]->column, reader->columns, ROWS_BY_ROW);
	least_bytes = sort_columns(reader, column, true);
	sort_bytes = sort_columns(reader, column, false);
	/* what goes to disk needs its keys: they make room for more rows only where all rows are expected to fit then */
	if (reader->child->plan->plan_rows * (rows_row_bytes(reader->all) + least_bytes) > budget)
		least_bytes = sort_bytes;
	while (pull_rows(reader, reader->all, SORT_PULL) > 0)
		if (sorted_size(reader->all, least_bytes) > budget || reader->all->n > PG_UINT32_MAX - SORT_PULL)
		{
			put_away(reader, column, sort_bytes);
			least_bytes = sort_bytes;
		}
	if (reader->runs == NULL)
	{
		/* memory that goes has to be touched anew by the next query */
		if (sorted_size(reader->all, sort_bytes) > budget)
			sort_bytes = sort_columns(reader, column, true);
		sort_in_memory(reader, column, sort_bytes);
		rows_refer_to(reader->rows[0], &reader->all->arena);
	}
	else
	{
		if (reader->all->n > 0)
			put_away(reader, column, sort_bytes);
		rows_free(reader->all);
		reader->all = NULL;
		reader->spilled_kb = (runs_written(reader->runs) + 1023) / 1024;
	}
	pfree(column);
}

void
sorted_rewind(BlockReader *reader)
{
	if (reader->all != NULL)
	{
		rows_free(reader->all); /* with the order */
		rows_refer_to(reader->rows[0], NULL);
	}
	if (reader->runs != NULL)
		runs_free(reader->runs);
	reader->all = NULL;
	reader->runs = NULL;
	reader->next = 0;
}
