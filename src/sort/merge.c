/*
 * merge.c: merge sort.
 *
 * Of the common algorithms it needs the fewest comparisons, about n log2 n - 1.3 n; quicksort needs a fifth more.  Two
 * sorted halves that are already in order are not merged, so input in order costs n comparisons, and input nearly in
 * order hardly more.
 *
 * Source: Knuth, TAOCP vol. 3, 5.2.4.
 */
#include "sort/merge.h"

#include <string.h>

#define FEW_ITEMS 6	  /* at most so many items are sorted by insertion */
#define AHEAD 4		  /* how many items ahead values are prefetched */
#define BATCH 64	  /* at most so many items have their values prefetched before they are sorted */
#define COPIED 262144 /* items copied between two ticks */

static void
insertion_sort(MergeItem *items, int64_t n, MergeCompare compare, void *arg)
{
	for (int64_t i = 1; i < n; i++)
	{
		MergeItem item = items[i];
		int64_t	  place = i;

		for (; place > 0 && compare(&items[place - 1], &item, arg) > 0; place--)
			items[place] = items[place - 1];
		items[place] = item;
	}
}

static void
copy_items(MergeItem *to, const MergeItem *from, int64_t n, MergeTick tick)
{
	for (; n > COPIED; n -= COPIED, to += COPIED, from += COPIED)
	{
		memcpy(to, from, COPIED * sizeof(MergeItem));
		tick();
	}
	memcpy(to, from, (size_t) n * sizeof(MergeItem));
}

/* Merges two sorted neighbours; the first is copied to `spare` meanwhile. */
static void
merge_neighbours(MergeItem *items, MergeItem *spare, int64_t middle, int64_t n, MergeCompare compare, void *arg,
				 MergeTick tick)
{
	const MergeItem *left = spare, *left_end = spare + middle;
	const MergeItem *right = items + middle, *right_end = items + n;

	copy_items(spare, items, middle, tick);
	while (left < left_end && right < right_end)
	{
		/* a value that is no address does no harm: a prefetch does not fault */
		__builtin_prefetch((const void *) (uintptr_t) left[left + AHEAD < left_end ? AHEAD : 0].value);
		__builtin_prefetch((const void *) (uintptr_t) right[right + AHEAD < right_end ? AHEAD : 0].value);
		if (compare(left, right, arg) <= 0)
			*items++ = *left++;
		else
			*items++ = *right++;
	}
	copy_items(items, left, left_end - left, tick);
}

void
merge_sort(MergeItem *items, MergeItem *spare, int64_t n, MergeCompare compare, void *arg, MergeTick tick)
{
	int64_t middle = n / 2;

	/* while it is cut into halves, each item is once or twice in a piece of such a size */
	for (int64_t i = 0; i < n && n <= BATCH && n >= BATCH / 2; i++)
		__builtin_prefetch((const void *) (uintptr_t) items[i].value);
	if (n <= FEW_ITEMS)
	{
		insertion_sort(items, n, compare, arg);
		return;
	}
	merge_sort(items, spare, middle, compare, arg, tick);
	merge_sort(items + middle, spare, n - middle, compare, arg, tick);
	if (compare(&items[middle - 1], &items[middle], arg) > 0)
		merge_neighbours(items, spare, middle, n, compare, arg, tick);
}
