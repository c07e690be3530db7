/*
 * two_stacks.h: aggregates over sliding frames that can only join values: extremes, bits, truth values.
 *
 * The template of the strategy of number_ops.c's folds.  A frame is a queue of rows, which is divided at some row.  The
 * first stack has, for each row before it, the join of the rows from there to the division; the rows from the division
 * on are one value, their join.  So a frame's result is the join of two values, from left to right, so that the newest
 * of equal values stays, as in core.  A frame that begins behind the division moves it to the frame's end.  A row is
 * joined three times, however long frames are.  A hole in the frame, from EXCLUDE, makes two queues of it.
 *
 * Rejected: a tree of the joins of 2, 4, 8 ... rows, in which a row of a frame of 100 rows takes five times as long;
 * two scans in tiles of one length, which are as fast, but cannot have NULLs or frames of several lengths
 * (sliding_scans.c); and a queue of the values that may still become extremes (monotonic_queue.c), whose branches the
 * processor mispredicts.
 */
#ifndef SCAN_AGGREGATE_TWO_STACKS_H
#define SCAN_AGGREGATE_TWO_STACKS_H

#include "postgres.h"

#include "aggregate/aggregate_op.h"
#include "aggregate/internal.h"

typedef Datum (*JoinDatums)(Datum left, Datum right);

/* The join of some rows. */
typedef struct JoinedRows
{
	Datum value;
	bool  any; /* false: no row has a value */
} JoinedRows;

/* The rows of one side of the frames: those before the hole, or those behind it. */
typedef struct FrameQueue
{
	JoinedRows *stack; /* [i - from]: the rows from i to `middle` - 1 */
	JoinedRows	rest;  /* rows `middle` to `end` - 1 */
	int64		from, middle, end;
	int64		capacity; /* rows of the stack */
} FrameQueue;

typedef struct TwoStacks
{
	FrameQueue	 before, behind;
	SlidingScans sliding; /* where the scans of the sort have the results */
} TwoStacks;

static pg_attribute_always_inline JoinedRows
join_rows(JoinedRows left, JoinedRows right, JoinDatums join)
{
	if (!left.any)
		return right;
	if (right.any)
		left.value = join(left.value, right.value);
	return left;
}

/* Returns row i alone.  `values`: a column without NULLs, and there is no FILTER; NULL: else. */
static pg_attribute_always_inline JoinedRows
one_row(const Aggregate *aggregate, const Block *block, const Column *values, int64 i)
{
	JoinedRows row = {0, true};

	if (values != NULL)
		row.value = column_datum(values, i);
	else
		row.any = aggregate_value(aggregate, block, i, &row.value);
	return row;
}

/* Empties a queue, and makes room for frames of at most `widest` rows. */
static inline void
queue_begin(Aggregate *aggregate, FrameQueue *queue, int64 widest)
{
	queue->from = queue->middle = queue->end = 0;
	if (widest <= queue->capacity)
		return;
	pool_free(aggregate->f.result.pool, queue->stack);
	queue->capacity = Max(widest, 2 * queue->capacity);
	queue->stack = (JoinedRows *) pool_alloc(aggregate->f.result.pool, queue->capacity * sizeof(JoinedRows));
}

/* Moves the queue to rows `from` to `end` - 1, and returns their join. */
static pg_attribute_always_inline JoinedRows
queue_join(const Aggregate *aggregate, FrameQueue *queue, const Block *block, const Column *values, int64 from,
		   int64 end, JoinDatums join)
{
	JoinedRows joined = {0, false};

	if (from >= end)
		return joined;
	if (from < queue->from || from >= queue->middle || end < queue->end)
	{
		FOR_INTERRUPTIBLE (back, 0, end - from)
		{
			joined = join_rows(one_row(aggregate, block, values, end - 1 - back), joined, join);
			queue->stack[end - 1 - back - from] = joined;
		}
		queue->from = from;
		queue->middle = queue->end = end;
		queue->rest.any = false;
		return joined;
	}
	for (; queue->end < end; queue->end++)
		queue->rest = join_rows(queue->rest, one_row(aggregate, block, values, queue->end), join);
	return join_rows(queue->stack[from - queue->from], queue->rest, join);
}

/* Stores the results of rows from `done` on.  `values`: as in one_row(), and frames have no holes; NULL: else. */
static pg_attribute_always_inline void
evaluate_stacks(Aggregate *aggregate, TwoStacks *stacks, const Block *block, const Column *values, int64 done,
				ColumnFormat format, JoinDatums join)
{
	FrameQueue before = stacks->before, behind = stacks->behind;
	Column	   result = column_of_format(&aggregate->f.result.data, format);

	FOR_INTERRUPTIBLE (i, done, block->n)
	{
		const RowFrame *frame = &block->frame[i];
		JoinedRows		joined = queue_join(aggregate, &before, block, values, frame->head, frame->hole, join);

		if (values == NULL && frame->stays)
			joined = join_rows(joined, one_row(aggregate, block, values, i), join);
		if (values == NULL)
			joined = join_rows(joined,
							   queue_join(aggregate, &behind, block, values, frame->hole_end, frame->tail, join), join);
		if (likely(joined.any))
			column_store(&result, i, joined.value);
		else
			result_put(&aggregate->f.result, i, 0, true);
	}
	stacks->before = before;
	stacks->behind = behind;
}

/* Stores the results of a block that the sort has scanned. */
static pg_attribute_always_inline void
show_scanned(Aggregate *aggregate, SlidingScans *sliding, const Block *block, int64 done, JoinDatums join)
{
	FOR_INTERRUPTIBLE (i, done, block->n)
	{
		Datum result[SLIDING_RESULTS] = {0};
		int	  results = sliding_results(sliding, &block->frame[i], result);

		for (int a = 1; a < results; a++)
			result[0] = join(result[0], result[a]);
		result_put(&aggregate->f.result, i, result[0], results == 0);
	}
}

/* Prepares for a block whose frames lie in the rows from the first frame's head to the last frame's tail. */
static inline void
begin_stacks(Aggregate *aggregate, TwoStacks *stacks, const Block *block)
{
	int64 widest = 0;

	if (aggregate->f.fused != NULL)
	{
		sliding_begin(&stacks->sliding, aggregate->f.fused, block, block->frame[block->begin].head,
					  block->frame[block->n - 1].tail);
		return;
	}
	FOR_INTERRUPTIBLE (i, block->begin, block->n)
		widest = Max(widest, block->frame[i].tail - block->frame[i].head);
	queue_begin(aggregate, &stacks->before, widest);
	queue_begin(aggregate, &stacks->behind, aggregate->f.needs & NEEDS_EXCLUSION ? widest : 0);
}

static pg_attribute_always_inline int64
two_stacks_rows(Aggregate *aggregate, const Block *block, int64 done, ColumnFormat format, JoinDatums join)
{
	TwoStacks *stacks = (TwoStacks *) aggregate->sliding_state;
	Column	   values = *row_column(&aggregate->f, block, 0);
	bool	   plain = !values.has_nulls && column_is_dense(&values, format) && aggregate->f.filter < 0 &&
				 !(aggregate->f.needs & NEEDS_EXCLUSION);

	if (stacks == NULL)
		stacks = aggregate->sliding_state = MemoryContextAllocZero(aggregate->f.query, sizeof(TwoStacks));
	if (done == block->begin)
		begin_stacks(aggregate, stacks, block);
	values = column_of_format(&values, format);
	if (aggregate->f.fused != NULL)
		show_scanned(aggregate, &stacks->sliding, block, done, join);
	else if (plain)
		evaluate_stacks(aggregate, stacks, block, &values, done, format, join);
	else
		evaluate_stacks(aggregate, stacks, block, NULL, done, format, join);
	return block->n;
}

#endif /* SCAN_AGGREGATE_TWO_STACKS_H */
