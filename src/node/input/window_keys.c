/*
 * window_keys.c: looks up the orders of the window's keys and prepares their comparisons, marks boundaries, and tells
 * whether rows are in order.
 *
 * Only rows that are merged or compared with others need the comparisons: those of runs on disk, of filtered
 * partitions, and of ranges.  A sort in memory prepares its own comparisons (sort/key.h).
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "column/stretch.h"
#include "node/input/sorting.h"
#include "sort/normalize.h"
#include "sort/order.h"

void
window_key_set_order(WindowKey *key, Oid sort_operator, Oid collation, bool nulls_first)
{
	key->order = key_order(sort_operator, collation, nulls_first);
}

void
window_keys_prepare(WindowKeys *keys)
{
	MemoryContext old = MemoryContextSwitchTo(keys->memory);

	if (keys->compare == NULL)
	{
		keys->compare = (SortSupport) palloc(Max(keys->n, 1) * sizeof(SortSupportData));
		for (int k = 0; k < keys->n; k++)
			compare_prepare(&keys->compare[k], &keys->key[k].order, keys->key[k].column, false);
	}
	MemoryContextSwitchTo(old);
}

/*
 * Marks the boundaries: the rows at which partitions and peer groups begin.
 *
 * stream_block.c calls it for rows of input that streams: each row is compared with the row before it, key by key.  The
 * boundaries of sorted input are found by its sort; here they are only searched.
 */

/* True if a key of row i equals that of the row before. */
static inline bool
row_has_same_key(WindowKey *key, const Column *column, int64 i)
{
	bool  a_isnull, b_isnull;
	Datum x = column_get(column, i, &a_isnull);
	Datum y = column_get(column, i - 1, &b_isnull);

	if (a_isnull || b_isnull)
		return a_isnull == b_isnull;
	return key->by_datum ? x == y : DatumGetBool(FunctionCall2Coll(&key->equal, key->order.collation, x, y));
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
			column_mark_changes(column, begin, end, mark + begin);
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

/*
 * What numbers tell of the order of rows, without a sort.
 *
 * rows_in_order.c asks if rows that were read are in the order of the window, and order_ranges.c where the range of a
 * row begins; sorted_input.c has nothing to sort where rows are known to be in order, and only asks where partitions
 * and peer groups begin.  Most keys have numbers that compare as the values do (sort/normalize.h), in loops without a
 * branch; the operator class compares what numbers do not tell apart.
 */

void
number_rows(const WindowKeys *keys, int k, const Rows *rows, int64 from, int64 n, uint64 *number)
{
	const WindowKey *key = &keys->key[k];
	const Column	*column = &rows->column[key->column].data;

	pack_numbers(normalized_kind(&key->order), column, from, n, number);
	for (int64 i = 0; i < n && key->order.descending; i++)
		number[i] = ~number[i];
	for (int64 i = 0; i < n && column->has_nulls; i++)
		if (column_is_null(column, from + i))
			number[i] = key->order.nulls_first ? 0 : PG_UINT64_MAX;
}

/* True if rows with the same number of key k are equal in it. */
static bool
number_tells(const WindowKeys *keys, int k, const Rows *rows)
{
	const WindowKey *key = &keys->key[k];

	return pack_is_exact(normalized_kind(&key->order)) && !rows->column[key->column].data.has_nulls;
}

/* Rows are compared with the row before, some at a time: the last of them is the first of the next ones. */
#define COMPARED 1024

/* ---- is it in order? ---- */

typedef enum Told
{
	TOLD_ORDER, /* all are in order */
	TOLD_DISORDER,
	TOLD_TIES /* some have the same number, the others are in order */
} Told;

/* Compares the numbers of rows 1 to n - 1 with those of the rows before, where tied[] is set; unsets it otherwise. */
static Told
compare_numbers(const uint64 *number, int64 n, bool *tied)
{
	bool disorder = false, ties = false;

	for (int64 i = 1; i < n; i++)
	{
		disorder |= tied[i] & (number[i - 1] > number[i]);
		tied[i] &= number[i - 1] == number[i];
		ties |= tied[i];
	}
	return disorder ? TOLD_DISORDER : ties ? TOLD_TIES : TOLD_ORDER;
}

/* True if n rows from row `from` on, at most COMPARED, are in order. */
static bool
some_are_in_order(const WindowKeys *keys, const Rows *rows, int64 from, int64 n)
{
	uint64 number[COMPARED];
	bool   tied[COMPARED];
	int	   k;

	memset(tied, true, n * sizeof(bool));
	for (k = 0; k < keys->n; k++)
	{
		Told told;

		number_rows(keys, k, rows, from, n, number);
		told = compare_numbers(number, n, tied);
		if (told != TOLD_TIES)
			return told == TOLD_ORDER;
		if (!number_tells(keys, k, rows))
			break;
	}
	for (int64 i = 1; i < n && k < keys->n; i++)
		if (tied[i] && compare_rows(keys->compare, keys->n, rows, from + i - 1, rows, from + i) > 0)
			return false;
	return true;
}

bool
rows_are_in_order(const WindowKeys *keys, const Rows *rows)
{
	for (int64 from = 0; from < rows->n; from += COMPARED - 1)
	{
		CHECK_FOR_INTERRUPTS();
		if (!some_are_in_order(keys, rows, from, Min(COMPARED, rows->n - from)))
			return false;
	}
	return true;
}

/* ---- where partitions and peer groups begin ---- */

/* Sets differs[i] for each of rows 1 to n - 1 that differs from the row before it in key k. */
static void
compare_key(const WindowKeys *keys, int k, const Rows *rows, int64 from, int64 n, bool *differs)
{
	uint64 number[COMPARED];
	bool   tells = number_tells(keys, k, rows);

	number_rows(keys, k, rows, from, n, number);
	for (int64 i = 1; i < n; i++)
		differs[i] |= number[i - 1] != number[i];
	for (int64 i = 1; i < n && !tells; i++)
		if (!differs[i])
			differs[i] = compare_rows(&keys->compare[k], 1, rows, from + i - 1, rows, from + i) != 0;
}

/* Sets the bits of rows 1 to n - 1, counted from `from`, where differs[] is set. */
static void
set_boundary_bits(uint8 *bits, int64 from, int64 n, const bool *differs)
{
	for (int64 i = 1; i < n; i++)
		bits[(from + i) >> 3] |= (uint8) (differs[i] << ((from + i) & 7));
}

void
order_of_ordered_rows(const WindowKeys *keys, const Rows *rows, SortOrder *order)
{
	/* only in ranges are rows known to be in order, and a window without ORDER BY is not computed in ranges */
	Assert(keys->n > keys->partition);
	sort_order_begin(order, rows->arrays, rows->n);
	sort_order_number(order, rows->arrays);
	for (int64 from = 0; from < rows->n; from += COMPARED - 1)
	{
		int64 n = Min(COMPARED, rows->n - from);
		bool  differs[COMPARED] = {false};

		CHECK_FOR_INTERRUPTS();
		for (int k = 0; k < keys->n; k++)
		{
			if (k == keys->partition)
				set_boundary_bits(order->heads, from, n, differs);
			compare_key(keys, k, rows, from, n, differs);
		}
		set_boundary_bits(order->peers, from, n, differs);
	}
}
