/*
 * sorted_block.c: copies rows that were sorted in memory into a block, in their order.
 *
 * reader.c calls it for each block, and frame.c for more rows.  The sort has moved row numbers, not rows, so each row
 * lies anywhere in memory: it is prefetched some rows before its turn.  Keys are recomputed from the words that the
 * rows were sorted by, as far as the words have them, since the words lie in order.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "node/input/boundaries.h"
#include "node/input/sorted_block.h"
#include "sort/bit_pack.h"

/*
 * Rows whose columns are gathered one after the other.  They are few enough that the cache still holds, for the last
 * column, the cache lines that columns side by side share, and those of the next rows, which are prefetched meanwhile.
 */
#define GATHER_ROWS 64

/* Prefetches the memory that n rows are gathered from: columns that lie side by side, and the others. */
static void
prefetch_rows(const BlockReader *reader, int64 from, int n)
{
	const Rows	 *all = reader->sorted.all;
	uint32		  room[GATHER_ROWS];
	const uint32 *row = sort_order_rows(&reader->sorted.order, from, n, room);

	for (int i = 0; i < n && all->stride > 0; i++)
	{
		const char *cells = all->cells + row[i] * (Size) all->stride;

		__builtin_prefetch(cells);
		__builtin_prefetch(cells + all->stride - 1);
	}
	for (int c = 0; c < all->columns; c++)
	{
		const RowColumn *column = &all->column[c];

		if (column->constant || !column->wanted || sort_order_unpack(&reader->sorted.order, c) != NULL)
			continue;
		for (int i = 0; i < n && !column->beside; i++)
			__builtin_prefetch(column->data.value + row[i] * (Size) column->data.stride);
		for (int i = 0; i < n && column->data.has_nulls; i++)
			__builtin_prefetch(column->data.nulls + row[i] / 8);
	}
}

/* Prefetches the by-reference values of n rows from row `at` on: they lie in the arena in the order of the input. */
static void
prefetch_values(const Column *column, int64 at, int n)
{
	const uint64 *place = (const uint64 *) column->value;

	for (int i = 0; i < n; i++)
		__builtin_prefetch(column->arena->bytes + place[at + i]);
}

/* Recomputes column c, a key, of n rows from their words; the first is row `at` of `rows`. */
static void
gather_key(const Unpack *unpack, const uint64 *word, Rows *rows, int c, int64 at, int n)
{
	const Column *to = &rows->column[c].data;

	unpack_values(unpack, word, n, to->stride, to->value + at * to->stride);
	for (int i = 0; i < n && unpack->has_nulls; i++)
		if (unpack_is_null(unpack, word[i]))
			rows_put_null(rows, c, at + i);
}

/* Copies the n rows from position `from` on to the block's rows from `at` on, in columns wanted and not constant. */
static void
gather(const BlockReader *reader, Block *block, int64 at, int64 from, int n)
{
	const Rows	 *all = reader->sorted.all;
	Rows		 *rows = block->rows;
	uint32		  room[GATHER_ROWS];
	const uint32 *row = sort_order_rows(&reader->sorted.order, from, n, room);

	for (int i = 0; i < n; i++)
	{
		block->head[at + i] = scan_bit(reader->sorted.order.heads, from + i);
		block->peer[at + i] = scan_bit(reader->sorted.order.peers, from + i);
	}
	for (int c = 0; c < reader->pull.columns; c++)
	{
		const RowColumn *column = &all->column[c];
		const Unpack	*unpack = sort_order_unpack(&reader->sorted.order, c);
		Column			*to = &rows->column[c].data;

		if (column->constant || !column->wanted)
			continue;
		if (unpack != NULL)
		{
			gather_key(unpack, reader->sorted.order.words + from, rows, c, at, n);
			continue;
		}
		column_gather(&column->data, to->value + at * to->stride, row, n);
		for (int i = 0; i < n && column->data.has_nulls; i++)
			if (scan_bit(column->data.nulls, row[i]))
				rows_put_null(rows, c, at + i);
		if (to->format == COLUMN_REFERENCE)
			prefetch_values(to, at, n);
	}
}

void
gather_more(const BlockReader *reader, Block *block, int64 from, int64 n)
{
	int64 left = reader->sorted.order.n - from; /* with the rows of later blocks, which are prefetched, too */
	int64 end = block->rows->n;

	rows_reserve(block->rows, end + n);
	boundaries_reserve(block, end + n);
	for (int64 at = 0; at < n; at += GATHER_ROWS)
	{
		CHECK_FOR_INTERRUPTS();
		if (at + GATHER_ROWS < left)
			prefetch_rows(reader, from + at + GATHER_ROWS, (int) Min(GATHER_ROWS, left - at - GATHER_ROWS));
		gather(reader, block, end + at, from + at, (int) Min(GATHER_ROWS, n - at));
	}
	block->rows->n += n;
}

void
gather_rows(const BlockReader *reader, Block *block, int64 from, int64 n)
{
	rows_reset(block->rows);
	block->first = from;
	gather_more(reader, block, from, n);
}
