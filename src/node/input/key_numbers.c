/*
 * key_numbers.c: what numbers tell of the order of rows, without a sort.
 *
 * rows_in_order.c asks if rows that were read are in the order of the window, and order_ranges.c where the range of a
 * row begins; sorted.c has nothing to sort where rows are known to be in order, and only asks where partitions and peer
 * groups begin.  Most keys have numbers that compare as the values do (sort/normalize.h), in loops without a branch;
 * the operator class compares what numbers do not tell apart.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "column/stretch.h"
#include "node/input/key_numbers.h"
#include "sort/compare.h"
#include "sort/normalize.h"

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
	Pool *pool = rows->arrays;
	Size  bytes = scan_bit_bytes(rows->n) + 1;

	/* only in ranges are rows known to be in order, and a window without ORDER BY is not computed in ranges */
	Assert(keys->n > keys->partition);
	*order = (SortOrder){.kind = ORDER_ROWS, .n = rows->n, .unpack = order->unpack};
	order->rows = (uint32 *) pool_alloc(pool, Max(rows->n, 1) * sizeof(uint32));
	order->heads = (uint8 *) pool_alloc(pool, bytes);
	order->peers = (uint8 *) pool_alloc(pool, bytes);
	stretch_fill(order->heads, 0, bytes);
	stretch_fill(order->peers, 0, bytes);
	FOR_INTERRUPTIBLE (i, 0, rows->n)
		order->rows[i] = (uint32) i;
	if (rows->n > 0)
		order->heads[0] = order->peers[0] = 1;
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
