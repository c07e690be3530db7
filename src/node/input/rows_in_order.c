/*
 * rows_in_order.c: rows that a process reads in window order, for ranges: they are cut, not repartitioned.
 *
 * Tables are often filled in the order of time, and a parallel scan of such a table, as one of an index, gives each
 * process rows in order, with gaps for the rows of others.  Such rows go to shared memory at once, some thousand at a
 * time, and stay there (exchange/rows_in_place.c).  When the ranges are known, bisection finds where each begins.  A
 * range has a part of each process's rows, and these parts are merged: rows up to the next row of another process are
 * copied together, so a row is hardly ever compared.
 *
 * Nothing says in advance that rows come in order.  So all are compared with the row before, by numbers where numbers
 * tell; the first that is not in order, and all after it, are repartitioned by order_ranges.c.
 *
 * Rejected: the correlation in the statistics, which is of the table and not of what a scan with conditions returns; to
 * hold the rows in the process's own memory, from where they would be copied once more.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "column/rows_serialize.h"
#include "node/input/blocks.h"
#include "node/input/sorting.h"
#include "sort/order.h"

/* ---- keeping rows ---- */

void
in_order_begin(InOrder *in_order, Ordered *ordered, Sorted *sorted)
{
	*in_order = (InOrder){
		.ordered = ordered, .keys = sorted->keys, .first = sorted_rows(sorted), .last = sorted_rows(sorted)};
}

bool
in_order_keep(InOrder *in_order, const Rows *rows)
{
	const WindowKeys *keys = in_order->keys;

	if (in_order->last->n > 0 && compare_rows(keys->compare, keys->n, in_order->last, 0, rows, 0) > 0)
		return false;
	if (!rows_are_in_order(keys, rows) || !ordered_put(in_order->ordered, rows))
		return false;
	rows_append_row(in_order->first, rows, 0);
	rows_reset(in_order->last);
	rows_append_row(in_order->last, rows, rows->n - 1);
	return true;
}

/* Returns how many of the rows, which are in order, come before row i of `other`. */
static int64
count_rows_before(const WindowKeys *keys, const Rows *rows, const Rows *other, int64 i)
{
	int64 low = 0, high = rows->n;

	while (low < high)
	{
		int64 middle = low + (high - low) / 2;

		if (compare_rows(keys->compare, keys->n, rows, middle, other, i) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void
in_order_cut(InOrder *in_order, Sorted *sorted, const Rows *splitters)
{
	Ordered *ordered = in_order->ordered;
	int64	 rows = ordered_rows(ordered, ordered->number);
	Rows	*piece = sorted_rows(sorted);

	if (rows > 0)
		ordered_cut(ordered, 0, 0);
	for (int s = 0; s < splitters->n && rows > 0; s++)
	{
		int64 before = count_rows_before(in_order->keys, in_order->first, splitters, s);
		int64 end = 0;

		CHECK_FOR_INTERRUPTS();
		if (before > 0)
		{
			end = ordered_piece(ordered, ordered->number, before - 1, piece);
			end += count_rows_before(in_order->keys, piece, splitters, s);
		}
		ordered_cut(ordered, s + 1, end);
	}
	rows_free(piece);
}

void
in_order_end(InOrder *in_order)
{
	rows_free(in_order->first);
	rows_free(in_order->last);
}

/* ---- merging the parts of a range ---- */

int64
range_merge_begin(RangeMerge *merge, const Ordered *ordered, int processes, int range, const Sorted *sorted)
{
	int64 rows = 0;

	if (merge->part == NULL)
	{
		merge->part = (RangePart *) MemoryContextAllocZero(sorted->memory, processes * sizeof(RangePart));
		merge->parts = processes;
	}
	for (int p = 0; p < processes; p++)
	{
		RangePart *part = &merge->part[p];

		part->next = ordered_part(ordered, p, range, &part->end);
		rows += part->end - part->next;
	}
	return rows;
}

/* Sees to it that the next row of a part is in its rows. */
static void
read_part(RangeMerge *merge, Ordered *ordered, int p, const Rows *like)
{
	RangePart *part = &merge->part[p];

	if (part->rows == NULL)
		part->rows = rows_create_like(like);
	else if (part->next >= part->first && part->next < part->first + part->rows->n)
		return;
	part->first = ordered_read(ordered, p, part->next, part->rows);
}

/* Compares the row of part a that is `after` rows after its next one with the next row of part b. */
static int
compare_parts(const WindowKeys *keys, const RangePart *a, int64 after, const RangePart *b)
{
	return compare_rows(keys->compare, keys->n, a->rows, a->next - a->first + after, b->rows, b->next - b->first);
}

/* Returns how many of the next n rows of part a, of which the first is one, do not come after the next row of b. */
static int64
count_not_after(const WindowKeys *keys, const RangePart *a, int64 n, const RangePart *b)
{
	int64 low = 1, high = 1;

	while (high < n && compare_parts(keys, a, high, b) <= 0)
	{
		low = high + 1;
		high *= 2;
	}
	high = Min(high, n);
	while (low < high)
	{
		int64 middle = low + (high - low) / 2;

		if (compare_parts(keys, a, middle, b) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool
range_merge_append(RangeMerge *merge, Ordered *ordered, const WindowKeys *keys, Rows *rows)
{
	RangePart *best = NULL, *second = NULL;
	int64	   n;

	CHECK_FOR_INTERRUPTS();
	for (int p = 0; p < merge->parts; p++)
	{
		RangePart *part = &merge->part[p];

		if (part->next >= part->end)
			continue;
		read_part(merge, ordered, p, rows);
		if (best == NULL || compare_parts(keys, part, 0, best) < 0)
		{
			second = best;
			best = part;
		}
		else if (second == NULL || compare_parts(keys, part, 0, second) < 0)
			second = part;
	}
	if (best == NULL)
		return false;
	n = Min(best->end, best->first + best->rows->n) - best->next;
	if (second != NULL)
		n = count_not_after(keys, best, n, second);
	rows_append_range(rows, best->rows, best->next - best->first, n);
	best->next += n;
	return true;
}

void
range_merge_end(RangeMerge *merge)
{
	for (int p = 0; p < merge->parts; p++)
		if (merge->part[p].rows != NULL)
			rows_free(merge->part[p].rows);
	if (merge->part != NULL)
		pfree(merge->part);
	*merge = (RangeMerge){0};
}
