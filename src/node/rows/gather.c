/*
 * gather.c: copies rows that were sorted in memory into a block, in their order.
 *
 * reader.c calls it once a block.  The sort has moved row numbers, not rows, so each row is
 * read from wherever it lies: it is prefetched some rows before its turn.
 */
#include "postgres.h"

#include "column/stretch.h"
#include "node/rows/gather.h"

/* Rows ahead of the one that is gathered, to be in the cache when their turn comes. */
#define GATHER_AHEAD 32

/* Columns that lie beside each other, to rows `at` on: a row at a time, from one or two lines of the cache. */
static void
gather_beside(const Rows *all, Rows *rows, int64 at, const uint32 *order, int64 n, int64 ahead)
{
	int		width = all->beside;
	Datum **to = (Datum **) palloc(width * sizeof(Datum *));

	for (int c = 0; c < all->columns; c++)
		if (all->column[c].beside)
			to[all->column[c].place] = rows->column[c].value + at;
	for (int64 i = 0; i < n; i++)
	{
		const Datum *from = all->cells + (int64) order[i] * width;

		if (i < ahead)
		{
			const Datum *next = all->cells + (int64) order[i + GATHER_AHEAD] * width;

			__builtin_prefetch(next);
			__builtin_prefetch(next + width - 1);
		}
		for (int w = 0; w < width; w++)
			to[w][i] = from[w];
	}
	pfree(to);
}

static void
gather_column(const Datum *from, Datum *to, const uint32 *order, int64 n, int64 ahead)
{
	for (int64 i = 0; i < n; i++)
	{
		if (i < ahead)
			__builtin_prefetch(&from[order[i + GATHER_AHEAD]]);
		to[i] = from[order[i]];
	}
}

static void
gather_nulls(const RowColumn *from, bool *to, const uint32 *order, int64 n, int64 ahead)
{
	if (!from->has_nulls)
	{
		memset(to, false, n);
		return;
	}
	for (int64 i = 0; i < n; i++)
	{
		if (i < ahead)
			__builtin_prefetch(&from->isnull[order[i + GATHER_AHEAD]]);
		to[i] = from->isnull[order[i]];
	}
}

/* Has the values that n Datums from row `at` on point to fetched: they lie in the order of the input. */
static void
prefetch_values(const RowColumn *column, int64 at, int64 n)
{
	for (int64 i = at; i < at + n; i++)
		if (!column->isnull[i])
			__builtin_prefetch(DatumGetPointer(column->value[i]));
}

/* The next n rows, to the block's `at` on, of the columns that are wanted and not constant. */
static void
gather(BlockReader *reader, int64 at, int64 n)
{
	const Rows	 *all = reader->all;
	Rows		 *rows = reader->block.rows;
	const uint32 *order = reader->order + reader->next + at;
	int64		  ahead = Max(all->n - reader->next - at - GATHER_AHEAD, 0);

	if (all->beside > 0)
		gather_beside(all, rows, at, order, n, ahead);
	for (int c = 0; c < reader->columns; c++)
	{
		const RowColumn *from = &all->column[c];

		if (from->constant || !from->wanted)
			continue;
		if (!from->beside)
			gather_column(from->value, rows->column[c].value + at, order, n, ahead);
		gather_nulls(from, rows->column[c].isnull + at, order, n, ahead);
		if (!from->by_value)
			prefetch_values(&rows->column[c], at, n);
	}
}

void
gather_rows(BlockReader *reader, int64 n)
{
	for (int64 at = 0, end; at < n; at = end)
	{
		end = stretch_end(at, n);
		gather(reader, at, end - at);
	}
}
