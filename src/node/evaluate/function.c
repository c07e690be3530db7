/*
 * function.c: memory for a function's results of a block.
 *
 * exec/ calls it once per block.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "column/stretch.h"
#include "node/evaluate/function.h"

void
node_function_new_block(NodeFunction *f, const Block *block)
{
	Column *result = &f->result;

	f->done = block->begin;
	if (f->begin != NULL)
		f->evaluate = f->begin;
	if (block->n > f->capacity)
	{
		f->capacity = Max(2 * f->capacity, Max(block->n, 64));
		pool_free(f->pool, result->value);
		pool_free(f->pool, result->nulls);
		result->stride = column_width(result->format);
		result->value = (char *) pool_alloc(f->pool, f->capacity * result->stride);
		result->nulls = (uint8 *) pool_alloc(f->pool, scan_bit_bytes(f->capacity));
		result->has_nulls = true;
	}
	/* node_put() sets bits and never clears one */
	if (result->has_nulls)
		stretch_fill(result->nulls, 0, scan_bit_bytes(f->capacity));
	result->has_nulls = false;
}
