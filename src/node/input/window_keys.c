/*
 * window_keys.c: looks up the orders of the window's keys, and prepares their comparisons.
 *
 * Only rows that are merged or compared with others need the comparisons: those of runs on disk, of filtered
 * partitions, and of ranges.  A sort in memory prepares its own comparisons (sort/key.h).
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "node/input/window_keys.h"

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
