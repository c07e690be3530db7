/*
 * function.c: a function of the window gets ready to run, and room for a block's results.
 *
 * exec/ calls this once per function when the plan starts, and once per block.  The files
 * beside this one each evaluate some kinds of functions; which one a function belongs to is
 * decided here and nowhere else.
 */
#include "postgres.h"

#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "node/eval/function.h"

void
node_function_start(NodeFunction *f)
{
	get_typlenbyval(f->wfunc->wintype, &f->length, &f->by_value);
	switch (f->kind)
	{
		case FUNCTION_AGGREGATE:
			if (!node_inlined_start(f))
				node_aggregate_start(f);
			break;
		case FUNCTION_SCAN:
			node_call_start(f);
			break;
		case FUNCTION_LAG:
		case FUNCTION_LEAD:
		case FUNCTION_FIRST_VALUE:
		case FUNCTION_LAST_VALUE:
		case FUNCTION_NTH_VALUE:
			node_value_start(f);
			break;
		default:
			node_rank_start(f);
			break;
	}
}

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
