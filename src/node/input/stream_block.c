/*
 * stream_block.c: fills blocks with rows of input that streams.
 *
 * reader.c calls it and decides where a block ends.  This file pulls the rows, from the child or from the runs of a
 * sort on disk, and has their boundaries marked.  Rows that were read after a block's end begin the next block.
 *
 * A unit that some function has to know whole, and that is too large for memory, is accumulated a piece at a time,
 * while its rows go to a file.  The file is then read before the rest of the input, so that the rows come a second
 * time.  A peer group that is too large may lie in a partition that is too large as well: then its rows come from the
 * partition's file and go to a file of the peer group.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "column/stretch.h"
#include "guc.h"
#include "node/input/boundaries.h"
#include "node/input/pull.h"
#include "node/input/sorted.h"
#include "node/input/stream_block.h"
#include "sort/row_file.h"

/* The rows of a unit may take this part of scan.work_mem in a block, and UNIT_LEAST bytes in any case. */
#define UNIT_PART 4
#define UNIT_LEAST (64 * 1024)

/* ---- rows ---- */

/* Appends rows that were pushed; returns how many; 0: there are none. */
static int64
pull_pushed(BlockReader *reader, Rows *rows, int64 n)
{
	while (reader->pushed != NIL)
	{
		RowFile *file = (RowFile *) llast(reader->pushed);
		int64	 got = row_file_pull(file, rows, n, BLOCK_MAX_BYTES);

		if (got > 0)
			return got;
		row_file_close(file);
		pfree(file);
		reader->pushed = list_delete_last(reader->pushed);
	}
	return 0;
}

/* Appends rows of the child, or of the sort's runs; returns how many. */
static int64
pull_input(BlockReader *reader, Rows *rows, int64 n)
{
	return reader->sorted.runs != NULL ? sorted_pull(&reader->sorted, rows, n) : pull_rows(&reader->pull, rows, n);
}

bool
stream_more_rows(BlockReader *reader, Block *block, int64 n)
{
	Rows *rows = block->rows;
	int64 from = rows->n;

	if (reader->at_end)
		return false;
	if (pull_pushed(reader, rows, n) == 0 && pull_input(reader, rows, n) == 0)
	{
		reader->at_end = true;
		return false;
	}
	boundaries_mark(&reader->keys, reader->econtext, block, from);
	return true;
}

/* ---- blocks ---- */

/* Copies rows of a block, with their boundaries, to the end of another block. */
static void
copy_rows(Block *to, const Block *from, int64 begin, int64 end)
{
	int64 n = to->rows->n;

	for (int64 i = begin; i < end; i++)
	{
		stretch_row(i);
		rows_append_row(to->rows, from->rows, i);
	}
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
begin_at(Block *block, const Block *other, int64 n, int64 before)
{
	int64 from = Max(0, n - Max(before, 1));

	rows_reset(block->rows);
	block->first = other->first + from;
	copy_rows(block, other, from, n);
	block->begin = block->n = block->rows->n;
	block->arena_used = block->rows->arena.used;
	copy_rows(block, other, n, other->rows->n);
}

/* Returns a buffer of the reader that is neither a nor b. */
static Block *
other_buffer(BlockReader *reader, const Block *a, const Block *b)
{
	Block *buffer = reader->buffer;

	while (buffer == a || buffer == b)
		buffer++;
	return buffer;
}

Block *
stream_next_block(BlockReader *reader)
{
	Block *last = reader->block;
	int64  before = reader->needs.before;

	if (reader->frame.sliding && last->n > 0 && !(last->n < last->rows->n && last->head[last->n]))
		before = Max(before, last->first + last->n - reader->frame.kept);
	reader->block = other_buffer(reader, last, last);
	begin_at(reader->block, last, last->n, before);
	return reader->block;
}

void
stream_rewind(BlockReader *reader)
{
	ListCell *cell;

	foreach (cell, reader->pushed)
		row_file_close((RowFile *) lfirst(cell));
	list_free_deep(reader->pushed);
	reader->pushed = NIL;
	memset(reader->left, 0, sizeof(reader->left));
	reader->block = &reader->buffer[0];
	reader->block->n = reader->block->first = 0;
	rows_reset(reader->block->rows);
}

/* ---- units that are too large ---- */

bool
stream_block_is_full(const BlockReader *reader, const Block *block)
{
	const Rows *rows = block->rows;

	return rows->n * (rows_row_bytes(rows) + reader->needs.result_bytes) + rows->arena.used >
		   Max(guc_budget() / UNIT_PART, UNIT_LEAST);
}

/* Reads rows until a piece has BLOCK_MAX_ROWS of a unit, or all; returns the end of the unit, or of the piece. */
static int64
fill_piece(BlockReader *reader, Block *piece, Lookahead unit, bool careful)
{
	int64 n = piece->begin + 1; /* row n - 1 is in the unit */

	for (;;)
	{
		n = block_next_unit(piece, unit, n, piece->rows->n);
		if (n < piece->rows->n || n - piece->begin >= BLOCK_MAX_ROWS ||
			!stream_more_rows(reader, piece, careful ? 1 : BLOCK_MAX_ROWS))
			return n;
	}
}

int64
stream_accumulate_unit(BlockReader *reader, Lookahead unit, bool careful)
{
	Block		 *block = reader->block, *piece = block;
	MemoryContext old = MemoryContextSwitchTo(reader->memory);
	RowFile		 *file = (RowFile *) palloc(sizeof(RowFile));
	int64		  length = 0;

	row_file_create(file);
	MemoryContextSwitchTo(old);
	for (;;)
	{
		int64  end = fill_piece(reader, piece, unit, careful);
		Block *next = other_buffer(reader, block, piece);
		bool   last = end < piece->rows->n || reader->at_end;

		/* the last row is held back: it may be the unit's last */
		piece->n = last ? end : end - 1;
		reader->accumulate(reader->functions, piece, unit, last);
		length += piece->n - piece->begin;
		reader->statistics.spilled += row_file_write(file, piece->rows, NULL, piece->begin,
													 (last ? piece->rows->n : piece->n) - piece->begin);
		if (last)
			break;
		begin_at(next, piece, piece->n, 1);
		piece = next;
	}
	rows_truncate(block->rows, block->begin, block->arena_used);
	old = MemoryContextSwitchTo(reader->memory);
	row_file_read(file, reader->memory, block->rows->column, reader->pull.columns);
	reader->pushed = lappend(reader->pushed, file);
	MemoryContextSwitchTo(old);
	reader->at_end = false;
	return length;
}
