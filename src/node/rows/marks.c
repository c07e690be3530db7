/*
 * marks.c: marks the rows at which partitions and peer groups begin.
 *
 * reader.c has the rows of input that streams marked as they come, by comparing each with the
 * row before it, key by key.  Sorted input needs no marks from here: its sort has made them.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "column/stretch.h"
#include "node/rows/marks.h"

/* Whether a key of row i is that of row j of `before`. */
static inline bool
same_key(BlockKey *key, const RowColumn *a, int64 i, const RowColumn *b, int64 j)
{
	if (a->isnull[i] || b->isnull[j])
		return a->isnull[i] == b->isnull[j];
	if (key->by_datum)
		return a->value[i] == b->value[j];
	return DatumGetBool(FunctionCall2Coll(&key->equal, key->collation, a->value[i], b->value[j]));
}

/* Marks in `mark` where a key is not that of the row before; row `from` comes after row j of `before`. */
static void
mark_key(BlockReader *reader, BlockKey *key, bool *mark, int64 from, const Rows *before, int64 j)
{
	const Rows		*rows = reader->block.rows;
	const RowColumn *column = &rows->column[key->column];
	MemoryContext	 old = MemoryContextSwitchTo(reader->econtext->ecxt_per_tuple_memory);

	mark[from] |= !same_key(key, column, from, &before->column[key->column], j);
	for (int64 begin = from + 1, end; begin < rows->n; begin = end)
	{
		end = stretch_end(begin, rows->n);
		if (key->by_datum && !column->has_nulls)
			for (int64 i = begin; i < end; i++)
				mark[i] |= column->value[i] != column->value[i - 1];
		else
			for (int64 i = begin; i < end; i++)
				if (!mark[i])
					mark[i] = !same_key(key, column, i, column, i - 1);
	}
	MemoryContextSwitchTo(old);
	if (!key->by_datum)
		ResetExprContext(reader->econtext);
}

void
marks_reserve(BlockReader *reader, int64 n)
{
	Block *block = &reader->block;

	if (n <= reader->capacity)
		return;
	reader->capacity = Max(2 * reader->capacity, Max(n, BLOCK_MAX_ROWS));
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

void
marks_add(BlockReader *reader, int64 from, const Rows *before, int64 j)
{
	Block *block = &reader->block;
	int64  n = block->rows->n - from;

	marks_reserve(reader, block->rows->n);
	memset(block->head + from, false, n);
	if (before == NULL)
		block->head[from] = true;
	for (int k = 0; k < reader->keys; k++)
	{
		if (k == reader->partition_keys)
			memcpy(block->peer + from, block->head + from, n);
		mark_key(reader, &reader->key[k], k < reader->partition_keys ? block->head : block->peer, from,
				 before == NULL ? block->rows : before, before == NULL ? from : j);
	}
	if (reader->keys == reader->partition_keys)
		memcpy(block->peer + from, block->head + from, n);
}
