/*
 * window_keys.c: prepares the comparisons of the window's keys.
 *
 * Only rows that are merged or compared with others need them: those of runs on disk, of filtered partitions, and of
 * ranges.  A sort in memory looks its own comparisons up (sort/key.h).
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "node/input/window_keys.h"

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
