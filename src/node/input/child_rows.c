/*
 * child_rows.c: the child of the node as a source of rows that filter.c filters.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "node/input/sorting.h"

RowSource
child_rows(Pull *pull, const WindowKeys *keys)
{
	if (pull->is_key == NULL)
	{
		pull->is_key = (bool *) MemoryContextAllocZero(keys->memory, Max(pull->columns, 1) * sizeof(bool));
		for (int k = 0; k < keys->n; k++)
			pull->is_key[keys->key[k].column] = true;
	}
	return pull_source(pull);
}
