/*
 * stream_block.c: fills blocks with rows that stream in window order.
 *
 * One of both implementations of BlockInput (blocks.h): block_reader.c decides where a block ends.  This file
 * pulls the rows, from the child, from the runs of a sort on disk or from sorted chunks, and has their boundaries
 * marked.  Where a unit must not be cut, the first row of the next unit tells that the block is complete.  Rows that
 * were read after a block's end begin the next block.
 *
 * A unit that some function has to know whole, and that is too large for memory, is accumulated a piece at a time,
 * while its rows go to a file.  The file is then read before the rest of the input, so that the rows come a second
 * time.  A peer group that is too large may lie in a partition that is too large as well: then its rows come from the
 * partition's file and go to a file of the peer group.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "column/rows_serialize.h"
#include "column/stretch.h"
#include "compat.h"
#include "guc.h"
#include "node/input/blocks.h"
#include "node/input/sorting.h"
#include "sort/files.h"

/* The rows of a unit may take this part of scan.work_mem in a block, and UNIT_LEAST bytes in any case. */
#define UNIT_PART 4
#define UNIT_LEAST (64 * 1024)

/* Rows that are pulled at once in search of a unit's end: PULL_MIN, or the block's rows / PULL_PART if that is more. */
#define PULL_MIN 4
#define PULL_PART 16

/* ---- rows ---- */

/* Appends rows that were pushed; returns how many; 0: there are none. */
static int64
pull_pushed(StreamBlocks *blocks, Rows *rows, int64 n)
{
	while (blocks->pushed != NIL)
	{
		RowFile *file = (RowFile *) llast(blocks->pushed);
		int64	 got = row_file_pull(file, rows, n, BLOCK_MAX_BYTES);

		if (got > 0)
			return got;
		row_file_close(file);
		pfree(file);
		blocks->pushed = list_delete_last(blocks->pushed);
	}
	return 0;
}

/* Appends at most n of the next rows that were sorted in memory; returns how many. */
static int64
pull_from_memory(Sorted *sorted, Rows *rows, int64 n)
{
	const uint32 *row = sorted->order.rows + sorted->streamed;
	Size		  bytes;

	n = Min(n, sorted->order.n - sorted->streamed);
	if (n == 0)
		return 0;
	n = rows_within(sorted->all, row, n, BLOCK_MAX_BYTES, &bytes);
	rows_append_some(rows, sorted->all, row, n);
	sorted->streamed += n;
	return n;
}

/* Appends rows of a sort's runs, or of sorted chunks; returns how many. */
static int64
pull_sorted(Sorted *sorted, Rows *rows, int64 n)
{
	do
	{
		int64 got = sorted->runs != NULL  ? runs_pull(sorted->runs, rows, n, BLOCK_MAX_BYTES)
					: sorted->all != NULL ? pull_from_memory(sorted, rows, n)
										  : 0;

		if (got > 0 || !sorted->streams)
			return got;
		sorted_forget(sorted);
		sorted->streamed = 0;
	} while (sorted_next(sorted));
	return 0;
}

/* Appends rows of the child, or rows that were sorted; returns how many. */
static int64
pull_input(StreamBlocks *blocks, Rows *rows, int64 n)
{
	Sorted *sorted = blocks->sorted;

	return sorted->runs != NULL || sorted->streams ? pull_sorted(sorted, rows, n) : pull_rows(sorted->pull, rows, n);
}

/* Appends at most n more rows to a block, with their boundaries; false: there are none. */
static bool
stream_append_rows(StreamBlocks *blocks, Block *block, int64 n)
{
	Rows *rows = block->rows;
	int64 from = rows->n;

	if (blocks->at_end)
		return false;
	if (pull_pushed(blocks, rows, n) == 0 && pull_input(blocks, rows, n) == 0)
	{
		blocks->at_end = true;
		return false;
	}
	boundaries_mark(blocks->sorted->keys, blocks->econtext, block, from);
	return true;
}

/* BlockInput.more */
static bool
stream_more_rows(BlockInput *input, int64 n)
{
	return stream_append_rows((StreamBlocks *) input, input->block, n);
}

/* ---- blocks ---- */

/* Copies rows of a block, with their boundaries, to the end of another block. */
static void
stream_copy_rows(Block *to, const Block *from, int64 begin, int64 end)
{
	int64 n = to->rows->n;

	FOR_INTERRUPTIBLE (i, begin, end)
		rows_append_row(to->rows, from->rows, i);
	boundaries_reserve(to, n + end - begin);
	if (end > begin)
	{
		memcpy(to->head + n, from->head + begin, end - begin);
		memcpy(to->peer + n, from->peer + begin, end - begin);
	}
}

/*
 * Begins a block at row n of another one.  `before` rows before row n are copied, too, and at least one if there is
 * one, since the boundary of the next row is found by comparing it with the row before.
 */
static void
stream_begin_at(Block *block, const Block *other, int64 n, int64 before)
{
	int64 from = Max(0, n - Max(before, 1));

	rows_reset(block->rows);
	block->first = other->first + from;
	stream_copy_rows(block, other, from, n);
	block->begin = block->n = block->rows->n;
	block->arena_used = block->rows->arena.used;
	stream_copy_rows(block, other, n, other->rows->n);
}

/* Returns a buffer that is neither a nor b. */
static Block *
other_buffer(BlockInput *input, const Block *a, const Block *b)
{
	Block *buffer = input->buffer;

	while (buffer == a || buffer == b)
		buffer++;
	return buffer;
}

/*
 * BlockInput.begin: begins with the rows of the last block that functions look back at or frames reach, and the rows
 * that were read after its end.
 */
static void
stream_begin_block(BlockInput *input)
{
	const Frame *frame = input->frame;
	Block		*last = input->block;
	int64		 before = input->needs->before;

	if ((input->needs->flags & NEEDS_BOUNDS) && last->n > 0 && !(last->n < last->rows->n && last->head[last->n]))
		before = Max(before, last->first + last->n - frame->kept);
	input->block = other_buffer(input, last, last);
	stream_begin_at(input->block, last, last->n, before);
}

/* BlockInput.available */
static int64
stream_available_rows(BlockInput *input, int64 limit)
{
	Block *block = input->block;
	Rows  *rows = block->rows;
	int64  begin = block->begin;

	while (rows->n - begin < limit &&
		   rows->arena.used - block->arena_used <= Max(input->arena_bytes, block->arena_used))
		if (!stream_more_rows(input, limit - (rows->n - begin)))
			break;
	return Min(rows->n - begin, limit);
}

/* BlockInput.fill: the rows themselves are in the block. */
static void
stream_fill_block(BlockInput *input, int64 n)
{
	Block	 *block = input->block;
	Rows	 *rows = block->rows;
	BlockPeek peek = input->careful ? ((StreamBlocks *) input)->peek : PEEK_NONE;

	n += block->begin;
	/* WindowAgg reads these rows, too: an error in computing one of them must come up before the block is emitted */
	for (int64 i = n; peek != PEEK_NONE && (i < rows->n || stream_more_rows(input, 1)); i++)
		if (peek == PEEK_ROW || block->peer[i])
			break;
	while (rows->n < block_input_end(input, block->first, n) &&
		   stream_more_rows(input, block_input_end(input, block->first, n) - rows->n))
		;
}

/* ---- units ---- */

/* True if a block's rows take as much memory as one unit may take. */
static bool
stream_is_full(const BlockInput *input)
{
	const Rows *rows = input->block->rows;

	return rows->n * (rows_row_bytes(rows) + input->needs->result_bytes) + rows->arena.used >
		   Max(guc_budget() / UNIT_PART, UNIT_LEAST);
}

/*
 * Returns the end of the unit that row n - 1 of the block is in, for which more rows are read.  If memory does not
 * suffice for them, returns where the block's last unit begins: `begin`, if the block has only one.
 */
static int64
to_end_of_unit(BlockInput *input, Lookahead unit, int64 n)
{
	const StreamBlocks *blocks = (const StreamBlocks *) input;
	const Block		   *block = input->block;

	for (;;)
	{
		n = block_next_unit(block, unit, n, block->rows->n);
		if (n < block->rows->n || blocks->at_end)
			break;
		if (stream_is_full(input))
			return block_last_unit(block, unit, n);
		if (!stream_more_rows(input, input->careful ? 1 : Max(PULL_MIN, n / PULL_PART)))
			break;
	}
	return n;
}

/* BlockInput.whole_units */
static int64
stream_whole_units(BlockInput *input, Lookahead unit, int64 n)
{
	const Block *block = input->block;
	int64		 end = to_end_of_unit(input, unit, block->begin + n);

	if (input->frame->in_ranges && end > block->begin && frame_may_fail(input->frame, block, end))
		return 0;
	return end - block->begin;
}

/* True if a piece has enough of a unit.  Two rows at least: the last one is held back. */
static bool
piece_is_full(const Block *piece, int64 n)
{
	const Rows *rows = piece->rows;

	return n - piece->begin >= BLOCK_MAX_ROWS ||
		   (n - piece->begin >= 2 && rows->arena.used > piece->arena_used + BLOCK_MAX_BYTES);
}

/* Reads rows until a piece is full, or has all of a unit; returns the end of the unit, or of the piece. */
static int64
fill_piece(StreamBlocks *blocks, Block *piece, Lookahead unit)
{
	int64 n = piece->begin + 1; /* row n - 1 is in the unit */

	for (;;)
	{
		n = block_next_unit(piece, unit, n, piece->rows->n);
		if (n < piece->rows->n || piece_is_full(piece, n) ||
			!stream_append_rows(blocks, piece, blocks->input.careful ? 1 : BLOCK_MAX_ROWS))
			return n;
	}
}

/* Has the rows of a file that has been written come next. */
static void
push_file(StreamBlocks *blocks, RowFile *file)
{
	const Rows	 *rows = blocks->input.block->rows;
	MemoryContext old = MemoryContextSwitchTo(blocks->memory);

	row_file_read(file, blocks->memory, rows->column, rows->columns);
	blocks->pushed = lappend(blocks->pushed, file);
	MemoryContextSwitchTo(old);
	blocks->at_end = false;
}

/* BlockInput.accumulate: the unit's rows are removed from the block, and come again. */
static int64
stream_accumulate_unit(BlockInput *input, Lookahead unit)
{
	StreamBlocks *blocks = (StreamBlocks *) input;
	Block		 *block = input->block, *piece = block;
	MemoryContext old = MemoryContextSwitchTo(blocks->memory);
	RowFile		 *file = (RowFile *) palloc(sizeof(RowFile));
	int64		  length = 0;

	row_file_create(file);
	MemoryContextSwitchTo(old);
	for (;;)
	{
		int64  end = fill_piece(blocks, piece, unit);
		Block *next = other_buffer(input, block, piece);
		bool   last = end < piece->rows->n || blocks->at_end;

		/* the last row is held back: it may be the unit's last */
		piece->n = last ? end : end - 1;
		input->units.accumulate(input->units.functions, piece, unit, last);
		length += piece->n - piece->begin;
		blocks->sorted->statistics->spilled += row_file_write(file, piece->rows, NULL, piece->begin,
															  (last ? piece->rows->n : piece->n) - piece->begin);
		if (last)
			break;
		stream_begin_at(next, piece, piece->n, 1);
		piece = next;
	}
	rows_truncate(block->rows, block->begin, block->arena_used);
	push_file(blocks, file);
	return length;
}

/* ---- setting up ---- */

void
stream_blocks_begin(StreamBlocks *blocks, BlockInput input, Sorted *sorted, ExprContext *econtext, BlockPeek peek)
{
	static const BlockInputMethods methods = {.begin = stream_begin_block,
											  .available = stream_available_rows,
											  .whole_units = stream_whole_units,
											  .accumulate = stream_accumulate_unit,
											  .fill = stream_fill_block,
											  .more = stream_more_rows};

	*blocks = (StreamBlocks){
		.input = input, .sorted = sorted, .econtext = econtext, .peek = peek, .memory = CurrentMemoryContext};
	blocks->input.methods = &methods;
}

void
stream_blocks_rewind(StreamBlocks *blocks)
{
	Block *block = blocks->input.block = &blocks->input.buffer[0];

	foreach_ptr (RowFile, file, blocks->pushed)
		row_file_close(file);
	list_free_deep(blocks->pushed);
	blocks->pushed = NIL;
	blocks->at_end = false;
	block->n = block->first = 0;
	rows_reset(block->rows);
}
