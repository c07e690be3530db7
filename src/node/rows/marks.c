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
same_key(BlockKey *key, const Column *a, int64 i, const Column *b, int64 j)
{
	bool  a_isnull, b_isnull;
	Datum x = column_get(a, i, &a_isnull);
	Datum y = column_get(b, j, &b_isnull);

	if (a_isnull || b_isnull)
		return a_isnull == b_isnull;
	if (key->by_datum)
		return x == y;
	return DatumGetBool(FunctionCall2Coll(&key->equal, key->collation, x, y));
}

#define MARK_CHANGES(TYPE)              \
	for (int64 i = begin; i < end; i++) \
	mark[i] |= ((const TYPE *) column->value)[i] != ((const TYPE *) column->value)[i - 1]

/* Marks where a value is not the one before; the values tell by their bytes, and none is NULL. */
static void
mark_changes(bool *mark, const Column *column, int64 begin, int64 end)
{
	switch (column->format)
	{
		case COLUMN_BYTE:
			MARK_CHANGES(int8);
			break;
		case COLUMN_INT16:
			MARK_CHANGES(int16);
			break;
		case COLUMN_INT32:
			MARK_CHANGES(int32);
			break;
		default:
			MARK_CHANGES(int64);
			break;
	}
}

/* Marks in `mark` where a key is not that of the row before; row `from` comes after row j of `before`. */
static void
mark_key(BlockReader *reader, BlockKey *key, bool *mark, int64 from, const Rows *before, int64 j)
{
	const Rows	 *rows = reader->block.rows;
	const Column *column = &rows->column[key->column].data;
	MemoryContext old = MemoryContextSwitchTo(reader->econtext->ecxt_per_tuple_memory);

	mark[from] |= !same_key(key, column, from, &before->column[key->column].data, j);
	for (int64 begin = from + 1, end; begin < rows->n; begin = end)
	{
		end = stretch_end(begin, rows->n);
		if (key->by_datum && !column->has_nulls)
			mark_changes(mark, column, begin, end);
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

int64
marks_next_unit(const BlockReader *reader, int64 from)
{
	const uint8 *mark = reader->lookahead == LOOKAHEAD_PEERS ? reader->peers : reader->heads;

	if (reader->lookahead == LOOKAHEAD_NONE)
		return from;
	STRETCHES (i, from, reader->ordered)
		if (scan_bit(mark, i))
			return i;
	return reader->ordered;
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
