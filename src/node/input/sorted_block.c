/*
 * sorted_block.c: fills blocks with rows that were sorted in memory.
 *
 * One of both implementations of BlockInput (blocks.h).  The sort has moved row numbers, not rows, so each row
 * lies anywhere in memory: it is prefetched some rows before its turn, and copied column by column.  Keys are
 * recomputed from the words that the rows were sorted by, as far as the words have them, since the words lie in order.
 * Units are found in the order's boundaries, before their rows are copied.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "guc.h"
#include "node/input/blocks.h"
#include "node/input/sorting.h"
#include "sort/bit_pack.h"

/*
 * Rows whose columns are gathered one after the other.  They are few enough that the cache still holds, for the last
 * column, the cache lines that columns side by side share, and those of the next rows, which are prefetched meanwhile.
 */
#define GATHER_ROWS 64

/* Rows that are accumulated at once. */
#define ACCUMULATED_ROWS 4096

/*
 * Prefetches the memory that n rows are gathered from: columns that lie side by side, and the others.
 *
 * Functions that only prefetch are always inlined.  GCC takes such a function for one without effects, and drops its
 * calls: each by-reference value then took a cache miss, 200 ns and more.
 */
static pg_attribute_always_inline void
prefetch_rows(const Sorted *sorted, int64 from, int n)
{
	const Rows	 *all = sorted->all;
	uint32		  room[GATHER_ROWS];
	const uint32 *row = sort_order_rows(&sorted->order, from, n, room);

	for (int i = 0; i < n && all->stride > 0; i++)
	{
		const char *cells = all->cells + row[i] * (Size) all->stride;

		__builtin_prefetch(cells);
		__builtin_prefetch(cells + all->stride - 1);
	}
	for (int c = 0; c < all->columns; c++)
	{
		const RowColumn *column = &all->column[c];

		if (column->constant || !column->wanted || sort_order_unpack(&sorted->order, c) != NULL)
			continue;
		for (int i = 0; i < n && !column->beside; i++)
			__builtin_prefetch(column->data.value + row[i] * (Size) column->data.stride);
		for (int i = 0; i < n && column->data.has_nulls; i++)
			__builtin_prefetch(column->data.nulls + row[i] / 8);
	}
}

/*
 * Fetches the by-reference values of n rows from row `at` on into the cache: they lie in the arena in the order of the
 * input.  A byte of each is read, and the processor waits for many at the same time.  Rejected: to prefetch them; it
 * took 35 to 50 ns a row more, since a processor may drop a prefetch from a page that it has to look up.
 */
static pg_attribute_always_inline void
prefetch_values(const Column *column, int64 at, int n)
{
	const uint64 *place = (const uint64 *) column->value;
	const char	 *bytes = column->arena->bytes;

	/* no value but NULL, whose offset is 0 */
	if (bytes == NULL)
		return;
	for (int i = 0; i < n; i++)
		(void) *(volatile const char *) (bytes + place[at + i]);
}

/* Lays the numerics down of which n places were copied, in a column that is small in the rows of the sort. */
static void
lay_numerics_down(const Sorted *sorted, Rows *rows, int c, int64 at, int n)
{
	const Column *column = &rows->column[c].data;
	uint64		 *place = (uint64 *) column->value + at;
	Column		  from = sorted->all->column[c].data;

	from.value = (char *) place;
	from.stride = sizeof(*place);
	for (int i = 0; i < n; i++)
		if (!column_is_null(column, at + i))
			place[i] = rows_lay_down_from(rows, c, &from, i);
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
gather_columns(const Sorted *sorted, Block *block, int64 at, int64 from, int n)
{
	const Rows	 *all = sorted->all;
	Rows		 *rows = block->rows;
	uint32		  room[GATHER_ROWS];
	const uint32 *row = sort_order_rows(&sorted->order, from, n, room);

	for (int i = 0; i < n; i++)
	{
		block->head[at + i] = scan_bit(sorted->order.heads, from + i);
		block->peer[at + i] = scan_bit(sorted->order.peers, from + i);
	}
	for (int c = 0; c < sorted->columns; c++)
	{
		const RowColumn *column = &all->column[c];
		const Unpack	*unpack = sort_order_unpack(&sorted->order, c);
		Column			*to = &rows->column[c].data;

		if (column->constant || !column->wanted)
			continue;
		if (unpack != NULL)
		{
			gather_key(unpack, sorted->order.words + from, rows, c, at, n);
			continue;
		}
		column_gather(&column->data, to->value + at * to->stride, row, n);
		for (int i = 0; i < n && column->data.has_nulls; i++)
			if (scan_bit(column->data.nulls, row[i]))
				rows_put_null(rows, c, at + i);
		if (column->data.small)
			lay_numerics_down(sorted, rows, c, at, n);
		else if (to->format == COLUMN_REFERENCE)
			prefetch_values(to, at, n);
	}
}

/* Appends the n rows from position `from` on to those of the block. */
static void
gather_more(const Sorted *sorted, Block *block, int64 from, int64 n)
{
	int64 left = sorted->order.n - from; /* with the rows of later blocks, which are prefetched, too */
	int64 end = block->rows->n;

	rows_reserve(block->rows, end + n);
	boundaries_reserve(block, end + n);
	for (int64 at = 0; at < n; at += GATHER_ROWS)
	{
		CHECK_FOR_INTERRUPTS();
		if (at + GATHER_ROWS < left)
			prefetch_rows(sorted, from + at + GATHER_ROWS, (int) Min(GATHER_ROWS, left - at - GATHER_ROWS));
		gather_columns(sorted, block, end + at, from + at, (int) Min(GATHER_ROWS, n - at));
	}
	block->rows->n += n;
}

/*
 * Replaces the rows of a block by the n rows from position `from` on.  Fills the columns that are wanted and not
 * constant.
 */
static void
gather_rows(const Sorted *sorted, Block *block, int64 from, int64 n)
{
	rows_reset(block->rows);
	block->first = from;
	gather_more(sorted, block, from, n);
}

/* ---- blocks ---- */

/* BlockInput.begin */
static void
sorted_begin_block(BlockInput *input)
{
	SortedBlocks *blocks = (SortedBlocks *) input;

	blocks->next = input->block->first + input->block->n;
}

/* BlockInput.available */
static int64
sorted_available_rows(BlockInput *input, int64 limit)
{
	const SortedBlocks *blocks = (const SortedBlocks *) input;

	return Max(Min(limit, blocks->end - blocks->next), 0);
}

/* BlockInput.fill: a range has all rows in its block. */
static void
sorted_fill_block(BlockInput *input, int64 n)
{
	const SortedBlocks *blocks = (const SortedBlocks *) input;
	const Sorted	   *sorted = blocks->sorted;
	const Frame		   *frame = input->frame;
	int64				from = blocks->next - Min(blocks->next, input->needs->before);
	int64				rows;

	if ((input->needs->flags & NEEDS_BOUNDS) && blocks->next > 0 && !scan_bit(sorted->order.heads, blocks->next))
		from = Min(from, frame->kept);
	rows = sorted->order.n - from;
	if (!sorted->is_range)
		rows = Min(rows, block_input_end(input, from, blocks->next - from + n));
	gather_rows(sorted, input->block, from, rows);
	input->block->begin = blocks->next - from;
}

/* BlockInput.more */
static bool
sorted_more_rows(BlockInput *input, int64 n)
{
	const Sorted *sorted = ((const SortedBlocks *) input)->sorted;
	Block		 *block = input->block;
	int64		  at = block->first + block->rows->n;

	n = Min(n, sorted->order.n - at);
	gather_more(sorted, block, at, n);
	return n > 0;
}

/* ---- units ---- */

/* Returns how many of the next rows, from one beyond the n-th on, come before the next unit. */
static int64
to_next_unit(const SortedBlocks *blocks, Lookahead unit, int64 n)
{
	return boundaries_next_unit(&blocks->sorted->order, unit, blocks->next + n) - blocks->next;
}

/* True if the next n rows, which are whole units, can be a block. */
static bool
can_be_block(BlockInput *input, int64 n)
{
	const SortedBlocks *blocks = (const SortedBlocks *) input;

	if (blocks->sorted->is_range)
		return true;
	if (n > Max(BLOCK_MAX_ROWS, (int64) (sorted_memory_left(blocks->sorted) / block_input_row_bytes(input))))
		return false;
	if (!input->frame->in_ranges)
		return true;
	input->block->begin = 0;
	gather_rows(blocks->sorted, input->block, blocks->next, n);
	return !frame_may_fail(input->frame, input->block, n);
}

/* BlockInput.whole_units */
static int64
sorted_whole_units(BlockInput *input, Lookahead unit, int64 n)
{
	const SortedBlocks *blocks = (const SortedBlocks *) input;

	n = to_next_unit(blocks, unit, n);
	if (can_be_block(input, n))
		return n;
	n = to_next_unit(blocks, unit, 1);
	return can_be_block(input, n) ? n : 0;
}

/* BlockInput.accumulate */
static int64
sorted_accumulate_unit(BlockInput *input, Lookahead unit)
{
	const SortedBlocks *blocks = (const SortedBlocks *) input;
	Block			   *block = input->block;
	int64				end = blocks->next + to_next_unit(blocks, unit, 1);

	block->begin = 0;
	for (int64 from = blocks->next; from < end; from += block->n)
	{
		block->n = Min(end - from, ACCUMULATED_ROWS);
		gather_rows(blocks->sorted, block, from, block->n);
		input->units.accumulate(input->units.functions, block, unit, from + block->n == end);
	}
	return end - blocks->next;
}

/* ---- setting up ---- */

void
sorted_blocks_begin(SortedBlocks *blocks, BlockInput input, const Sorted *sorted)
{
	static const BlockInputMethods methods = {.begin = sorted_begin_block,
											  .available = sorted_available_rows,
											  .whole_units = sorted_whole_units,
											  .accumulate = sorted_accumulate_unit,
											  .fill = sorted_fill_block,
											  .more = sorted_more_rows};

	*blocks = (SortedBlocks){.input = input, .sorted = sorted};
	blocks->input.methods = &methods;
	blocks->input.block = &input.buffer[0];
}

void
sorted_blocks_use(SortedBlocks *blocks, int64 first, int64 end)
{
	Block *block = blocks->input.block;

	block->first = first;
	block->n = 0;
	blocks->end = end;
	/* by-reference values stay where they are */
	rows_refer_to(block->rows, &blocks->sorted->all->arena);
}

void
sorted_blocks_rewind(SortedBlocks *blocks)
{
	rows_refer_to(blocks->input.block->rows, NULL);
}
