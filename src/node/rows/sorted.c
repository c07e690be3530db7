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

/* The sort's columns. */
static void
sort_columns(const BlockReader *reader, SortColumn *column)
{
	for (int k = 0; k < reader->keys; k++)
	{
		const BlockKey *key = &reader->key[k];

		column[k].data = &reader->all->column[key->column].data;
		column[k].sort_operator = key->sort_operator;
		column[k].collation = key->collation;
		column[k].nulls_first = key->nulls_first;
	}
}

static void
sort_in_memory(BlockReader *reader, SortColumn *column)
{
	Rows	   *all = reader->all;
	SortRequest request = {.columns = reader->keys, .column = column, .partition = reader->partition_keys, .n = all->n};
	int64		room = Max(all->n, 1);
	InstrumentStep step;

	if (reader->capacity > 0)
	{
		/* marks of blocks that streamed, before a rescan */
		pfree(reader->block.head);
		pfree(reader->block.peer);
		reader->block.head = reader->block.peer = NULL;
		reader->capacity = 0;
	}
	request.pool = all->arrays;
	request.sort = scan_sort;
	reader->order = request.order = (uint32 *) pool_alloc(all->arrays, room * sizeof(uint32));
	reader->heads = request.head = (bool *) pool_alloc(all->arrays, room);
	reader->peers = request.peer = (bool *) pool_alloc(all->arrays, room);
	step = instrument_begin(reader->instrument);
	sort_rows(&request);
	if (reader->instrument != NULL)
	{
		instrument_end(reader->instrument, &step, &reader->instrument->sort_ns);
		instrument_jobs(reader->instrument, &step);
	}
	reader->sort_bits = request.bits;
}

/* The bytes of the rows, as far as they have been written to, and of what their sort takes. */
static Size
sorted_size(const Rows *all, Size sort_bytes)
{
	return all->n * (rows_row_bytes(all) + sort_bytes) + all->arena.used;
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
put_away(BlockReader *reader, SortColumn *column)
{
	InstrumentStep step;

	if (reader->runs == NULL)
		reader->runs = new_runs(reader);
	sort_in_memory(reader, column);
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
	Size		sort_bytes;

	reader->all = rows_create(reader->memory, reader->rows[0]->column, reader->columns, ROWS_BY_ROW);
	sort_columns(reader, column);
	sort_bytes = sort_row_bytes(column, reader->keys);
	while (pull_rows(reader, reader->all, SORT_PULL) > 0)
	{
		reader->most_bytes = Max(reader->most_bytes, sorted_size(reader->all, sort_bytes));
		if (sorted_size(reader->all, sort_bytes) > budget || reader->all->n > PG_UINT32_MAX - SORT_PULL)
			put_away(reader, column);
	}
	if (reader->runs == NULL)
	{
		sort_in_memory(reader, column);
		rows_refer_to(reader->rows[0], &reader->all->arena);
	}
	else
	{
		if (reader->all->n > 0)
			put_away(reader, column);
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
