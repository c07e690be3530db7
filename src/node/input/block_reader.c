/*
 * block_reader.c: returns the input of PrefixScan in blocks of rows in window order, for exec/.
 *
 * Input that is in order already streams: a block has 16 rows at first and more each time, so that a LIMIT above does
 * not pay for rows that it does not see.  Input that is not in order is pulled and sorted before the first block
 * (sorted_input.c), and blocks are gathered from where its rows lie.  Rows that were sorted on disk stream like input
 * that is in order.  Input that is in order by the first keys is pulled and sorted in chunks.  Both ways are a
 * BlockInput (blocks.h), and this file makes blocks of either: it decides how many rows a block has, which unit
 * must not be cut, and when a unit has to be accumulated since it cannot be one block.
 *
 * Rejected: to leave these decisions to each way, which had the same loop twice.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"

#include "column/memory.h"
#include "guc.h"
#include "node/input/block_reader.h"
#include "node/input/blocks.h"

/*
 * A block as large as a function prefers may take this part of scan.work_mem, and its arena as much; there are two such
 * blocks at once.  In the memory of the setting's default it has more than a million rows of a few columns.  An eighth
 * would be too few for those who prefer large blocks.
 */
#define PREFERRED_PART 4

/* ---- setting up ---- */

/* Creates the memory of blocks and frames.  Blocks with sliding frames may have to hold many rows. */
static void
create_buffers(BlockReader *reader, const RowColumn *column)
{
	for (int b = 0; b < BLOCK_BUFFERS; b++)
	{
		reader->buffer[b].rows = rows_create(reader->memory, column, reader->pull.columns, ROWS_BY_COLUMN);
		if (reader->needs.flags & NEEDS_BOUNDS)
			pool_may_spill(reader->buffer[b].rows->arrays);
	}
	if (reader->needs.flags & NEEDS_BOUNDS)
	{
		reader->frame.pool = pool_create(reader->memory);
		pool_may_spill(reader->frame.pool);
	}
}

/*
 * Has numerics that are not keys be small ones in rows that are sorted.  Rows of which only the first are wanted are
 * replaced one by one, and a range is gathered as a whole, with the bytes of its numerics: neither gains by it.
 */
static void
keep_numerics_small(BlockReader *reader, RowColumn *column)
{
	for (int c = 0; c < reader->pull.columns; c++)
		column[c].small = reader->pull.column[c].type == NUMERICOID && !column[c].constant;
	for (int k = 0; k < reader->keys.n; k++)
		column[reader->keys.key[k].column].small = false;
}

void
reader_begin(BlockReader *reader, RowColumn *column, TopRows top, SortedOffer offer, UnitAccumulator units)
{
	BlockInput input = {.buffer = reader->buffer,
						.needs = &reader->needs,
						.frame = &reader->frame,
						.arena_bytes = BLOCK_MAX_BYTES,
						.units = units};

	reader->memory = CurrentMemoryContext;
	sorted_begin(&reader->sorted, &reader->pull, &reader->keys, column, top, offer, &reader->statistics);
	if (top.limit == 0 && !reader->sorts_ranges)
		keep_numerics_small(reader, column);
	create_buffers(reader, column);
	sorted_expect_order(&reader->sorted, reader->presorted);
	shared_input_begin(&reader->shared, &reader->sorted, &reader->frame, &reader->needs);
	stream_blocks_begin(&reader->stream, input, &reader->sorted, reader->econtext, reader->read_ahead.peek);
	sorted_blocks_begin(&reader->from_memory, input, &reader->sorted);
	reader_rewind(reader);
}

/* ---- a block ---- */

/*
 * True if no more rows may be pulled for the next block than WindowAgg would have read by now: computing another one
 * could raise an error that WindowAgg never comes to.
 */
static bool
reader_is_careful(const BlockReader *reader)
{
	const ReadAhead *read_ahead = &reader->read_ahead;

	if (!read_ahead->may_error_or_side_effect || (read_ahead->demand == DEMAND_ALL && demand_by_caller_is_all()))
		return false;
	/* the first block has all rows, whatever is asked for */
	if ((reader->needs.flags & LOOKAHEAD_PARTITION) && reader->keys.partition == 0)
		return false;
	return !reader->started || read_ahead->demand == DEMAND_UNKNOWN || !demand_by_caller_is_all();
}

/* Returns the unit that the next block must not cut: the largest lookahead whose unit has not been accumulated. */
static Lookahead
unit_needed(const BlockReader *reader)
{
	for (Lookahead unit = LOOKAHEAD_PARTITION; unit > LOOKAHEAD_NONE; unit--)
		if ((reader->needs.flags & unit) && reader->left[unit] == 0)
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

/* Ends a block that is emitted before its row n. */
static void
end_block(BlockReader *reader, Block *block, int64 n)
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
 * Makes the next block of an input: `target` rows, and the rest of the last unit, or what can be of one block.  Rows of
 * a unit that has been accumulated make blocks of their own.
 */
static bool
next_block_of(BlockReader *reader, BlockInput *input, int64 target)
{
	const BlockInputMethods *methods = input->methods;
	bool					 is_range = reader->shared.range_partitioned;
	Lookahead				 unit;
	int64					 n;

	methods->begin(input);
	for (;;)
	{
		unit = unit_needed(reader);
		n = within_units(reader, methods->available(input, target));
		if (n == 0)
			return false;
		if (unit == LOOKAHEAD_NONE)
			break;
		n = methods->whole_units(input, unit, n);
		if (n > 0)
			break;
		reader->left[unit] = methods->accumulate(input, unit);
	}
	methods->fill(input, n);
	n += input->block->begin;
	input->block->is_range = is_range;
	if (reader->needs.flags & NEEDS_BOUNDS)
		n = frame_block(input, n, unit == LOOKAHEAD_NONE && !is_range);
	end_block(reader, input->block, n);
	reader->block = input->block;
	return true;
}

static bool
read_next_block(BlockReader *reader, int64 target, bool careful)
{
	if (reader->sorted.all != NULL && !reader->sorted.streams)
		return next_block_of(reader, &reader->from_memory.input, target);
	/* no batch is taken: the first one is still to come, or the last one has ended */
	if (reader->shared.repartition != NULL && reader->sorted.runs == NULL)
		return false;
	reader->stream.input.careful = careful;
	return next_block_of(reader, &reader->stream.input, careful ? 1 : target);
}

/* ---- the input ---- */

/* Forgets all rows, and what is known about them. */
static void
forget_rows(BlockReader *reader)
{
	stream_blocks_rewind(&reader->stream);
	sorted_blocks_rewind(&reader->from_memory);
	sorted_forget(&reader->sorted);
	reader->block = reader->stream.input.block;
	memset(reader->left, 0, sizeof(reader->left));
	reader->frame.reach = reader->frame.known = reader->frame.kept = 0;
}

/* Has blocks made of the rows that have been sorted. */
static void
use_sorted_rows(BlockReader *reader)
{
	const Ranges *ranges = &reader->shared.ranges;

	if (reader->shared.range_partitioned)
		sorted_blocks_use(&reader->from_memory, ranges->first, ranges->end);
	else if (reader->sorted.all != NULL && !reader->sorted.streams)
		sorted_blocks_use(&reader->from_memory, 0, reader->sorted.order.n);
}

/* Sorts the input, or repartitions it with other processes. */
static void
sort_input(BlockReader *reader)
{
	if (reader->shared.repartition != NULL)
	{
		shared_input_repartition(&reader->shared);
		return;
	}
	/* of input that is in order by some keys, only the first chunk; rows that stream are pulled by stream_block.c */
	if (reader->presorted == 0)
		sorted_input(&reader->sorted, NULL, false);
	else if (!reader->sorted.streams)
		(void) sorted_next(&reader->sorted);
	use_sorted_rows(reader);
}

/* Sorts the rows that come after those that were sorted, or takes and sorts the next batch; false: there is none. */
static bool
next_batch(BlockReader *reader)
{
	if (reader->sorted.later == NULL && reader->shared.repartition == NULL &&
		(reader->presorted == 0 || reader->sorted.streams))
		return false;
	forget_rows(reader);
	if (!sorted_next(&reader->sorted))
	{
		sorted_rewind(&reader->sorted);
		if (!shared_input_next(&reader->shared))
			return false;
	}
	use_sorted_rows(reader);
	return true;
}

/* Counts a block. */
static void
count_block(BlockReader *reader)
{
	InputStatistics *statistics = &reader->statistics;
	Size			 bytes = reader->sorted.all != NULL ? reader->sorted.bytes : 0;

	for (int b = 0; b < BLOCK_BUFFERS; b++)
		bytes += rows_size(reader->buffer[b].rows);
	statistics->peak_bytes = Max(statistics->peak_bytes, bytes);
	statistics->peak_spilled = Max(statistics->peak_spilled, file_map_total);
	statistics->blocks++;
}

/* Returns the most rows of a block for which no function prefers a number of rows. */
static int64
block_max_rows(const BlockReader *reader)
{
	int64 rows = BLOCK_MAX_BYTES / block_input_row_bytes(&reader->stream.input);

	return Max(Min(rows, BLOCK_MAX_ROWS), BLOCK_LEAST_ROWS);
}

/* Returns how many rows the next block should have.  A smaller block would mostly copy the rows around it. */
static int64
block_rows_wanted(const BlockReader *reader)
{
	if (reader->shared.range_partitioned)
		return PG_INT64_MAX;
	return Max(Max(reader->target_rows, reader->frame.reach), Max(reader->needs.before, reader->needs.after));
}

bool
reader_next(BlockReader *reader)
{
	bool  careful = reader_is_careful(reader);
	int64 target;
	bool  there;

	/* the functions had to start before, to know the bytes of their results */
	if (reader->max_rows == 0)
		reader->max_rows = block_max_rows(reader);
	if ((reader->needs.flags & NEEDS_BOUNDS) && !reader->frame.started)
		frame_start(&reader->frame, reader->econtext);
	if (reader->needs.flags & NEEDS_BOUNDS)
		pool_spill_beyond(sorted_memory_left(&reader->sorted));
	target = block_rows_wanted(reader);
	if (reader->sorts && !reader->started)
		sort_input(reader);
	there = read_next_block(reader, target, careful);
	while (!there && next_batch(reader))
		there = read_next_block(reader, target, careful);
	reader->started = true;
	if (!careful)
		reader->target_rows = Min(4 * reader->target_rows, reader->max_rows);
	if (there)
		count_block(reader);
	return there;
}

void
reader_prefer_rows(BlockReader *reader, int64 rows, bool at_once)
{
	Size row_bytes = block_input_row_bytes(&reader->stream.input);

	reader->max_rows = Max(block_max_rows(reader), Min(rows, guc_budget() / PREFERRED_PART / row_bytes));
	reader->stream.input.arena_bytes = Max(BLOCK_MAX_BYTES, guc_budget() / PREFERRED_PART);
	if (at_once)
		reader->target_rows = reader->max_rows;
}

void
reader_end(BlockReader *reader)
{
	stream_blocks_rewind(&reader->stream);
	sorted_rewind(&reader->sorted);
	for (int b = 0; b < BLOCK_BUFFERS; b++)
		block_release(&reader->buffer[b]);
}

void
reader_rewind(BlockReader *reader)
{
	forget_rows(reader);
	sorted_rewind(&reader->sorted);
	pull_rewind(&reader->pull);
	shared_input_rewind(&reader->shared);
	reader->started = reader->frame.started = false;
	reader->target_rows = BLOCK_FIRST_ROWS;
	reader->max_rows = 0;
}
