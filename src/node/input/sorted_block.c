/*
 * sorted_block.c: copies rows that were sorted in memory into a block, in their order.
 *
 * reader.c calls it once a block.  The sort has moved row numbers, not rows, so each row is
 * read from wherever it lies: it is prefetched some rows before its turn.  Keys are had back from
 * the words that the rows were sorted by, which lie in order, as far as these have them.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "node/input/boundaries.h"
#include "node/input/sorted_block.h"
#include "sort/bit_pack.h"

/*
 * Rows whose columns are gathered one after the other: few enough that the lines of the cache
 * that columns side by side share are still there for the last of them, and those of the next
 * rows, which are fetched meanwhile.
 */
#define GATHER_ROWS 64

/* The rows at n places from `from` on: as they lie, or taken from the words to `room`. */
static const uint32 *
order_at(const BlockReader *reader, int64 from, int n, uint32 *room)
{
	if (reader->words == NULL)
		return reader->order + from;
	for (int i = 0; i < n; i++)
		room[i] = (uint32) (reader->words[from + i] & reader->row_mask);
	return room;
}

/* Has what n rows are gathered from fetched: the columns side by side, and the others. */
static void
prefetch_rows(const BlockReader *reader, int64 from, int n)
{
	const Rows	 *all = reader->all;
	uint32		  room[GATHER_ROWS];
	const uint32 *order = order_at(reader, from, n, room);

	for (int i = 0; i < n && all->stride > 0; i++)
	{
		const char *row = all->cells + order[i] * (Size) all->stride;

		__builtin_prefetch(row);
		__builtin_prefetch(row + all->stride - 1);
	}
	for (int c = 0; c < all->columns; c++)
	{
		const RowColumn *column = &all->column[c];

		if (column->constant || !column->wanted || reader->unpack[c].whole)
			continue;
		for (int i = 0; i < n && !column->beside; i++)
			__builtin_prefetch(column->data.value + order[i] * (Size) column->data.stride);
		for (int i = 0; i < n && column->data.has_nulls; i++)
			__builtin_prefetch(column->data.nulls + order[i] / 8);
	}
}

/* Has the values that n rows from `at` on refer to fetched: they lie in the order of the input. */
static void
prefetch_values(const Column *column, int64 at, int n)
{
	const uint64 *place = (const uint64 *) column->value;

	for (int i = 0; i < n; i++)
		__builtin_prefetch(column->arena->bytes + place[at + i]);
}

/* The values of a key from the words of n rows, to row `at` on. */
static void
gather_key(const Unpack *unpack, const uint64 *word, Rows *rows, int c, int64 at, int n)
{
	const Column *to = &rows->column[c].data;

	unpack_values(unpack, word, n, to->stride, to->value + at * to->stride);
	for (int i = 0; i < n && unpack->has_nulls; i++)
		if (unpack_is_null(unpack, word[i]))
			rows_put_null(rows, c, at + i);
}

/* n rows from place `from` on, to the block's `at` on, of the columns that are wanted and not constant. */
static void
gather(const BlockReader *reader, Block *block, int64 at, int64 from, int n)
{
	const Rows	 *all = reader->all;
	Rows		 *rows = block->rows;
	uint32		  room[GATHER_ROWS];
	const uint32 *order = order_at(reader, from, n, room);

	for (int i = 0; i < n; i++)
	{
		block->head[at + i] = scan_bit(reader->heads, from + i);
		block->peer[at + i] = scan_bit(reader->peers, from + i);
	}
	for (int c = 0; c < reader->columns; c++)
	{
		const RowColumn *column = &all->column[c];
		Column			*to = &rows->column[c].data;

		if (column->constant || !column->wanted)
			continue;
		if (reader->unpack[c].whole)
		{
			gather_key(&reader->unpack[c], reader->words + from, rows, c, at, n);
			continue;
		}
		column_gather(&column->data, to->value + at * to->stride, order, n);
		for (int i = 0; i < n && column->data.has_nulls; i++)
			if (scan_bit(column->data.nulls, order[i]))
				rows_put_null(rows, c, at + i);
		if (to->format == COLUMN_REFERENCE)
			prefetch_values(to, at, n);
	}
}

void
gather_more(const BlockReader *reader, Block *block, int64 from, int64 n)
{
	int64 left = reader->ordered - from; /* rows of the blocks after this one, too */
	int64 end = block->rows->n;

	rows_reserve(block->rows, end + n);
	boundaries_reserve(reader, block, end + n);
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
