/*
 * block.c: the input of PrefixScan in blocks of rows in window order.
 *
 * Input that is in order already streams: a block is pulled, 64 rows at first and
 * more each time, so that a LIMIT above does not pay for what it does not see.  The
 * first row behind a block tells that the block is complete; it is the first row of
 * the next.  Input that is not in order is pulled and sorted before the first block
 * (sorted.c); what was sorted on disk streams like the rest.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "node/block.h"

#define BLOCK_FIRST 64
#define BLOCK_MOST 1024
#define BLOCK_BYTES (1024 * 1024) /* of values that are not in their Datums */

/* ---- keys ---- */

/* Whether rows i of a and j of b are equal in the keys from to - 1. */
static inline bool
same_keys(BlockReader *reader, const Rows *a, int64 i, const Rows *b, int64 j, int from, int to)
{
	for (int k = from; k < to; k++)
	{
		BlockKey		*key = &reader->key[k];
		const RowColumn *x = &a->column[key->column];
		const RowColumn *y = &b->column[key->column];

		if (x->isnull[i] || y->isnull[j])
		{
			if (x->isnull[i] != y->isnull[j])
				return false;
		}
		else if (key->by_datum
					 ? x->value[i] != y->value[j]
					 : !DatumGetBool(FunctionCall2Coll(&key->equal, key->collation, x->value[i], y->value[j])))
			return false;
	}
	return true;
}

/* Marks row i of the block's rows by its keys and those of row j of `before`. */
static void
mark_row(BlockReader *reader, int64 i, const Rows *before, int64 j)
{
	Block		 *block = &reader->block;
	MemoryContext old = NULL;

	if (!reader->keys_by_datum)
		old = MemoryContextSwitchTo(reader->econtext->ecxt_per_tuple_memory);
	block->head[i] = before == NULL || !same_keys(reader, block->rows, i, before, j, 0, reader->partition_keys);
	block->peer[i] = block->head[i] ||
					 !same_keys(reader, block->rows, i, before, j, reader->partition_keys, reader->keys);
	if (!reader->keys_by_datum)
	{
		MemoryContextSwitchTo(old);
		ResetExprContext(reader->econtext);
	}
}

/* ---- pulling ---- */

bool
block_pull(BlockReader *reader)
{
	TupleTableSlot *slot = ExecProcNode(reader->child);

	if (TupIsNull(slot))
		return false;
	slot_getsomeattrs(slot, reader->last_attno);
	if (reader->computes)
	{
		ResetExprContext(reader->econtext);
		reader->econtext->ecxt_scantuple = slot;
	}
	for (int c = 0; c < reader->columns; c++)
	{
		const BlockColumn *column = &reader->column[c];

		if (column->attno > 0)
		{
			reader->value[c] = slot->tts_values[column->attno - 1];
			reader->isnull[c] = slot->tts_isnull[column->attno - 1];
		}
		else if (column->expr != NULL)
			reader->value[c] = ExecEvalExprSwitchContext(column->expr, reader->econtext, &reader->isnull[c]);
	}
	return true;
}

/* The next row in window order. */
static inline bool
pull_row(BlockReader *reader)
{
	return reader->sorter != NULL ? sorted_pull(reader) : block_pull(reader);
}

/* Place for n rows in the block's marks. */
static void
reserve_marks(BlockReader *reader, int64 n)
{
	Block *block = &reader->block;

	if (n <= reader->capacity)
		return;
	reader->capacity = Max(2 * reader->capacity, Max(n, BLOCK_MOST));
	if (block->head == NULL)
	{
		block->head = (bool *) MemoryContextAllocHuge(reader->memory, reader->capacity);
		block->peer = (bool *) MemoryContextAllocHuge(reader->memory, reader->capacity);
	}
	else
	{
		block->head = (bool *) repalloc_huge(block->head, reader->capacity);
		block->peer = (bool *) repalloc_huge(block->peer, reader->capacity);
	}
}

/* Whether a block may end before row i, which is marked. */
static bool
unit_ends(const Block *block, NodeNeed need, int64 i)
{
	return need == NEED_ROW || (need == NEED_PEERS ? block->peer[i] : block->head[i]);
}

int64
block_unit_end(const Block *block, NodeNeed unit, int64 i)
{
	do
		i++;
	while (i < block->n && !unit_ends(block, unit, i));
	return i;
}

/* The next block of input that is in order: its rows, and the first one behind it. */
static bool
stream_block(BlockReader *reader)
{
	Block *block = &reader->block;
	Rows  *before = reader->rows[0];
	int64  n = 0;

	reader->rows[0] = reader->rows[1];
	reader->rows[1] = before;
	block->rows = reader->rows[0];
	rows_reset(block->rows);
	reserve_marks(reader, BLOCK_MOST);

	if (!reader->started)
	{
		reader->at_end = !pull_row(reader);
		if (!reader->at_end)
		{
			rows_append(block->rows, reader->value, reader->isnull);
			mark_row(reader, 0, NULL, 0);
		}
	}
	else if (!reader->at_end)
	{
		/* the row behind the last block, marked when it was pulled */
		rows_append_row(block->rows, before, block->n);
		block->head[0] = block->head[block->n];
		block->peer[0] = block->peer[block->n];
	}
	if (block->rows->n == 0)
		return false;

	for (n = 1;; n++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!pull_row(reader))
		{
			reader->at_end = true;
			break;
		}
		rows_append(block->rows, reader->value, reader->isnull);
		reserve_marks(reader, n + 1);
		mark_row(reader, n, block->rows, n - 1);
		if ((n >= reader->want || block->rows->bytes > BLOCK_BYTES) && unit_ends(block, reader->need, n))
			break;
	}
	block->n = n;
	return true;
}

/* ---- input that was sorted in memory ---- */

/* Rows ahead of the one that is gathered, to be in the cache when their turn comes. */
#define GATHER_AHEAD 16

/* The next n rows, of the columns that are wanted and not constant. */
static void
gather(BlockReader *reader, int64 n)
{
	const uint32 *order = reader->order + reader->next;
	int64		  ahead = Max(reader->all->n - reader->next - GATHER_AHEAD, 0);

	for (int c = 0; c < reader->columns; c++)
	{
		const RowColumn *from = &reader->all->column[c];
		RowColumn		*to = &reader->block.rows->column[c];

		if (from->constant || !from->wanted)
			continue;
		for (int64 i = 0; i < n; i++)
		{
			if (i < ahead)
				__builtin_prefetch(&from->value[order[i + GATHER_AHEAD]]);
			to->value[i] = from->value[order[i]];
		}
		for (int64 i = 0; i < n && from->has_nulls; i++)
		{
			if (i < ahead)
				__builtin_prefetch(&from->isnull[order[i + GATHER_AHEAD]]);
			to->isnull[i] = from->isnull[order[i]];
		}
		if (!from->has_nulls)
			memset(to->isnull, 0, n * sizeof(bool));
	}
}

/* The next block of sorted input: gathered, column by column, from where the rows lie. */
static bool
gathered_block(BlockReader *reader)
{
	Block *block = &reader->block;
	int64  rest = reader->all->n - reader->next;
	int64  n = Min(reader->want, rest);

	if (rest == 0)
		return false;
	block->rows = reader->rows[0];
	block->head = reader->heads + reader->next;
	block->peer = reader->peers + reader->next;
	while (n < rest && !unit_ends(block, reader->need, n))
		n++;
	rows_reserve(block->rows, n);
	gather(reader, n);
	block->n = n;
	reader->next += n;
	CHECK_FOR_INTERRUPTS();
	return true;
}

bool
block_next(BlockReader *reader)
{
	bool there;

	if (reader->sorts && !reader->started)
		sorted_input(reader);
	there = reader->all != NULL ? gathered_block(reader) : stream_block(reader);
	reader->started = true;
	reader->want = Min(4 * reader->want, BLOCK_MOST);
	if (there)
	{
		Size bytes = rows_size(reader->rows[0]) + rows_size(reader->rows[1]);

		if (reader->all != NULL)
			bytes += rows_size(reader->all) + reader->all->n * (sizeof(uint32) + 2);
		reader->most_bytes = Max(reader->most_bytes, bytes);
		reader->blocks++;
	}
	return there;
}

void
block_rewind(BlockReader *reader)
{
	rows_reset(reader->rows[0]);
	rows_reset(reader->rows[1]);
	if (reader->all != NULL)
	{
		/* they were its marks */
		reader->block.head = reader->block.peer = NULL;
		reader->capacity = 0;
	}
	sorted_rewind(reader);
	reader->started = false;
	reader->at_end = false;
	reader->want = BLOCK_FIRST;
	reader->block.n = 0;
}
