/*
 * items.c: rows in the order of a key's values, by comparing these.
 *
 * A comparison by the operator class costs more than all else, so items that are in order, or in
 * the reverse one, are found before they are merged.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "column/stretch.h"
#include "sort/items.h"

static inline int
compare_values(const MergeItem *a, const MergeItem *b, SortKey *key)
{
	CHECK_FOR_INTERRUPTS();
	return ApplySortComparator((Datum) a->value, false, (Datum) b->value, false, &key->support);
}

/* Rows that are equal keep the order of the input, whatever order they are sorted from. */
static int
compare_items(const MergeItem *a, const MergeItem *b, void *arg)
{
	int order = compare_values(a, b, (SortKey *) arg);

	return order != 0 ? order : a->row < b->row ? -1 : a->row > b->row;
}

bool
items_in_order(const MergeItem *items, int64 n, SortKey *key, uint8 *peer, int64 from)
{
	for (int64 i = 1; i < n; i++)
	{
		int order = compare_values(&items[i - 1], &items[i], key);

		if (order > 0 || (order == 0 && items[i - 1].row > items[i].row))
			return false;
		scan_bit_put(peer, from + i, order != 0);
	}
	return true;
}

/* Turns items round that come the other way, none equal to the next. */
static void
turn_round(MergeItem *items, int64 n, SortKey *key)
{
	for (int64 i = 1; i < n; i++)
		if (compare_values(&items[i - 1], &items[i], key) <= 0)
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
items_sort(MergeItem *items, MergeItem *spare, int64 n, SortKey *key)
{
	turn_round(items, n, key);
	merge_sort(items, spare, n, compare_items, key, stretch_tick);
}
