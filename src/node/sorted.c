/*
 * sorted.c: input of PrefixScan that is not in window order.
 *
 * All of it is pulled before the first block: into columns in memory, which are
 * sorted by an index, as long as they fit in scan.work_mem; else into PostgreSQL's
 * own tuplesort, which knows how to use the disk, and from where the rows come back
 * one after the other, as from a child that is in order.  Rows that are equal in all
 * keys keep the order of the input, in memory and on disk.
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "guc.h"
#include "node/block.h"
#include "sort/key.h"

/* ---- on disk ---- */

/* A row of the sorter: the columns, and the row's place in the input. */
static TupleDesc
sorter_desc(const BlockReader *reader)
{
	TupleDesc desc = CreateTemplateTupleDesc(reader->columns + 1);

	for (int c = 0; c < reader->columns; c++)
		TupleDescInitEntry(desc, c + 1, NULL, reader->column[c].type, -1, 0);
	TupleDescInitEntry(desc, reader->columns + 1, NULL, INT8OID, -1, 0);
	return desc;
}

/* A sorter by the keys and then the place in the input. */
static void
sorter_begin(BlockReader *reader)
{
	int		   keys = reader->keys + 1;
	AttrNumber attnos[INDEX_MAX_KEYS * 4];
	Oid		   operators[lengthof(attnos)], collations[lengthof(attnos)];
	bool	   nulls_first[lengthof(attnos)];
	TupleDesc  desc = sorter_desc(reader);

	if (keys > lengthof(attnos))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many sort keys: %d", keys)));
	for (int k = 0; k < reader->keys; k++)
	{
		attnos[k] = reader->key[k].column + 1;
		operators[k] = reader->key[k].sort_operator;
		collations[k] = reader->key[k].collation;
		nulls_first[k] = reader->key[k].nulls_first;
	}
	attnos[keys - 1] = reader->columns + 1;
	operators[keys - 1] = Int8LessOperator;
	collations[keys - 1] = InvalidOid;
	nulls_first[keys - 1] = false;
	reader->sorter = tuplesort_begin_heap(desc, keys, attnos, operators, collations, nulls_first, work_mem, NULL,
										  TUPLESORT_NONE);
	reader->sorted = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
}

/* Puts all of some rows into the sorter, as the input's rows from `place` on. */
static void
sorter_put(BlockReader *reader, TupleTableSlot *slot, const Rows *rows, int64 place)
{
	for (int64 i = 0; i < rows->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		ExecClearTuple(slot);
		for (int c = 0; c < reader->columns; c++)
		{
			const RowColumn *column = &rows->column[c];

			slot->tts_values[c] = column->constant ? (Datum) 0 : column->value[i * column->stride];
			slot->tts_isnull[c] = column->constant || column->isnull[i];
		}
		slot->tts_values[reader->columns] = Int64GetDatum(place + i);
		slot->tts_isnull[reader->columns] = false;
		ExecStoreVirtualTuple(slot);
		tuplesort_puttupleslot(reader->sorter, slot);
	}
}

/* The rows that were in memory, and the rest of the input, into a sorter. */
static void
sort_on_disk(BlockReader *reader)
{
	Rows					*rest = reader->rows[0];
	int64					 place = reader->all->n;
	TuplesortInstrumentation stats;
	TupleTableSlot			*slot;

	sorter_begin(reader);
	slot = MakeSingleTupleTableSlot(reader->sorted->tts_tupleDescriptor, &TTSOpsVirtual);
	sorter_put(reader, slot, reader->all, 0);
	rows_free(reader->all);
	reader->all = NULL;
	while (pull_rows(reader, rest, BLOCK_MOST) > 0)
	{
		sorter_put(reader, slot, rest, place);
		place += rest->n;
		rows_reset(rest);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplesort_performsort(reader->sorter);
	tuplesort_get_stats(reader->sorter, &stats);
	if (stats.spaceType == SORT_SPACE_TYPE_DISK)
		reader->spilled_kb = stats.spaceUsed;
}

int64
sorted_pull(BlockReader *reader, Rows *rows, int64 most)
{
	Size  bytes = rows->bytes;
	int64 n = 0;

	while (n < most && rows->bytes - bytes <= BLOCK_BYTES &&
		   tuplesort_gettupleslot(reader->sorter, true, false, reader->sorted, NULL))
	{
		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(reader->sorted);
		rows_append(rows, reader->sorted->tts_values, reader->sorted->tts_isnull);
		n++;
	}
	return n;
}

/* ---- in memory ---- */

/* Rows between two looks at the budget. */
#define SORT_PULL 4096

/* The sort's columns; their arrays may move until all rows are there. */
static void
sort_columns(const BlockReader *reader, SortColumn *column)
{
	for (int k = 0; k < reader->keys; k++)
	{
		const BlockKey	*key = &reader->key[k];
		const RowColumn *rows = &reader->all->column[key->column];

		column[k].value = rows->value;
		column[k].isnull = rows->isnull;
		column[k].may_be_null = rows->has_nulls || rows->constant;
		column[k].length = rows->length;
		column[k].by_value = rows->by_value;
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

	if (reader->capacity > 0)
	{
		/* marks of blocks that streamed, before a rescan */
		pfree(reader->block.head);
		pfree(reader->block.peer);
		reader->capacity = 0;
	}
	sort_columns(reader, column);
	request.pool = all->arrays;
	reader->order = request.order = (uint32 *) pool_alloc(all->arrays, room * sizeof(uint32));
	reader->heads = request.head = (bool *) pool_alloc(all->arrays, room);
	reader->peers = request.peer = (bool *) pool_alloc(all->arrays, room);
	sort_rows(&request);
	reader->sort_bits = request.bits;
}

/* The bytes of the rows, as far as they have been written to, and of what their sort takes. */
static Size
sorted_size(const Rows *all, Size sort_bytes)
{
	return all->n * (all->columns * (sizeof(Datum) + sizeof(bool)) + sort_bytes) + all->bytes;
}

void
sorted_input(BlockReader *reader)
{
	Size		budget = guc_budget();
	SortColumn *column = (SortColumn *) palloc0(Max(reader->keys, 1) * sizeof(SortColumn));
	Size		sort_bytes;

	reader->all = rows_create(reader->memory, reader->rows[0]->column, reader->columns, ROWS_BY_ROW);
	sort_columns(reader, column);
	sort_bytes = sort_row_bytes(column, reader->keys);
	while (reader->all != NULL && pull_rows(reader, reader->all, SORT_PULL) > 0)
		if (sorted_size(reader->all, sort_bytes) > budget || reader->all->n > PG_UINT32_MAX - SORT_PULL)
			sort_on_disk(reader);
	if (reader->all != NULL)
	{
		sort_in_memory(reader, column);
		reader->most_bytes = Max(reader->most_bytes, sorted_size(reader->all, sort_bytes));
	}
	pfree(column);
}

void
sorted_rewind(BlockReader *reader)
{
	if (reader->all != NULL)
		rows_free(reader->all); /* with the order */
	if (reader->sorter != NULL)
	{
		tuplesort_end(reader->sorter);
		ExecDropSingleTupleTableSlot(reader->sorted);
	}
	reader->all = NULL;
	reader->sorter = NULL;
	reader->sorted = NULL;
	reader->next = 0;
}
