/*
 * frame.c: computes sliding frames, for the rows of a block.
 *
 * block_reader.c calls it once a block.  The bounds are those of nodeWindowAgg.c, for every mode: counted in rows, in
 * peer groups, or by the type's in_range function.  As in nodeWindowAgg.c, neither bound ever moves back in a
 * partition, so a bound takes about one step a row.  Bounds are positions in the input, since they outlive a block.
 *
 * in_range may raise an error, for example for a timestamp out of range, and the error must come up at its row.  So a
 * block ends before a row whose bounds may raise an error, and the row is the first one of the next block.
 */
#include "postgres.h"

#include "common/int.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "column/stretch.h"
#include "column/type.h"
#include "node/input/blocks.h"
#include "node/planned_window.h"

/* The fewest rows that are read at once in search of a frame's end. */
#define READ_LEAST 16

/* ---- offsets ---- */

/*
 * Limits of timestamps and offsets whose sum is surely in range: 4000 years before 2000 AD, 100,000 years after it, and
 * offsets of up to 500 years.  The range of timestamps begins in 4713 BC and ends in 294276 AD.
 */
#define SAFE_TIME (100000 * (int64) 366 * USECS_PER_DAY)
#define SAFE_PAST (-4000 * (int64) 366 * USECS_PER_DAY)
#define SAFE_MONTHS (500 * 12)
#define SAFE_DAYS (500 * 366)

static bool
offset_is_safe(Datum offset)
{
	const Interval *span = DatumGetIntervalP(offset);

	return span->month >= 0 && span->month <= SAFE_MONTHS && span->day >= 0 && span->day <= SAFE_DAYS &&
		   span->time >= 0 && span->time <= SAFE_DAYS * USECS_PER_DAY;
}

/* True if in_range surely accepts an offset of such a type, so that an error could only come from a value. */
static bool
is_proven(const TypeInfo *type, Datum offset)
{
	return type->offset == OFFSET_INTERVAL ? offset_is_safe(offset) : type_offset_is_safe(type, offset);
}

static void
end_start(FrameEnd *end, ExprContext *econtext, int options, const char *which)
{
	bool  isnull, by_value;
	int16 length;
	Datum offset;

	if (end->expr == NULL)
		return;
	get_typlenbyval(exprType((const Node *) end->expr->expr), &length, &by_value);
	end->format = column_format(length, by_value);
	/* frees the offset of the last scan */
	if (!by_value && DatumGetPointer(end->offset) != NULL)
		pfree(DatumGetPointer(end->offset));
	end->offset = 0;
	offset = ExecEvalExprSwitchContext(end->expr, econtext, &isnull);
	if (isnull)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("frame %s offset must not be null", which)));
	end->offset = datumCopy(offset, by_value, length);
	end->proven = (options & FRAMEOPTION_RANGE) &&
				  is_proven(type_info(exprType((const Node *) end->expr->expr)), end->offset);
	if (!(options & FRAMEOPTION_RANGE) && DatumGetInt64(end->offset) < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PRECEDING_OR_FOLLOWING_SIZE),
						errmsg("frame %s offset must not be negative", which)));
}

void
frame_start(Frame *frame, ExprContext *econtext)
{
	MemoryContext old = MemoryContextSwitchTo(econtext->ecxt_per_query_memory);

	end_start(&frame->start, econtext, frame->options, "starting");
	end_start(&frame->end, econtext, frame->options, "ending");
	frame->in_ranges = (frame->options & FRAMEOPTION_RANGE) && (frame->start.expr != NULL || frame->end.expr != NULL);
	frame->started = true;
	MemoryContextSwitchTo(old);
}

/* Returns how many rows after the current one an end of ROWS is; negative if it is before the row. */
static int64
rows_behind(const FrameEnd *end)
{
	int64 offset = end->expr == NULL ? 0 : DatumGetInt64(end->offset);

	return end->preceding ? -offset : offset;
}

int64
frame_rows(const Frame *frame)
{
	int	  unbounded = FRAMEOPTION_START_UNBOUNDED_PRECEDING | FRAMEOPTION_END_UNBOUNDED_FOLLOWING;
	int64 rows;

	if (!(frame->options & FRAMEOPTION_ROWS) || (frame->options & unbounded) ||
		pg_sub_s64_overflow(rows_behind(&frame->end), rows_behind(&frame->start), &rows) || rows >= PG_INT32_MAX)
		return 0;
	return Max(rows + 1, 0);
}

/* ---- rows ---- */

/* Appends more rows to the block, where that is observable the next one only; false: there are none. */
static bool
frame_read_on(const Frame *frame)
{
	BlockInput	*input = frame->input;
	const Block *block = input->block;

	return input->methods->more(input,
								input->careful ? 1 : Max(READ_LEAST, (block->rows->n - block->begin) / READ_LEAST));
}

/* True if position `row` of the input is in the current partition; reads rows until that is known. */
static bool
is_in_partition(Frame *frame, const Block *block, int64 row)
{
	while (row >= frame->known && !frame->ends)
	{
		int64 next = frame->known - block->first;

		CHECK_FOR_INTERRUPTS();
		if ((next >= block->rows->n && !frame_read_on(frame)) || block->head[next])
			frame->ends = true;
		else
			frame->known++;
	}
	return row < frame->known;
}

/* Moves on to position `row`, which may begin a partition or a peer group. */
static void
begin_row(Frame *frame, const Block *block, int64 row)
{
	int64 i = row - block->first;

	if (block->head[i])
	{
		frame->partition = frame->start.row = frame->end.row = row;
		frame->start.group = frame->end.group = frame->group = 0;
		frame->ends = false;
		frame->known = row + 1;
	}
	else if (block->peer[i])
		frame->group++;
	if (block->peer[i])
		frame->peers = row;
	/* the end of the peer group may be known from the row before, if it is a peer */
	frame->peers_end = block->head[i] ? row + 1 : Max(frame->peers_end, row + 1);
}

static void
find_peers_end(Frame *frame, const Block *block)
{
	while (is_in_partition(frame, block, frame->peers_end) && !block->peer[frame->peers_end - block->first])
		frame->peers_end++;
}

/* ---- bounds ---- */

/*
 * Returns a bound of ROWS: the position `offset` rows before or after the row, or, if `beyond` is 1, the next one; but
 * no position outside of the partition.
 */
static int64
bound_by_rows(Frame *frame, const Block *block, const FrameEnd *end, int64 row, int64 beyond)
{
	int64 offset = DatumGetInt64(end->offset);
	int64 bound;

	if (end->preceding)
		return offset > row - frame->partition + beyond ? frame->partition : row - offset + beyond;
	if (pg_add_s64_overflow(row + beyond, offset, &bound))
		bound = PG_INT64_MAX;
	return is_in_partition(frame, block, bound - 1) ? bound : frame->known;
}

/*
 * Moves a bound of GROUPS to the group that is `offset` groups before or after the row's group, or, if `beyond` is 1,
 * to the next group.
 */
static void
bound_by_groups(Frame *frame, const Block *block, FrameEnd *end, int64 beyond)
{
	int64 offset = DatumGetInt64(end->offset);
	int64 group;

	if (end->preceding)
		group = frame->group - offset;
	else if (pg_add_s64_overflow(frame->group, offset, &group))
		group = PG_INT64_MAX;
	if (group < PG_INT64_MAX)
		group += beyond;
	while (end->group < group && is_in_partition(frame, block, end->row))
	{
		end->row++;
		if (is_in_partition(frame, block, end->row) && block->peer[end->row - block->first])
			end->group++;
	}
}

/* Returns a value of RANGE_INTEGER's or RANGE_TIME's types as an integer with the same order. */
static int64
integer_of(const Frame *frame, Datum value)
{
	return column_integer(frame->format, value) * frame->type->unit;
}

/* Returns the integer with which values are compared: `base` plus or minus the offset. */
static int128
range_bound(const Frame *frame, const FrameEnd *end, int64 base)
{
	int64 offset;

	if (frame->type->range == RANGE_TIME)
		return DatumGetInt64(DirectFunctionCall2(end->subtract ? frame->type->subtract : frame->type->add,
												 Int64GetDatum(base), end->offset));
	offset = column_integer(end->format, end->offset);
	return end->subtract ? (int128) base - offset : (int128) base + offset;
}

static bool
value_is_safe(const Frame *frame, Datum value)
{
	int64 time;

	if (frame->type->offset == OFFSET_INTERVAL)
		return offset_is_safe(value);
	/* a date may be out of range in microseconds */
	time = column_integer(frame->format, value);
	return time > SAFE_PAST / frame->type->unit && time < SAFE_TIME / frame->type->unit;
}

/* True if in_range raises no error for a value.  Whether it accepts the offset does not depend on the row. */
static bool
in_range_is_safe(const Frame *frame, const FrameEnd *end, Datum value)
{
	if (!end->proven)
		return false;
	if (frame->type->range != RANGE_TIME && frame->type->offset != OFFSET_INTERVAL)
		return true;
	return value_is_safe(frame, value) && offset_is_safe(end->offset);
}

/* True if in_range may raise an error for one of the block's rows up to row n - 1. */
bool
frame_may_fail(const Frame *frame, const Block *block, int64 n)
{
	const FrameEnd *ends[] = {&frame->start, &frame->end};

	for (int e = 0; e < lengthof(ends); e++)
		FOR_INTERRUPTIBLE (i, block->begin, ends[e]->expr != NULL ? n : 0)
		{
			bool  isnull;
			Datum value = column_get(&block->rows->column[frame->column].data, i, &isnull);

			if (!isnull && !in_range_is_safe(frame, ends[e], value))
				return true;
		}
	return false;
}

/*
 * Moves a bound of RANGE on to that of the row at position `row`; `is_start`: the bound is the frame's start.  Unless
 * `may_fail`, returns false where this may raise an error.
 */
static bool
bound_by_range(Frame *frame, const Block *block, FrameEnd *end, bool is_start, int64 row, bool may_fail)
{
	const Column *column = &block->rows->column[frame->column].data;
	bool		  isnull;
	Datum		  base = column_get(column, row - block->first, &isnull);
	bool		  safe = isnull || in_range_is_safe(frame, end, base);
	bool		  by_bound = !isnull && safe && frame->type->range != RANGE_CALL;
	int128		  bound = by_bound ? range_bound(frame, end, integer_of(frame, base)) : 0;

	if (!safe && !may_fail)
		return false;
	while (is_in_partition(frame, block, end->row))
	{
		bool  other_isnull, inside;
		Datum other;

		column = &block->rows->column[frame->column].data; /* reading rows may have moved the column */
		other = column_get(column, end->row - block->first, &other_isnull);
		if (other_isnull || isnull)
		{
			/* a value's bounds move past NULLs that come first; a NULL's bounds move past values that come first */
			if (is_start ? (frame->nulls_first ? !other_isnull || isnull : other_isnull || !isnull)
						 : (frame->nulls_first ? !other_isnull : !isnull))
				break;
		}
		else
		{
			if (by_bound && (frame->type->range == RANGE_INTEGER || value_is_safe(frame, other)))
				inside = end->less ? integer_of(frame, other) <= bound : integer_of(frame, other) >= bound;
			else if (!may_fail && !in_range_is_safe(frame, end, other))
				return false;
			else
			{
				base = column_datum(column, row - block->first);
				inside = DatumGetBool(FunctionCall5Coll(&end->in_range, frame->collation, other, base, end->offset,
														BoolGetDatum(end->subtract), BoolGetDatum(end->less)));
				end->proven = true;
			}
			if (inside == is_start)
				break;
		}
		end->row++;
	}
	return true;
}

/*
 * Moves both bounds on to those of the row at position `row`.  Unless `may_fail`, returns false where this may raise an
 * error.
 */
static bool
find_bounds(Frame *frame, const Block *block, int64 row, bool may_fail)
{
	int options = frame->options;

	if (options & FRAMEOPTION_START_CURRENT_ROW)
		frame->start.row = options & FRAMEOPTION_ROWS ? row : frame->peers;
	else if (frame->start.expr != NULL && (options & FRAMEOPTION_ROWS))
		frame->start.row = bound_by_rows(frame, block, &frame->start, row, 0);
	else if (frame->start.expr != NULL && (options & FRAMEOPTION_GROUPS))
		bound_by_groups(frame, block, &frame->start, 0);
	else if (frame->start.expr != NULL && !bound_by_range(frame, block, &frame->start, true, row, may_fail))
		return false;

	if (options & FRAMEOPTION_END_UNBOUNDED_FOLLOWING)
	{
		(void) is_in_partition(frame, block, PG_INT64_MAX);
		frame->end.row = frame->known;
	}
	else if (options & FRAMEOPTION_END_CURRENT_ROW)
	{
		if (!(options & FRAMEOPTION_ROWS))
			find_peers_end(frame, block);
		frame->end.row = options & FRAMEOPTION_ROWS ? row + 1 : frame->peers_end;
	}
	else if (options & FRAMEOPTION_ROWS)
		frame->end.row = bound_by_rows(frame, block, &frame->end, row, 1);
	else if (options & FRAMEOPTION_GROUPS)
		bound_by_groups(frame, block, &frame->end, 1);
	else
		return bound_by_range(frame, block, &frame->end, false, row, may_fail);
	return true;
}

/* ---- a block ---- */

/* Finds the rows of the frame that EXCLUDE takes out. */
static void
find_hole(Frame *frame, const Block *block, int64 row, RowFrame *result)
{
	int64 i = row - block->first;

	result->hole = result->hole_end = result->tail;
	result->ties = (frame->options & FRAMEOPTION_EXCLUDE_TIES) != 0;
	result->stays = result->ties && i >= result->head && i < result->tail;
	if (!(frame->options & FRAMEOPTION_EXCLUSION))
		return;
	if (frame->options & FRAMEOPTION_EXCLUDE_CURRENT_ROW)
	{
		result->hole = i;
		result->hole_end = i + 1;
	}
	else
	{
		find_peers_end(frame, block);
		result->hole = frame->peers - block->first;
		result->hole_end = frame->peers_end - block->first;
	}
	result->hole = Min(Max(result->hole, result->head), result->tail);
	result->hole_end = Min(Max(result->hole_end, result->head), result->tail);
}

static void
frame_reserve(Frame *frame, int64 n)
{
	if (n <= frame->capacity)
		return;
	pool_free(frame->pool, frame->row);
	frame->capacity = Max(n, 2 * frame->capacity);
	frame->row = (RowFrame *) pool_alloc(frame->pool, frame->capacity * sizeof(RowFrame));
}

int64
frame_block(BlockInput *input, int64 n, bool may_end)
{
	Block *block = input->block;
	Frame *frame = input->frame;
	int	   needs = input->needs->flags;

	frame->input = input;
	frame_reserve(frame, n);
	/* a range's partition is taken to begin with the rows before the range, if it does not begin later */
	for (int64 i = 0; block->is_range && i < block->begin; i++)
		begin_row(frame, block, block->first + i);
	for (int64 i = block->begin; i < n; i++)
	{
		RowFrame *result = &frame->row[i];
		int64	  row = block->first + i;
		FrameEnd  start, end;

		stretch_row(i);
		start = frame->start;
		end = frame->end;
		begin_row(frame, block, row);
		if (!find_bounds(frame, block, row, i == block->begin || !may_end))
		{
			/* the row's bounds are computed again when it is a block's first row */
			frame->start = start;
			frame->end = end;
			if (block->peer[i] && !block->head[i])
				frame->group--;
			n = i;
			break;
		}
		result->head = frame->start.row - block->first;
		result->tail = Max(frame->end.row - block->first, result->head);
		find_hole(frame, block, row, result);
		if (needs & NEEDS_ANY_ROW)
			(void) is_in_partition(frame, block, PG_INT64_MAX);
		if (input->careful && (needs & NEEDS_ROW_AFTER))
			(void) is_in_partition(frame, block, Max(frame->start.row, frame->end.row));
	}
	block->frame = frame->row;
	frame->kept = Min(frame->end.row, block->first + n);
	/* the rows that EXCLUDE takes out; without ORDER BY, the whole partition is one group of peers */
	if (frame->options & (FRAMEOPTION_EXCLUDE_GROUP | FRAMEOPTION_EXCLUDE_TIES))
		frame->kept = Min(frame->kept, frame->peers);
	if (!(frame->options & FRAMEOPTION_START_UNBOUNDED_PRECEDING) || (needs & NEEDS_FRAME_START))
		frame->kept = Min(frame->kept, frame->start.row);
	if (needs & NEEDS_ANY_ROW)
		frame->kept = Min(frame->kept, frame->partition);
	frame->reach = Max(block->first + n - frame->kept, block->rows->n - n);
	return n;
}
