/*
 * items.c: sorts rows by comparing the values of a key.
 *
 * A comparison by the operator class costs more than all else.  So items that are already in order, or in reverse
 * order, are detected before a merge sort.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "column/stretch.h"
#include "sort/internal.h"

#define AHEAD 8 /* how many items ahead values are prefetched */

static inline int
compare_item_values(const MergeItem *a, const MergeItem *b, SortSupport support)
{
	CHECK_FOR_INTERRUPTS();
	return ApplySortComparator((Datum) a->value, false, (Datum) b->value, false, support);
}

/* Compares values, then row numbers: equal rows keep the order of the input, in whatever order they come here. */
static int
compare_items(const MergeItem *a, const MergeItem *b, void *arg)
{
	int order = compare_item_values(a, b, (SortSupport) arg);

	return order != 0 ? order : a->row < b->row ? -1 : a->row > b->row;
}

bool
items_in_order(const MergeItem *items, int64 n, SortSupport support, uint8 *peer, int64 from)
{
	for (int64 i = 1; i < n; i++)
	{
		int order;

		/* a value that is no address does no harm: a prefetch does not fault */
		__builtin_prefetch((const void *) (uintptr_t) items[Min(i + AHEAD, n - 1)].value);
		order = compare_item_values(&items[i - 1], &items[i], support);
		if (order > 0 || (order == 0 && items[i - 1].row > items[i].row))
			return false;
		scan_bit_put(peer, from + i, order != 0);
	}
	return true;
}

/* Reverses items that are in strictly reverse order. */
static void
reverse_items(MergeItem *items, int64 n, SortSupport support)
{
	for (int64 i = 1; i < n; i++)
		if (compare_item_values(&items[i - 1], &items[i], support) <= 0)
			return;
	for (int64 i = 0, j = n - 1; i < j; i++, j--)
	{
		MergeItem item = items[i];

		CHECK_FOR_INTERRUPTS();
		items[i] = items[j];
		items[j] = item;
	}
}

void
items_sort(MergeItem *items, MergeItem *spare, int64 n, SortSupport support)
{
	reverse_items(items, n, support);
	merge_sort(items, spare, n, compare_items, support, stretch_tick);
}
