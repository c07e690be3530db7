/*
 * offset_functions.c: the functions that return the value of another row: lag, lead, first_value, last_value,
 * nth_value.
 *
 * Called by dispatch.c.  lag and lead find their row in the block, which includes enough rows before and after its own.
 * For the other functions, a value that a later block returns is copied (column/memory.h), since the rows of a block
 * are gone when the next block comes.  lag with IGNORE NULLS also copies its values, since they may be any number of
 * rows back.
 *
 * The offset of lag and lead, and the n of nth_value, may be known only at each row.  The frame is then taken to slide,
 * whatever it is: frame.c has the rows of the frame, or of the partition, in the block, in memory that may lie on disk.
 * So any row is found by its position, and an argument is computed at the one row at which WindowAgg computes it, where
 * it may fail.  Rejected: to keep the first argument's values of a partition beside the block (KeptValues).  It
 * takes a second way for partitions beyond memory, and all values would have to be computed before the first row's.
 */
#include "postgres.h"

#include "column/memory.h"
#include "column/saved_state.h"
#include "compat.h"
#include "node/evaluate/internal.h"

typedef struct Values
{
	RetainedType   type;
	int64		   offset; /* the constant offset of lag, lead and nth_value */
	int64		   row;	   /* rows of the partition so far; with IGNORE NULLS, values that are not NULL */
	int64		   begin;  /* with an offset of each row: the start of the partition, in the block's rows */
	int64		   end;	   /* lead, and with an offset of each row: the end of the partition, in the block's rows */
	RetainedDatum  kept;
	bool		   ignores; /* IGNORE NULLS */
	RetainedDatum *last;	/* lag with IGNORE NULLS: the last `offset` values, in a ring */
} Values;

/* Copies the value of row i to *place. */
static void
offset_copy_value(RowFunction *f, const Block *block, int64 i, RetainedDatum *place)
{
	const Values *values = (const Values *) f->state;
	bool		  isnull;
	Datum		  value = row_argument(f, block, 0, i, &isnull);

	retained_set(place, &values->type, value, isnull, f->query);
}

static void
offset_keep_value(RowFunction *f, const Block *block, int64 i)
{
	offset_copy_value(f, block, i, &((Values *) f->state)->kept);
}

/* Stores the kept value, or NULL if none is kept, as the result of rows `from` to `end` - 1. */
static void
offset_put_kept(RowFunction *f, int64 from, int64 end)
{
	const RetainedDatum *kept = &((Values *) f->state)->kept;

	node_put_rows(f, from, end, kept->value, !kept->present || kept->isnull);
}

/* True if row i does not count, since NULLs are ignored and its value is NULL. */
static bool
is_ignored(const RowFunction *f, const Block *block, int64 i)
{
	bool isnull = false;

	if (((const Values *) f->state)->ignores)
		(void) row_argument(f, block, 0, i, &isnull);
	return isnull;
}

/* Stores the value of an argument at row `from` as the result of row i. */
static void
put_argument(RowFunction *f, const Block *block, int64 i, int argument, int64 from)
{
	bool  isnull;
	Datum value = row_argument(f, block, argument, from, &isnull);

	node_put(f, i, value, isnull);
}

/* Stores the default, computed at row i, as the result of row i: there is no row at the offset. */
static void
put_default(RowFunction *f, const Block *block, int64 i)
{
	if (f->arguments > 2)
		put_argument(f, block, i, 2, i);
	else
		node_put(f, i, 0, true);
}

/* lag: evaluates the rest of the block, or one row where an argument is late */
static int64
evaluate_lag(RowFunction *f, const Block *block, int64 done)
{
	Values *values = (Values *) f->state;
	int64	end = f->late_row != NULL ? done + 1 : row_stop(f, block, done);

	FOR_INTERRUPTIBLE (i, done, end)
	{
		if (block->head[i])
			values->row = 0;
		if (values->row++ >= values->offset)
			put_argument(f, block, i, 0, i - values->offset);
		else
			put_default(f, block, i);
		if (node_is_full(f))
			return i + 1;
	}
	return end;
}

/* lag with IGNORE NULLS: the ring has the last `offset` of values->row values */
static int64
evaluate_lag_ignoring(RowFunction *f, const Block *block, int64 done)
{
	Values *values = (Values *) f->state;
	int64	end = row_stop(f, block, done);

	FOR_INTERRUPTIBLE (i, done, end)
	{
		RetainedDatum *oldest;

		if (block->head[i])
			values->row = 0;
		oldest = &values->last[values->row % values->offset];
		if (values->row >= values->offset)
			node_put(f, i, oldest->value, false);
		else
			put_default(f, block, i);
		if (!is_ignored(f, block, i))
		{
			offset_copy_value(f, block, i, oldest);
			values->row++;
		}
		if (node_is_full(f))
			return i + 1;
	}
	return end;
}

/* lead: evaluates as many rows as lag does */
static int64
evaluate_lead(RowFunction *f, const Block *block, int64 done)
{
	Values *values = (Values *) f->state;
	int64	end = f->late_row != NULL ? done + 1 : row_stop(f, block, done);

	if (done == block->begin)
		values->end = done;
	FOR_INTERRUPTIBLE (i, done, end)
	{
		if (i == values->end)
			values->end = block_next_unit(block, LOOKAHEAD_PARTITION, i + 1, block->rows->n);
		if (i + values->offset < values->end)
			put_argument(f, block, i, 0, i + values->offset);
		else
			put_default(f, block, i);
		if (node_is_full(f))
			return i + 1;
	}
	return end;
}

/* Begins a block that has the partition of its first row whole. */
static void
begin_whole_partition(Values *values, const Block *block)
{
	values->begin = values->end = block->begin;
	while (values->begin > 0 && !block->head[values->begin])
		values->begin--;
}

/* lag and lead by an offset of each row: evaluates as many rows as lag does */
static int64
evaluate_any_row(RowFunction *f, const Block *block, int64 done)
{
	Values *values = (Values *) f->state;
	bool	back = node_info(f)->kind == FUNCTION_LAG;
	int64	end = f->late_row != NULL ? done + 1 : row_stop(f, block, done);

	if (done == block->begin)
		begin_whole_partition(values, block);
	FOR_INTERRUPTIBLE (i, done, end)
	{
		bool  isnull;
		int32 offset = DatumGetInt32(row_argument(f, block, 1, i, &isnull));
		int64 row = i + (back ? (int32) - (uint32) offset : offset); /* as core, which negates an int4 */

		if (i == values->end)
			values->end = block_next_unit(block, LOOKAHEAD_PARTITION, i + 1, block->rows->n);
		if (block->head[i])
			values->begin = i;
		if (isnull)
			node_put(f, i, 0, true);
		else if (row >= values->begin && row < values->end)
			put_argument(f, block, i, 0, row);
		else
			put_default(f, block, i);
		if (node_is_full(f))
			return i + 1;
	}
	return end;
}

/* first_value: evaluates to the end of the partition; the next partition's first row replaces the kept value */
static int64
evaluate_first(RowFunction *f, const Block *block, int64 i)
{
	int64 end = block_unit_end(block, LOOKAHEAD_PARTITION, i);

	if (block->head[i])
		offset_keep_value(f, block, i);
	offset_put_kept(f, i, end);
	return end;
}

/* last_value: keeps the unit's last value */
static void
accumulate_last(RowFunction *f, const Block *block, Lookahead unit, bool last)
{
	if (last)
		offset_keep_value(f, block, block->n - 1);
}

/* last_value: the value of the row, of its last peer, or of the partition's last row */
static int64
evaluate_last(RowFunction *f, const Block *block, int64 done)
{
	int64 stop = f->late_row != NULL ? done + 1 : row_stop(f, block, done);
	int64 i = done;

	if (block->accumulated[row_unit(f)])
	{
		offset_put_kept(f, done, block->n);
		return block->n;
	}
	do
	{
		int64 end = block_unit_end(block, row_unit(f), i);
		bool  isnull;
		Datum value = row_argument(f, block, 0, end - 1, &isnull);

		node_put_rows(f, i, end, value, isnull);
		i = end;
	} while (i < stop && !node_is_full(f));
	return i;
}

/*
 * nth_value: keeps the value if it is among rows `from` to `end` - 1.  The result is NULL until the frame, which ends
 * with the unit, has `offset` rows.  With IGNORE NULLS only values that are not NULL count; then first_value is the
 * first of them, and last_value the last.
 */
static void
look_for_nth(RowFunction *f, const Block *block, int64 from, int64 end)
{
	Values *values = (Values *) f->state;
	int64	last = -1;

	FOR_INTERRUPTIBLE (i, from, end)
	{
		if (block->head[i])
		{
			values->row = 0;
			retained_clear(&values->kept);
		}
		if (is_ignored(f, block, i))
			continue;
		if (node_info(f)->kind == FUNCTION_LAST_VALUE)
			last = i;
		else if (++values->row == values->offset)
			offset_keep_value(f, block, i);
	}
	if (last >= 0)
		offset_keep_value(f, block, last);
}

static int64
evaluate_nth(RowFunction *f, const Block *block, int64 done)
{
	int64 end = block_result_end(block, row_unit(f), done);

	if (!block->accumulated[row_unit(f)])
		look_for_nth(f, block, done, end);
	offset_put_kept(f, done, end);
	return end;
}

static void
accumulate_nth(RowFunction *f, const Block *block, Lookahead unit, bool last)
{
	look_for_nth(f, block, block->begin, block->n);
}

/* ---- sliding frames ---- */

/*
 * Returns the n-th row of a frame, as core counts it: from the frame's first row, or from its last row if `from_end`.
 * The row may lie outside the frame.
 */
static int64
frame_row(const RowFrame *frame, int64 row, int64 n, bool from_end)
{
	int64 i = from_end ? frame->tail - n : frame->head + n - 1;
	int64 hole = frame->hole_end - frame->hole;

	/* the n-th row comes before the hole */
	if (hole == 0 || (from_end ? i >= frame->hole_end : i < frame->hole))
		return i;
	/* EXCLUDE TIES keeps the row itself; core counts it even in a frame that does not contain it */
	if (frame->ties && i == (from_end ? frame->hole_end - 1 : frame->hole))
		return row;
	hole -= frame->ties;
	return from_end ? i - hole : i + hole;
}

/* Stores the value of the n-th row of the frame of row i, or NULL if the frame has fewer rows. */
static void
put_frame_row(RowFunction *f, const Block *block, int64 i, int64 n, bool from_end)
{
	const RowFrame *frame = &block->frame[i];
	int64			row = frame_row(frame, i, n, from_end);

	if (row >= frame->head && row < frame->tail)
		put_argument(f, block, i, 0, row);
	else
		node_put(f, i, 0, true);
}

/*
 * first_value, last_value and nth_value, also by an n of each row: evaluates rows up to one that raises an error,
 * unless it is the first one
 */
static int64
evaluate_frame(RowFunction *f, const Block *block, int64 done)
{
	bool  last = node_info(f)->kind == FUNCTION_LAST_VALUE;
	int64 n = ((const Values *) f->state)->offset;
	int64 end = f->late_row != NULL ? done + 1 : row_stop(f, block, done);

	FOR_INTERRUPTIBLE (i, done, end)
	{
		bool isnull = false;

		if (f->needs & NEEDS_ANY_FRAME_ROW)
			n = DatumGetInt32(row_argument(f, block, 1, i, &isnull));
		if (!isnull && n <= 0 && i > done)
			return i;
		if (!isnull && n <= 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_ARGUMENT_FOR_NTH_VALUE),
							errmsg("argument of nth_value must be greater than zero")));
		if (isnull)
			node_put(f, i, 0, true);
		else
			put_frame_row(f, block, i, n, last);
		if (node_is_full(f))
			return i + 1;
	}
	return end;
}

/* ---- saved state ---- */

static void
offset_carry(RowFunction *f, const Block *block, SavedState *saved)
{
	Values *values = (Values *) f->state;

	carry_bytes(saved, &values->row, sizeof(values->row));
	carry_retained(saved, &values->kept, &values->type, f->query);
}

/* Returns the offset of lag and lead, or the n of nth_value, where it is the same at each row; else 1. */
static int64
offset_of(const WindowFunctionInfo *info)
{
	switch (info->kind)
	{
		case FUNCTION_LAG:
			return info->before;
		case FUNCTION_LEAD:
			return info->after;
		case FUNCTION_NTH_VALUE:
			return info->nth;
		default:
			return 1;
	}
}

void
node_value_start(RowFunction *f)
{
	/* over frames that do not slide */
	static const struct
	{
		EvaluateRows evaluate;
		void (*accumulate)(RowFunction *f, const Block *block, Lookahead unit, bool last);
	} way[] = {
		[FUNCTION_LAG] = {evaluate_lag},
		[FUNCTION_LEAD] = {evaluate_lead},
		[FUNCTION_FIRST_VALUE] = {evaluate_first},
		[FUNCTION_LAST_VALUE] = {evaluate_last, accumulate_last},
		[FUNCTION_NTH_VALUE] = {evaluate_nth, accumulate_nth},
	};
	WindowFunctionKind kind = node_info(f)->kind;
	Values			  *values = (Values *) MemoryContextAlloc(f->query, sizeof(Values));

	*values = (Values){.type = retained_type(node_info(f)->wfunc->wintype),
					   .offset = offset_of(node_info(f)),
					   .ignores = compat_null_treatment(node_info(f)->wfunc) == NULLS_IGNORED};
	f->state = values;
	f->carry_state = offset_carry;
	if (f->needs & NEEDS_BOUNDS)
	{
		f->evaluate = f->needs & NEEDS_ANY_ROW ? evaluate_any_row : evaluate_frame;
		f->method = "position";
		return;
	}
	/* lag by 0 is the row's own value, NULL or not */
	if (values->ignores && kind == FUNCTION_LAG && values->offset > 0)
	{
		values->last = (RetainedDatum *) MemoryContextAllocZero(f->query, values->offset * sizeof(RetainedDatum));
		f->evaluate = evaluate_lag_ignoring;
		return;
	}
	/* rows without a value are not counted: the first value need not be the first row's */
	if (values->ignores && kind != FUNCTION_LAG)
		kind = FUNCTION_NTH_VALUE;
	f->evaluate = way[kind].evaluate;
	f->accumulate = way[kind].accumulate;
}
