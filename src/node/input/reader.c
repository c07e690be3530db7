/*
 * reader.c: the input of PrefixScan in blocks of rows in window order, for exec/.
 *
 * Input that is in order already streams: a block is pulled (pull.c), 16 rows at first and
 * more each time, so that a LIMIT above does not pay for what it does not see.  The
 * first row after a block tells that the block is complete; it is the first row of
 * the next.  Input that is not in order is pulled and sorted before the first block
 * (sorted.c), and gathered from where it lies (sorted_block.c); what was sorted on disk streams
 * like the rest.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"

#include "column/file_map.h"
#include "exchange/repartition.h"
#include "guc.h"
#include "node/input/boundaries.h"
#include "node/input/order_ranges.h"
#include "node/input/reader.h"
#include "node/input/sorted.h"
#include "node/input/sorted_block.h"
#include "node/input/stream_block.h"

/* Rows that are pulled at once in search of a unit's end: at least so many, or that part of the block. */
#define PULL_MIN 4
#define PULL_PART 16

/* The part of scan.work_mem that a block may have. */
#define PREFERRED_PART 8

/* And a block of rows that were sorted in memory, in any case. */
#define GATHERED_PART 16

/* Rows of these that are looked at at once. */
#define LOOK_ROWS 4096

/* ---- input in order ---- */

/*
 * Whether no more rows may be pulled for the next block than WindowAgg would have read by
 * now: computing another one could raise an error that WindowAgg never comes to.
 */
static bool
reads_with_care(const BlockReader *reader)
{
	if (!reader->may_error_or_side_effect || (reader->demand == DEMAND_ALL && demand_by_caller_is_all()))
		return false;
	/* the first block has all there is, whatever is asked for */
	if (reader->needs[LOOKAHEAD_PARTITION] && reader->partition_keys == 0)
		return false;
	return !reader->started || reader->demand == DEMAND_UNKNOWN || !demand_by_caller_is_all();
}

/* The units that the next block must not cut: those that some function needs and has not looked at. */
static Lookahead
unit_needed(const BlockReader *reader)
{
	for (Lookahead unit = LOOKAHEAD_PARTITION; unit > LOOKAHEAD_NONE; unit--)
		if (reader->needs[unit] && reader->left[unit] == 0)
			return unit;
	return LOOKAHEAD_NONE;
}

/* At most n rows: no more than there are of the units that have been looked at. */
static int64
within_units(const BlockReader *reader, int64 n)
{
	for (Lookahead unit = LOOKAHEAD_PEERS; unit <= LOOKAHEAD_PARTITION; unit++)
		if (reader->left[unit] > 0)
			n = Min(n, reader->left[unit]);
	return n;
}

/*
 * Up to where rows have to be there for those before row n of a block whose row 0 is row `first` of the input:
 * functions look ahead, and frames at what they knew in the block before.
 */
static int64
end_of_rows(const BlockReader *reader, int64 first, int64 n)
{
	return Max(n + reader->after, reader->frame.sliding ? reader->frame.known - first : 0);
}

/* Ends a block of which rows are shown. */
static void
show_rows(BlockReader *reader, Block *block, int64 n)
{
	block->n = n;
	for (Lookahead unit = LOOKAHEAD_PEERS; unit <= LOOKAHEAD_PARTITION; unit++)
	{
		block->seen[unit] = reader->left[unit] > 0;
		if (block->seen[unit])
			reader->left[unit] -= n - block->begin;
	}
}

/*
 * Goes on from row n of a block up to where a unit ends, and returns that; or, if there is not
 * memory for so much, back to where the last unit begins: `begin`, if it is the only one.
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
 * The next block of input that is in order, of `target` rows or a unit more; rows after it
 * that had to be looked at wait for the one after it.
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
	/* where core looks on, an error of such a row comes up here too */
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

/* The bytes of a row in a block, with its marks and results. */
static Size
row_bytes(const BlockReader *reader)
{
	return rows_row_bytes(reader->buffer[0].rows) + 2 * sizeof(bool) + reader->result_bytes +
		   (reader->frame.sliding ? sizeof(RowFrame) : 0);
}

/* What the sort has left of the memory. */
static Size
left_of_memory(const BlockReader *reader)
{
	Size budget = guc_budget();

	return Max(budget / GATHERED_PART, budget - Min(budget, reader->sorted_bytes));
}

/* Whether the next n rows of sorted input, of whole units, can be a block. */
static bool
may_be_gathered(BlockReader *reader, int64 n)
{
	if (reader->range_partitioned)
		return true;
	if (n > Max(BLOCK_MAX_ROWS, (int64) (left_of_memory(reader) / row_bytes(reader))))
		return false;
	if (!reader->frame.in_ranges)
		return true;
	reader->block->begin = 0;
	gather_rows(reader, reader->block, reader->next, n);
	return !frame_may_fail(&reader->frame, reader->block, n);
}

/* Has a unit of sorted input looked at, from the next row to before place `end`. */
static void
look_at_gathered(BlockReader *reader, Lookahead unit, int64 end)
{
	Block *block = reader->block;

	block->begin = 0;
	block->looking = unit;
	for (int64 from = reader->next; from < end; from += block->n)
	{
		block->n = Min(end - from, LOOK_ROWS);
		block->last = from + block->n == end;
		gather_rows(reader, block, from, block->n);
		reader->look(reader->looker, block);
	}
	block->looking = LOOKAHEAD_NONE;
}

/* The next block of sorted input: gathered, column by column, from where the rows lie. */
static bool
gathered_block(BlockReader *reader, int64 target)
{
	Block	 *block = reader->block = &reader->buffer[0];
	int64	  rest = (reader->range_partitioned ? reader->shown : reader->ordered) - reader->next;
	int64	  from = reader->next - Min(reader->next, reader->before);
	int64	  begin;
	int64	  n;
	Lookahead unit;

	if (rest <= 0)
		return false;
	for (;;)
	{
		unit = unit_needed(reader);
		n = within_units(reader, Min(Max(target, 1), rest)); /* gcc 14 asks whether it can be negative */
		if (unit == LOOKAHEAD_NONE)
			break;
		n = boundaries_next_unit(reader, unit, reader->next + n) - reader->next;
		if (may_be_gathered(reader, n))
			break;
		n = boundaries_next_unit(reader, unit, reader->next + 1) - reader->next;
		if (may_be_gathered(reader, n))
			break;
		look_at_gathered(reader, unit, reader->next + n);
		reader->left[unit] = n;
	}
	if (reader->frame.sliding && reader->next > 0 && !scan_bit(reader->heads, reader->next))
		from = Min(from, reader->frame.kept);
	begin = reader->next - from;
	n += begin;
	gather_rows(reader, block, from,
				reader->range_partitioned ? reader->ordered - from
										  : Min(end_of_rows(reader, from, n), reader->ordered - from));
	block->begin = begin;
	if (reader->frame.sliding)
		n = frame_block(reader, block, n, unit == LOOKAHEAD_NONE && !reader->range_partitioned);
	show_rows(reader, block, n);
	reader->next += n - begin;
	return true;
}

void
reader_prefer_rows(BlockReader *reader, int64 rows)
{
	reader->max_rows = Max(BLOCK_MAX_ROWS, Min(rows, guc_budget() / PREFERRED_PART / row_bytes(reader)));
}

/* Forgets all rows, and what is known of them. */
static void
forget_rows(BlockReader *reader)
{
	stream_rewind(reader);
	sorted_rewind(reader);
	reader->frame.reach = reader->frame.known = reader->frame.kept = 0;
	reader->at_end = reader->child_ended = false;
}

/* Has the rows of the next batch sorted; false: there is none, or no batches. */
static bool
next_batch(BlockReader *reader)
{
	if (reader->repartition == NULL)
		return false;
	forget_rows(reader);
	if (!repartition_next_batch(reader->repartition))
		return false;
	sorted_input(reader);
	if (reader->range_partitioned)
		ranges_join(reader);
	return true;
}

static bool
next_block(BlockReader *reader, int64 target, bool careful)
{
	if (reader->all != NULL)
		return gathered_block(reader, target);
	/* before the first batch, and after the last one */
	if (reader->repartition != NULL && reader->runs == NULL)
		return false;
	return stream_block(reader, careful ? 1 : target, careful);
}

bool
reader_next(BlockReader *reader)
{
	bool  careful = reads_with_care(reader);
	int64 target = Max(Max(reader->target_rows, reader->before), reader->after); /* or most would be copying */
	bool  there;

	if (reader->frame.sliding && !reader->frame.started)
		frame_start(&reader->frame, reader->econtext);
	if (reader->frame.sliding || reader->needs[LOOKAHEAD_PARTITION])
		pool_spill_beyond(left_of_memory(reader));
	target = reader->range_partitioned ? PG_INT64_MAX : Max(target, reader->frame.reach);
	if (reader->sorts && !reader->started)
	{
		if (reader->range_partitioned)
			ranges_repartition(reader);
		else if (reader->repartition != NULL)
			sorted_repartition(reader);
		else
			sorted_input(reader);
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

		reader->block->is_range = reader->range_partitioned;

		for (int b = 0; b < lengthof(reader->buffer); b++)
			bytes += rows_size(reader->buffer[b].rows);
		if (reader->all != NULL)
			bytes += reader->sorted_bytes;
		reader->peak_bytes = Max(reader->peak_bytes, bytes);
		reader->peak_spilled = Max(reader->peak_spilled, file_map_total);
		reader->blocks++;
	}
	return there;
}

void
reader_end(BlockReader *reader)
{
	stream_rewind(reader);
	sorted_rewind(reader);
}

void
reader_rewind(BlockReader *reader)
{
	forget_rows(reader);
	if (reader->repartition != NULL)
		repartition_leave(reader->repartition);
	reader->started = reader->frame.started = false;
	if (reader->pages != NULL)
		pages_rewind(reader->pages);
	reader->target_rows = PREFIX_SCAN_FIRST_ROWS;
	reader->max_rows = BLOCK_MAX_ROWS;
}
