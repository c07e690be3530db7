/*
 * boundaries.c: marks the boundaries: the rows at which partitions and peer groups begin.
 *
 * stream_block.c calls it for rows of input that streams: each row is compared with the row before it, key by key.
 * The boundaries of sorted input are found by its sort; here they are only searched.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/memutils.h"

#include "column/stretch.h"
#include "node/input/boundaries.h"

/* True if a key of row i equals that of the row before. */
static inline bool
row_has_same_key(WindowKey *key, const Column *column, int64 i)
{
	bool  a_isnull, b_isnull;
	Datum x = column_get(column, i, &a_isnull);
	Datum y = column_get(column, i - 1, &b_isnull);

	if (a_isnull || b_isnull)
		return a_isnull == b_isnull;
	if (key->by_datum)
		return x == y;
	return DatumGetBool(FunctionCall2Coll(&key->equal, key->order.collation, x, y));
}

#define MARK_CHANGES(TYPE)              \
	for (int64 i = begin; i < end; i++) \
	mark[i] |= ((const TYPE *) column->value)[i] != ((const TYPE *) column->value)[i - 1]

/* Marks rows whose value differs from the one before.  The values are equal if their bytes are, and none is NULL. */
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

/* Marks rows of the block, from row `from` >= 1 on, of which a key differs from that of the row before. */
static void
mark_key_changes(WindowKey *key, ExprContext *econtext, const Block *block, bool *mark, int64 from)
{
	const Column *column = &block->rows->column[key->column].data;
	MemoryContext old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);

	for (int64 begin = from, end; begin < block->rows->n; begin = end)
	{
		end = stretch_end(begin, block->rows->n);
		if (key->by_datum && !column->has_nulls)
			mark_changes(mark, column, begin, end);
		else
			for (int64 i = begin; i < end; i++)
				if (!mark[i])
					mark[i] = !row_has_same_key(key, column, i);
	}
	MemoryContextSwitchTo(old);
	if (!key->by_datum)
		ResetExprContext(econtext);
}

void
boundaries_reserve(Block *block, int64 n)
{
	if (n <= block->capacity)
		return;
	block->capacity = Max(2 * block->capacity, Max(n, BLOCK_MAX_ROWS));
	block->head = (bool *) pool_resize(block->rows->arrays, block->head, block->capacity);
	block->peer = (bool *) pool_resize(block->rows->arrays, block->peer, block->capacity);
}

int64
boundaries_next_unit(const SortOrder *order, Lookahead unit, int64 from)
{
	const uint8 *mark = unit == LOOKAHEAD_PEERS ? order->peers : order->heads;

	Assert(unit != LOOKAHEAD_NONE);
	FOR_INTERRUPTIBLE (i, from, order->n)
		if (scan_bit(mark, i))
			return i;
	return order->n;
}

void
boundaries_mark(const WindowKeys *keys, ExprContext *econtext, Block *block, int64 from)
{
	int64 n = block->rows->n - from;
	int64 second = Max(from, 1);

	boundaries_reserve(block, block->rows->n);
	memset(block->head + from, false, n);
	if (from == 0)
		block->head[0] = true;
	for (int k = 0; k < keys->partition; k++)
		mark_key_changes(&keys->key[k], econtext, block, block->head, second);
	memcpy(block->peer + from, block->head + from, n);
	for (int k = keys->partition; k < keys->n; k++)
		mark_key_changes(&keys->key[k], econtext, block, block->peer, second);
}
