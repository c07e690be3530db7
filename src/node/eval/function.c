/*
 * function.c: room for a function's results over a block; exec/ calls it once per block.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "node/eval/function.h"

void
node_function_new_block(NodeFunction *f, const Block *block)
{
	f->done = 0;
	if (block->n <= f->capacity)
		return;
	f->capacity = Max(2 * f->capacity, Max(block->n, 64));
	if (f->value != NULL)
	{
		pfree(f->value);
		pfree(f->isnull);
	}
	f->value = (Datum *) MemoryContextAllocHuge(f->query, f->capacity * sizeof(Datum));
	f->isnull = (bool *) MemoryContextAllocHuge(f->query, f->capacity * sizeof(bool));
}
