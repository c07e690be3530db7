/*
 * two_scans.h: values that can only be joined, over sliding frames that are all as long: by van Herk (1992) and Gil and
 * Werman (1993).
 *
 * The rows are cut into tiles as long as the longest frame.  One scan runs forward from each tile's first row and one
 * backward from its last row; both begin anew with a partition.  A frame that reaches into two tiles is the join of one
 * result of each scan, and a frame in one tile, which its partition's start or end has cut, is one result.  So a row
 * costs three joins, whatever the length: max(int4) over 100 rows took 34 ns a row in the tree and takes 5.
 *
 * segment_tree.h calls two_scans_evaluate() first, and builds its tree for NULLs, FILTER, EXCLUDE and frames of several
 * lengths.  sliding_scans.h has the same two scans where the sort has run them.  Rejected: a queue of the values
 * that may still become extremes (monotonic_queue.c), whose branches the processor mispredicts.
 */
#ifndef SCAN_AGGREGATE_TWO_SCANS_H
#define SCAN_AGGREGATE_TWO_SCANS_H

#include "postgres.h"

#include "aggregate/aggregate_op.h"

typedef Datum (*JoinDatums)(Datum left, Datum right);

/* Both scans of a block's rows; row 0 of the columns is row `from` of the block. */
typedef struct TwoScans
{
	Column forward;
	Column backward;
	int64  from;	 /* the first row of the block that is scanned */
	int64  end;		 /* the row after the last one that is scanned */
	int64  tile;	 /* rows of a tile */
	int64  capacity; /* rows of each column */
	bool   failed;	 /* a block had frames of several lengths: two scans are not tried again */
} TwoScans;

/* Runs both scans over rows `from` to `end` - 1 of the block. */
static pg_attribute_always_inline void
two_scans_run(TwoScans *scans, const Block *block, const Column *values, ColumnFormat format, JoinDatums join)
{
	Column		value = *values, forward = scans->forward, backward = scans->backward;
	const bool *head = block->head;
	int64		from = scans->from, end = scans->end, in_tile = 0;
	Datum		total = 0;

	value.format = forward.format = backward.format = format;
	value.stride = forward.stride = backward.stride = column_width(format);
	FOR_INTERRUPTIBLE (i, from, end)
	{
		bool begins = in_tile == 0 || head[i];

		total = begins ? column_datum(&value, i) : join(total, column_datum(&value, i));
		column_store(&forward, i - from, total);
		in_tile = in_tile + 1 == scans->tile ? 0 : in_tile + 1;
	}
	/* the tile of the last row may be short */
	in_tile = (end - 1 - from) % scans->tile;
	FOR_INTERRUPTIBLE (back, 0, end - from)
	{
		int64 i = end - 1 - back;
		bool  begins = back == 0 || in_tile + 1 == scans->tile || head[i + 1];

		total = begins ? column_datum(&value, i) : join(column_datum(&value, i), total);
		column_store(&backward, i - from, total);
		in_tile = in_tile == 0 ? scans->tile - 1 : in_tile - 1;
	}
}

/*
 * Stores the result of each row of the block.  No frame has a hole.  Returns false if a frame is not the join of at
 * most two results: the frame lies in the middle of a tile and its partition has not cut it.
 */
static pg_attribute_always_inline bool
two_scans_answer(Aggregate *aggregate, const TwoScans *scans, const Block *block, ColumnFormat format, JoinDatums join)
{
	Column		forward = scans->forward, backward = scans->backward, result = aggregate->f.result.data;
	const bool *head = block->head;
	int64		from = scans->from, tile = from;

	forward.format = backward.format = result.format = format;
	forward.stride = backward.stride = result.stride = column_width(format);
	FOR_INTERRUPTIBLE (i, block->begin, block->n)
	{
		const RowFrame *frame = &block->frame[i];
		int64			first = frame->head, tail = frame->tail;
		Datum			answer;

		Assert(frame->hole >= frame->hole_end);
		if (first >= tail)
		{
			result_put(&aggregate->f.result, i, 0, true);
			continue;
		}
		while (tail > tile + scans->tile)
			tile += scans->tile;
		if (first < from || tail <= tile)
			return false;
		if (first < tile)
			answer = join(column_datum(&backward, first - from), column_datum(&forward, tail - 1 - from));
		else if (first == tile || head[first])
			answer = column_datum(&forward, tail - 1 - from);
		else if (tail == scans->end || head[tail])
			answer = column_datum(&backward, first - from);
		else
			return false;
		column_store(&result, i, answer);
	}
	return true;
}

/* Makes room for both scans. */
static inline void
two_scans_reserve(Aggregate *aggregate, TwoScans *scans, ColumnFormat format)
{
	int64 n = scans->end - scans->from;

	if (n <= scans->capacity)
		return;
	pool_free(aggregate->f.result.pool, scans->forward.value);
	pool_free(aggregate->f.result.pool, scans->backward.value);
	scans->capacity = Max(n, 2 * scans->capacity);
	scans->forward.value = (char *) pool_alloc(aggregate->f.result.pool, scans->capacity * column_width(format));
	scans->backward.value = (char *) pool_alloc(aggregate->f.result.pool, scans->capacity * column_width(format));
}

/*
 * Evaluates a whole block of which the longest frame has `widest` rows and all frames lie in rows `from` to `end` - 1.
 * Returns false if this way cannot, and then another way has to evaluate all rows of the block.
 */
static pg_attribute_always_inline bool
two_scans_evaluate(Aggregate *aggregate, TwoScans *scans, const Block *block, int64 from, int64 end, int64 widest,
				   ColumnFormat format, JoinDatums join)
{
	const Column *values;

	if (scans->failed || aggregate->f.excludes || aggregate->f.filter >= 0 || widest < 1 || from < 0)
		return false;
	values = row_column(&aggregate->f, block, 0);
	if (values->has_nulls || !column_is_dense(values, format))
		return false;
	scans->from = from;
	scans->end = end;
	scans->tile = widest;
	two_scans_reserve(aggregate, scans, format);
	two_scans_run(scans, block, values, format, join);
	scans->failed = !two_scans_answer(aggregate, scans, block, format, join);
	return !scans->failed;
}

#endif /* SCAN_AGGREGATE_TWO_SCANS_H */
