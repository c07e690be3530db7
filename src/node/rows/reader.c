/*
 * reader.c: the input of PrefixScan in blocks of rows in window order, for exec/.
 *
 * Input that is in order already streams: a block is pulled (pull.c), 16 rows at first and
 * more each time, so that a LIMIT above does not pay for what it does not see.  The
 * first row after a block tells that the block is complete; it is the first row of
 * the next.  Input that is not in order is pulled and sorted before the first block
 * (sorted.c), and gathered from where it lies (gather.c); what was sorted on disk streams
 * like the rest.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"

#include "guc.h"
#include "node/rows/gather.h"
#include "node/rows/marks.h"
#include "node/rows/pull.h"
#include "node/rows/reader.h"
#include "node/rows/sorted.h"

/* Rows that are pulled at once in search of a unit's end: at least so many, or that part of the block. */
#define PULL_MIN 4
#define PULL_PART 16

/* The part of scan.work_mem that a block may have. */
#define PREFERRED_PART 8

/* ---- input in order ---- */

/* Pulls at most n more rows after those of the block, and marks them; false: there are none. */
static bool
pull_more(BlockReader *reader, int64 n)
{
	Rows *rows = reader->block.rows;
	int64 from = rows->n;

	if (reader->at_end || (reader->runs != NULL ? sorted_pull(reader, rows, n) : pull_rows(reader, rows, n)) == 0)
	{
		reader->at_end = true;
		return false;
	}
	if (from > 0)
		marks_add(reader, from, rows, from - 1);
	else if (reader->started)
		marks_add(reader, 0, reader->rows[1], reader->rows[1]->n - 1);
	else
		marks_add(reader, 0, NULL, 0);
	return true;
}

/* Takes the rows after the last block, which lie in `before` from row n on, as the first of the new one. */
static void
carry_over(Block *block, const Rows *before, int64 n)
{
	for (int64 i = n; i < before->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		rows_append_row(block->rows, before, i);
	}
	memmove(block->head, block->head + n, before->n - n);
	memmove(block->peer, block->peer + n, before->n - n);
}

/*
 * Whether no more rows may be pulled for the next block than WindowAgg would have read by
 * now: computing another one could raise an error that WindowAgg never comes to.
 */
static bool
reads_with_care(const BlockReader *reader)
{
	if (!reader->fallible || (reader->demand == DEMAND_ALL && demand_by_caller_is_all()))
		return false;
	/* the first block has all there is, whatever is asked for */
	if (reader->lookahead == LOOKAHEAD_PARTITION && reader->partition_keys == 0)
		return false;
	return !reader->started || reader->demand == DEMAND_UNKNOWN || !demand_by_caller_is_all();
}

/*
 * The next block of input that is in order, of `target` rows or a unit more; rows after it
 * that had to be looked at wait for the one after it.
 */
static bool
stream_block(BlockReader *reader, int64 target, bool careful)
{
	Block *block = &reader->block;
	Rows  *before = reader->rows[0];
	Rows  *rows = reader->rows[1];
	int64  n;

	reader->rows[0] = rows;
	reader->rows[1] = before;
	block->rows = rows;
	rows_reset(rows);
	marks_reserve(reader, BLOCK_MAX_ROWS);
	if (reader->started)
		carry_over(block, before, block->n);

	while (rows->n < target && rows->arena.used <= BLOCK_MAX_BYTES)
		if (!pull_more(reader, target - rows->n))
			break;
	n = Min(rows->n, target);
	while (reader->lookahead != LOOKAHEAD_NONE && n > 0 &&
		   (n < rows->n || pull_more(reader, careful ? 1 : Max(PULL_MIN, n / PULL_PART))) &&
		   block_next_unit(block, reader->lookahead, n, n + 1) > n)
		n++;
	/* where core looks on, an error of such a row comes up here too */
	for (int64 i = n; careful && n > 0 && reader->peek != PEEK_NONE && (i < rows->n || pull_more(reader, 1)); i++)
		if (reader->peek == PEEK_ROW || block->peer[i])
			break;
	block->n = n;
	return n > 0;
}

/* The next block of sorted input: gathered, column by column, from where the rows lie. */
static bool
gathered_block(BlockReader *reader)
{
	Block *block = &reader->block;
	int64  rest = reader->ordered - reader->next;
	int64  n = Min(Max(reader->target_rows, 1), rest); /* gcc 14 asks whether it can be negative */

	if (rest <= 0)
		return false;
	block->rows = reader->rows[0];
	n = marks_next_unit(reader, reader->next + n) - reader->next;
	marks_reserve(reader, n);
	gather_rows(reader, n);
	block->n = n;
	reader->next += n;
	return true;
}

void
reader_prefer_rows(BlockReader *reader, int64 rows)
{
	Size row = rows_row_bytes(reader->rows[0]) + reader->result_bytes + 2 * sizeof(bool); /* the marks */

	reader->max_rows = Max(BLOCK_MAX_ROWS, Min(rows, guc_budget() / PREFERRED_PART / row));
}

bool
reader_next(BlockReader *reader)
{
	bool careful = reads_with_care(reader);
	bool there;

	if (reader->sorts && !reader->started)
		sorted_input(reader);
	there = reader->all != NULL ? gathered_block(reader)
								: stream_block(reader, careful ? 1 : reader->target_rows, careful);
	reader->started = true;
	if (!careful)
		reader->target_rows = Min(4 * reader->target_rows, reader->max_rows);
	if (there)
	{
		Size bytes = rows_size(reader->rows[0]) + rows_size(reader->rows[1]);

		if (reader->all != NULL)
			bytes += reader->sorted_bytes;
		reader->most_bytes = Max(reader->most_bytes, bytes);
		reader->blocks++;
	}
	return there;
}

void
reader_rewind(BlockReader *reader)
{
	rows_reset(reader->rows[0]);
	rows_reset(reader->rows[1]);
	sorted_rewind(reader);
	reader->started = false;
	reader->at_end = reader->child_ended = false;
	if (reader->pages != NULL)
		pages_rewind(reader->pages);
	reader->target_rows = PREFIX_SCAN_FIRST_ROWS;
	reader->max_rows = BLOCK_MAX_ROWS;
	reader->block.n = 0;
}
