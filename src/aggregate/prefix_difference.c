/*
 * prefix_difference.c: counts, sums and averages of integers over sliding frames.
 *
 * The strategy of the operations of number_ops.c that add integers up; their final functions compute the result.  With
 * the sums of a block's values up to each row, the sum of any frame is the difference of two of them, exactly, since
 * integers do not round.  So a row takes the same time whatever its frame is, and a hole in the frame takes one
 * difference more.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "aggregate/internal.h"
#include "aggregate/number_op.h"
#include "cpu/fused_scan.h"

/* The sum and the number of some rows' values. */
typedef struct Total
{
	int128 sum;
	int64  count;
} Total;

typedef struct Difference
{
	int64  first; /* row of the input before which total[0] was taken */
	int64  rows;  /* number of rows: total[0] to total[rows] are valid */
	int64  capacity;
	Total *total;	  /* total of the values before each row of the block */
	Total  partition; /* total of the values before the partition of the last block's last row */
} Difference;

/* Returns the sum up to row i of the window. */
static int128
prefix_sum_at(const ScanJob *job, int64 i)
{
	const char *sum = (const char *) job->out + i * job->op->out_size;
	int128		wide;

	if (job->has_nulls && !scan_bit(job->out_valid, i))
		return 0;
	if (job->op->out_size != sizeof(int128))
		return *(const int64 *) sum;
	memcpy(&wide, sum, sizeof(wide));
	return wide;
}

/* Fills in the totals from sums that came with the sort, which begin anew with each partition. */
static void
take_sorted_sums(const Aggregate *aggregate, Difference *difference, const Block *block, int64 rows, Total total)
{
	const ScanJob *job = &aggregate->f.fused->job;
	int128		   before = total.sum;
	Datum		   value;

	if (rows > 0 && !block->head[0])
		before -= prefix_sum_at(job, block->first - 1);
	difference->total[0] = total;
	FOR_INTERRUPTIBLE (i, 0, rows)
	{
		if (block->head[i])
			before = total.sum;
		total.sum = before + prefix_sum_at(job, block->first + i);
		total.count += !aggregate->f.counts || aggregate_value(aggregate, block, i, &value);
		difference->total[i + 1] = total;
	}
}

/*
 * Fills in the totals of a block's rows from row `from` on, continuing from those of the rows before it, or of the
 * block before.
 */
static void
compute_prefix_sums(Aggregate *aggregate, Difference *difference, const Block *block, int64 from, int64 rows)
{
	Total		 total = {0, 0};
	ColumnFormat format = COLUMN_BYTE;

	if (from > 0)
		total = difference->total[from];
	else if (block->first > 0 && block->first >= difference->first &&
			 block->first <= difference->first + difference->rows)
		total = difference->total[block->first - difference->first];
	if (rows >= difference->capacity)
	{
		difference->capacity = Max(rows + 1, 2 * difference->capacity);
		difference->total = (Total *) pool_resize(aggregate->f.result.pool, difference->total,
												  difference->capacity * sizeof(Total));
	}
	difference->first = block->first;
	difference->rows = rows;
	if (aggregate->f.fused != NULL)
	{
		take_sorted_sums(aggregate, difference, block, rows, total);
		return;
	}
	if (aggregate->call.arguments > 0)
		format = row_column(&aggregate->f, block, 0)->format;
	FOR_INTERRUPTIBLE (i, from, rows)
	{
		Datum value;

		difference->total[i] = total;
		if (aggregate_value(aggregate, block, i, &value))
		{
			if (format == COLUMN_INT16 || format == COLUMN_INT32 || format == COLUMN_INT64)
				total.sum += column_integer(format, value);
			total.count++;
		}
	}
	difference->total[rows] = total;
}

/*
 * Adds the values of rows `from` to `end` - 1; subtracts those of rows `end` to `from` - 1 if `end` is before `from`.
 */
static inline void
add_between(Total *total, const Total *before, int64 from, int64 end)
{
	total->sum += before[end].sum - before[from].sum;
	total->count += before[end].count - before[from].count;
}

/* Returns the total of a frame, whose head may be in an earlier block. */
static Total
frame_total(Difference *difference, const RowFrame *frame, int64 i)
{
	Total *before = difference->total;
	Total  total = before[frame->tail];

	if (frame->head >= 0)
		difference->partition = before[frame->head];
	total.sum -= difference->partition.sum;
	total.count -= difference->partition.count;
	add_between(&total, before, frame->hole_end, frame->hole);
	if (frame->stays)
		add_between(&total, before, i, i + 1);
	return total;
}

int64
prefix_difference_rows(RowFunction *f, const Block *block, int64 done)
{
	Aggregate	*aggregate = aggregate_of(f);
	NumberState *state = (NumberState *) aggregate->f.state;
	Difference	*difference = (Difference *) aggregate->sliding_state;
	int64		 end = row_stop(&aggregate->f, block, done);
	int64		 tail = block->frame[block->n - 1].tail;
	bool		 wide = aggregate->call.arguments > 0 && row_column(&aggregate->f, block, 0)->format == COLUMN_INT64;

	if (difference == NULL)
		difference = aggregate->sliding_state = MemoryContextAllocZero(aggregate->f.query, sizeof(Difference));
	if (done == block->begin || tail > difference->rows)
		compute_prefix_sums(aggregate, difference, block, done == block->begin ? 0 : difference->rows, tail);
	FOR_INTERRUPTIBLE (i, done, end)
	{
		Total total = frame_total(difference, &block->frame[i], i);
		bool  isnull = total.count == 0 && (aggregate->op->traits & AGGREGATE_ZERO) == 0;

		state->count = total.count;
		if (wide)
			state->total.wide = total.sum;
		else
			state->total.integer = (int64) total.sum;
		if (unlikely(isnull))
			result_put(&aggregate->f.result, i, 0, true);
		else
			result_put_laid_down(&aggregate->f.result, i, aggregate->op->put(&aggregate->f.result, state), false);
	}
	return end;
}
