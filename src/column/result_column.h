/*
 * result_column.h: the column of results that a function computes for a block of rows, and its memory.
 *
 * The functions of a window (node/evaluate/) and the aggregates over arrays (functions/array/) store results here, each
 * row at most once for a block.  A result that is not passed by value is copied into an arena; whoever has used the
 * results empties the arena.
 */
#ifndef SCAN_COLUMN_RESULT_COLUMN_H
#define SCAN_COLUMN_RESULT_COLUMN_H

#include "postgres.h"

#include "column/arena.h"
#include "column/column.h"
#include "column/stretch.h"

typedef struct ResultColumn
{
	Column data;
	Arena  arena; /* results that are not passed by value */
	Pool  *pool;  /* memory of both */
	int64  capacity;
	Size   full; /* bytes in the arena from which on no further row is evaluated; SIZE_MAX: any number */
} ResultColumn;

/* Prepares a column of a type, without rows, whose memory is below `memory`; `may_spill`: mapped files may hold it. */
extern void result_column_init(ResultColumn *result, Oid type, MemoryContext memory, bool may_spill);

/* Makes room for n rows, none of which is NULL or has a result yet.  The arena stays as it is. */
extern void result_column_begin(ResultColumn *result, int64 n);

/*
 * True if the results in the arena take so much memory that an evaluation should end with this row: results may be
 * wide, and a window may have many functions.
 */
static pg_attribute_always_inline bool
result_column_is_full(const ResultColumn *result)
{
	return unlikely(result->arena.used >= result->full);
}

/* Frees the results that are not passed by value. */
static inline void
result_column_empty(ResultColumn *result)
{
	arena_reset(&result->arena, result->pool);
}

/* Returns what the column stores for a value: the value itself, or the offset of its copy in the arena. */
static pg_attribute_always_inline Datum
result_lay_down(ResultColumn *result, Datum value, bool isnull)
{
	if (unlikely(isnull))
	{
		result->data.has_nulls = true;
		return 0;
	}
	if (result->data.format == COLUMN_REFERENCE)
		return arena_copy(&result->arena, result->pool, result->data.length, value);
	return value;
}

/* Stores what result_lay_down() returned as the result of row i. */
static pg_attribute_always_inline void
result_put_laid_down(ResultColumn *result, int64 i, Datum value, bool isnull)
{
	if (unlikely(isnull))
		scan_bit_put(result->data.nulls, i, true);
	column_store(&result->data, i, value);
}

/* Stores the result of row i. */
static pg_attribute_always_inline void
result_put(ResultColumn *result, int64 i, Datum value, bool isnull)
{
	result_put_laid_down(result, i, result_lay_down(result, value, isnull), isnull);
}

/* Stores one result for the rows from `from` to `end` - 1. */
static pg_attribute_always_inline void
result_put_rows(ResultColumn *result, int64 from, int64 end, Datum value, bool isnull)
{
	value = result_lay_down(result, value, isnull);
	FOR_INTERRUPTIBLE (i, from, end)
		result_put_laid_down(result, i, value, isnull);
}

#endif /* SCAN_COLUMN_RESULT_COLUMN_H */
