/*
 * reader.c: returns the input of PrefixScan in blocks of rows in window order, for exec/.
 *
 * Input that is in order already streams: a block is pulled (pull.c), 16 rows at first and more each time, so that a
 * LIMIT above does not pay for rows that it does not see.  Where a unit must not be cut, the first row of the next unit
 * tells that the block is complete; this row begins the next block.  Input that is not in order is pulled and sorted
 * before the first block (sorted.c), and blocks are gathered from where its rows lie (sorted_block.c).  Rows that were
 * sorted on disk stream like input that is in order.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"

#include "column/file_map.h"
#include "exchange/repartition.h"
#include "guc.h"
#include "node/input/boundaries.h"
#include "node/input/frame.h"
#include "node/input/order_ranges.h"
#include "node/input/reader.h"
#include "node/input/sorted.h"
#include "node/input/sorted_block.h"
#include "node/input/stream_block.h"

/* Rows that are pulled at once in search of a unit's end: PULL_MIN, or the block's rows / PULL_PART if that is more. */
#define PULL_MIN 4
#define PULL_PART 16

/* A block as large as a function prefers may take this part of scan.work_mem. */
#define PREFERRED_PART 8

/* A block of rows that were sorted in memory may take at least this part of scan.work_mem. */
#define GATHERED_PART 16

/* Rows sorted in memory that are accumulated at once. */
#define ACCUMULATED_ROWS 4096

/* ---- input in order ---- */

/*
 * True if no more rows may be pulled for the next block than WindowAgg would have read by now: computing another one
 * could raise an error that WindowAgg never comes to.
 */
static bool
reads_with_care(const BlockReader *reader)
{
	if (!reader->may_error_or_side_effect || (reader->demand == DEMAND_ALL && demand_by_caller_is_all()))
		return false;
	/* the first block has all rows, whatever is asked for */
	if (reader->needs.whole[LOOKAHEAD_PARTITION] && reader->keys.partition == 0)
		return false;
	return !reader->started || reader->demand == DEMAND_UNKNOWN || !demand_by_caller_is_all();
}

/* Returns the unit that the next block must not cut: the largest lookahead whose unit has not been accumulated. */
static Lookahead
unit_needed(const BlockReader *reader)
{
	for (Lookahead unit = LOOKAHEAD_PARTITION; unit > LOOKAHEAD_NONE; unit--)
		if (reader->needs.whole[unit] && reader->left[unit] == 0)
			return unit;
	return LOOKAHEAD_NONE;
}

/* Returns n, or how many rows are left of a unit that has been accumulated, if they are fewer. */
static int64
within_units(const BlockReader *reader, int64 n)
{
	for (Lookahead unit = LOOKAHEAD_PEERS; unit <= LOOKAHEAD_PARTITION; unit++)
		if (reader->left[unit] > 0)
			n = Min(n, reader->left[unit]);
	return n;
}

/*
 * Returns how many rows a block has to have for its rows before row n, if its row 0 is at position `first` of the
 * input: functions look ahead, and Frame.known may come from rows that the block before had read.
 */
static int64
end_of_rows(const BlockReader *reader, int64 first, int64 n)
{
	return Max(n + reader->needs.after, reader->frame.sliding ? reader->frame.known - first : 0);
}

/* Ends, at row n, a block that is emitted. */
static void
show_rows(BlockReader *reader, Block *block, int64 n)
{
	block->n = n;
	for (Lookahead unit = LOOKAHEAD_PEERS; unit <= LOOKAHEAD_PARTITION; unit++)
	{
		block->accumulated[unit] = reader->left[unit] > 0;
		if (block->accumulated[unit])
			reader->left[unit] -= n - block->begin;
	}
}

/*
 * Returns the end of the unit that row n - 1 of a block is in, for which more rows are read.  If memory does not
 * suffice for them, returns where the block's last unit begins: `begin`, if the block has only one.
 */
static int64
to_end_of_unit(BlockReader *reader, Block *block, Lookahead unit, int64 n, bool careful)
{
	for (;;)
	{
		n = block_next_unit(block, unit, n, block->rows->n);
		if (n < block->rows->n || reader->at_end)
			break;
		if (stream_block_is_full(reader, block))
			return block_last_unit(block, unit, n);
		if (!stream_more_rows(reader, block, careful ? 1 : Max(PULL_MIN, n / PULL_PART)))
			break;
	}
	return n;
}

/*
 * Makes the next block of input that is in order: `target` rows, and the rest of the last unit.  Rows that were read
 * after the block's end begin the next block.
 */
static bool
stream_block(BlockReader *reader, int64 target, bool careful)
{
	Block	 *block = stream_next_block(reader);
	Rows	 *rows = block->rows;
	int64	  begin = block->begin;
	int64	  n;
	Lookahead unit;

	for (;;)
	{
		unit = unit_needed(reader);
		while (rows->n - begin < target &&
			   rows->arena.used - block->arena_used <= Max(BLOCK_MAX_BYTES, block->arena_used))
			if (!stream_more_rows(reader, block, target - (rows->n - begin)))
				break;
		n = begin + within_units(reader, Min(rows->n - begin, target));
		if (n == begin)
			return false;
		if (unit == LOOKAHEAD_NONE)
			break;
		n = to_end_of_unit(reader, block, unit, n, careful);
		if (n > begin && !(reader->frame.in_ranges && frame_may_fail(&reader->frame, block, n)))
			break;
		reader->left[unit] = stream_accumulate_unit(reader, unit, careful);
	}
	/* WindowAgg reads these rows, too: an error in computing one of them must come up before the block is emitted */
	for (int64 i = n; careful && reader->peek != PEEK_NONE && (i < rows->n || stream_more_rows(reader, block, 1)); i++)
		if (reader->peek == PEEK_ROW || block->peer[i])
			break;
	while (rows->n < end_of_rows(reader, block->first, n) &&
		   stream_more_rows(reader, block, end_of_rows(reader, block->first, n) - rows->n))
		;
	if (reader->frame.sliding)
		n = frame_block(reader, block, n, unit == LOOKAHEAD_NONE);
	show_rows(reader, block, n);
	return true;
}

/* Returns the bytes of a row in a block, with its boundaries, results and frame. */
static Size
row_bytes(const BlockReader *reader)
{
	return rows_row_bytes(reader->buffer[0].rows) + 2 * sizeof(bool) + reader->needs.result_bytes +
		   (reader->frame.sliding ? sizeof(RowFrame) : 0);
}

/* Returns how many bytes the sort has left of scan.work_mem, and at least 1 / GATHERED_PART of it. */
static Size
left_of_memory(const BlockReader *reader)
{
	Size budget = guc_budget();

	return Max(budget / GATHERED_PART, budget - Min(budget, reader->sorted.bytes));
}

/* True if the next n rows of sorted input, which are whole units, can be a block. */
static bool
may_be_gathered(BlockReader *reader, int64 n)
{
	if (reader->shared.range_partitioned)
		return true;
	if (n > Max(BLOCK_MAX_ROWS, (int64) (left_of_memory(reader) / row_bytes(reader))))
		return false;
	if (!reader->frame.in_ranges)
		return true;
	reader->block->begin = 0;
	gather_rows(reader, reader->block, reader->next, n);
	return !frame_may_fail(&reader->frame, reader->block, n);
}

/* Has the functions accumulate a unit of sorted input: the rows from reader->next to before position `end`. */
static void
accumulate_gathered(BlockReader *reader, Lookahead unit, int64 end)
{
	Block *block = reader->block;

	block->begin = 0;
	for (int64 from = reader->next; from < end; from += block->n)
	{
		block->n = Min(end - from, ACCUMULATED_ROWS);
		gather_rows(reader, block, from, block->n);
		reader->accumulate(reader->functions, block, unit, from + block->n == end);
	}
}

/* Makes the next block of sorted input, gathered column by column from where the rows lie. */
static bool
gathered_block(BlockReader *reader, int64 target)
{
	Block *block = reader->block = &reader->buffer[0];
	int64 rest = (reader->shared.range_partitioned ? reader->shared.ranges.end : reader->sorted.order.n) - reader->next;
	int64 from = reader->next - Min(reader->next, reader->needs.before);
	int64 begin;
	int64 n;
	Lookahead unit;

	if (rest <= 0)
		return false;
	for (;;)
	{
		unit = unit_needed(reader);
		n = within_units(reader, Min(Max(target, 1), rest)); /* Max(): gcc 14 warns that it may be negative */
		if (unit == LOOKAHEAD_NONE)
			break;
		n = boundaries_next_unit(&reader->sorted.order, unit, reader->next + n) - reader->next;
		if (may_be_gathered(reader, n))
			break;
		n = boundaries_next_unit(&reader->sorted.order, unit, reader->next + 1) - reader->next;
		if (may_be_gathered(reader, n))
			break;
		accumulate_gathered(reader, unit, reader->next + n);
		reader->left[unit] = n;
	}
	if (reader->frame.sliding && reader->next > 0 && !scan_bit(reader->sorted.order.heads, reader->next))
		from = Min(from, reader->frame.kept);
	begin = reader->next - from;
	n += begin;
	gather_rows(reader, block, from,
				reader->shared.range_partitioned ? reader->sorted.order.n - from
												 : Min(end_of_rows(reader, from, n), reader->sorted.order.n - from));
	block->begin = begin;
	if (reader->frame.sliding)
		n = frame_block(reader, block, n, unit == LOOKAHEAD_NONE && !reader->shared.range_partitioned);
	show_rows(reader, block, n);
	reader->next += n - begin;
	return true;
}

void
reader_prefer_rows(BlockReader *reader, int64 rows)
{
	reader->max_rows = Max(BLOCK_MAX_ROWS, Min(rows, guc_budget() / PREFERRED_PART / row_bytes(reader)));
}

/* Forgets all rows, and what is known about them. */
static void
forget_rows(BlockReader *reader)
{
	stream_rewind(reader);
	sorted_rewind(&reader->sorted);
	rows_refer_to(reader->buffer[0].rows, NULL);
	reader->next = 0;
	reader->frame.reach = reader->frame.known = reader->frame.kept = 0;
	reader->at_end = false;
}

/* Has blocks made of the rows that have been sorted.  By-reference values stay in the arena of rows in memory. */
static void
use_sorted_rows(BlockReader *reader)
{
	if (reader->sorted.all != NULL)
		rows_refer_to(reader->buffer[0].rows, &reader->sorted.all->arena);
	if (reader->shared.range_partitioned)
		reader->next = reader->shared.ranges.first;
}

/* Takes and sorts the next batch; false: there is none, or this process alone reads the input. */
static bool
next_batch(BlockReader *reader)
{
	if (reader->shared.repartition == NULL)
		return false;
	forget_rows(reader);
	if (!shared_input_next(&reader->shared))
		return false;
	use_sorted_rows(reader);
	return true;
}

static bool
next_block(BlockReader *reader, int64 target, bool careful)
{
	if (reader->sorted.all != NULL)
		return gathered_block(reader, target);
	/* no batch is taken: the first one is still to come, or the last one has ended */
	if (reader->shared.repartition != NULL && reader->sorted.runs == NULL)
		return false;
	return stream_block(reader, careful ? 1 : target, careful);
}

bool
reader_next(BlockReader *reader)
{
	bool careful = reads_with_care(reader);
	/* a smaller block would mostly copy the rows around it */
	int64 target = Max(Max(reader->target_rows, reader->needs.before), reader->needs.after);
	bool  there;

	if (reader->frame.sliding && !reader->frame.started)
		frame_start(&reader->frame, reader->econtext);
	if (reader->frame.sliding)
		pool_spill_beyond(left_of_memory(reader));
	target = reader->shared.range_partitioned ? PG_INT64_MAX : Max(target, reader->frame.reach);
	if (reader->sorts && !reader->started)
	{
		if (reader->shared.repartition != NULL)
			shared_input_repartition(&reader->shared);
		else
		{
			sorted_input(&reader->sorted, NULL, false);
			use_sorted_rows(reader);
		}
	}
	there = next_block(reader, target, careful);
	while (!there && next_batch(reader))
		there = next_block(reader, target, careful);
	reader->started = true;
	if (!careful)
		reader->target_rows = Min(4 * reader->target_rows, reader->max_rows);
	if (there)
	{
		Size bytes = 0;

		reader->block->is_range = reader->shared.range_partitioned;

		for (int b = 0; b < lengthof(reader->buffer); b++)
			bytes += rows_size(reader->buffer[b].rows);
		if (reader->sorted.all != NULL)
			bytes += reader->sorted.bytes;
		reader->statistics.peak_bytes = Max(reader->statistics.peak_bytes, bytes);
		reader->statistics.peak_spilled = Max(reader->statistics.peak_spilled, file_map_total);
		reader->statistics.blocks++;
	}
	return there;
}

void
reader_end(BlockReader *reader)
{
	stream_rewind(reader);
	sorted_rewind(&reader->sorted);
}

void
reader_rewind(BlockReader *reader)
{
	forget_rows(reader);
	pull_rewind(&reader->pull);
	shared_input_rewind(&reader->shared);
	reader->started = reader->frame.started = false;
	reader->target_rows = PREFIX_SCAN_FIRST_ROWS;
	reader->max_rows = BLOCK_MAX_ROWS;
}
