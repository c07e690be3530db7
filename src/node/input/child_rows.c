/*
 * child_rows.c: the child of the node as a source of rows that filter.c filters.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "node/input/sorting.h"

/* RowSource.append */
static bool
append_pulled(void *pull, Rows *rows)
{
	return pull_rows((Pull *) pull, rows, CHILD_ROWS_MOST) > 0;
}

/* RowSource.look */
static int64
look_at_keys(void *pull, Rows *rows)
{
	return pull_look((Pull *) pull, rows, CHILD_ROWS_MOST);
}

/* RowSource.take */
static void
take_looked_at(void *pull, Rows *rows, const uint32 *which, int64 n)
{
	pull_take((Pull *) pull, rows, which, n);
}

/* RowSource.ahead */
static void
look_ahead(void *pull)
{
	pull_ahead((Pull *) pull);
}

RowSource
child_rows(Pull *pull, const WindowKeys *keys)
{
	if (pull->is_key == NULL)
	{
		pull->is_key = (bool *) MemoryContextAllocZero(keys->memory, Max(pull->columns, 1) * sizeof(bool));
		for (int k = 0; k < keys->n; k++)
			pull->is_key[keys->key[k].column] = true;
	}
	if (!pull_may_look(pull))
		return (RowSource){.append = append_pulled, .arg = pull};
	return (RowSource){
		.append = append_pulled, .look = look_at_keys, .take = take_looked_at, .ahead = look_ahead, .arg = pull};
}
