/*
 * overlap.c: finds the rows of a range, and before it, that the next range of the window order needs.
 *
 * order_ranges.c calls it.  Sliding frames, lag and lead look at rows of the ranges beside their own.  A row that looks
 * ahead beyond the end of its range is not computed there.  It is handed over to the next range, which has the rows
 * after it, together with all rows that it looks back at.  So rows only ever go forward, and no process waits for a
 * range that has not been taken.
 *
 * Bounds never move back, so what holds at a position holds at all later ones, and a position is found by bisection.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "column/rows.h"
#include "column/stretch.h"
#include "node/input/blocks.h"

/* The rows of a range in their order, and their frames. */
typedef struct Range
{
	const Rows		*rows;
	const SortOrder *order;
	Frame			*frame;
} Range;

/* Returns the value that the row at a position is ordered by. */
static Datum
range_order_value(const Range *range, int64 place, bool *isnull)
{
	return column_get(&range->rows->column[range->frame->column].data, sort_order_row(range->order, place), isnull);
}

/*
 * Returns the position where the peer group begins that is `groups` before the one that begins at `place`; -1: before
 * all rows.
 */
static int64
groups_back(const Range *range, int64 place, int64 groups)
{
	while (groups > 0)
	{
		CHECK_FOR_INTERRUPTS();
		if (--place < 0)
			return -1;
		groups -= scan_bit(range->order->peers, place);
	}
	return place;
}

/* True if the value at position `other` is within the bound of the row at position `base`, as in nodeWindowAgg.c. */
static bool
is_inside(const Range *range, FrameEnd *end, int64 other, int64 base)
{
	bool  other_isnull, base_isnull;
	Datum x = range_order_value(range, other, &other_isnull);
	Datum y = range_order_value(range, base, &base_isnull);

	if (other_isnull || base_isnull)
		return other_isnull && base_isnull;
	return DatumGetBool(FunctionCall5Coll(&end->in_range, range->frame->collation, x, y, end->offset,
										  BoolGetDatum(end->subtract), BoolGetDatum(end->less)));
}

/* Returns the position where the partition of a row begins; 0 if it begins before all rows. */
static int64
range_partition_head(const Range *range, int64 place)
{
	while (place > 0 && !scan_bit(range->order->heads, place))
	{
		stretch_row(place);
		place--;
	}
	return place;
}

/*
 * Returns the first position from `low` on, or `high` if there is none, that the RANGE frame of the row at position
 * `base` includes; with `ends`, the first one whose row has a frame that includes the row at position `base`.
 */
static int64
first_inside(const Range *range, int64 low, int64 high, int64 base, bool ends)
{
	while (low < high)
	{
		int64 middle = low + (high - low) / 2;

		if (ends ? is_inside(range, &range->frame->end, base, middle)
				 : is_inside(range, &range->frame->start, middle, base))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Returns the position where the RANGE frame of the row at position `base` begins; -1: maybe before all rows. */
static int64
range_start(const Range *range, int64 base)
{
	int64 start = first_inside(range, range_partition_head(range, base), base, base, false);

	return start == 0 ? -1 : start;
}

/* Returns the last partition's first row whose RANGE frame includes the last row, and maybe rows of later ranges. */
static int64
range_open(const Range *range)
{
	int64 last = range->order->n - 1;
	bool  isnull;

	(void) range_order_value(range, last, &isnull);
	if (isnull)
		return range->order->n;
	return first_inside(range, range_partition_head(range, last), range->order->n, last, true);
}

/* Returns the first row whose frame may reach beyond the last row. */
static int64
first_open(const Range *range)
{
	FrameEnd *end = &range->frame->end;
	int		  options = range->frame->options;

	if (end->expr == NULL || end->preceding)
		return range->order->n;
	if (options & FRAMEOPTION_ROWS)
		return range->order->n - Min(DatumGetInt64(end->offset), range->order->n);
	if (options & FRAMEOPTION_GROUPS)
		return groups_back(range, range->order->n, DatumGetInt64(end->offset));
	return range_open(range);
}

/*
 * Returns the position where the frame of the row at position `shown` begins (or, if `shown` is after the last row, of
 * rows to come); -1: maybe before all rows.
 */
static int64
first_looked_at(const Range *range, int64 shown)
{
	FrameEnd *start = &range->frame->start;
	int		  options = range->frame->options;

	if (start->expr == NULL || !start->preceding)
		return shown;
	if (options & FRAMEOPTION_ROWS)
		return DatumGetInt64(start->offset) > shown ? -1 : shown - DatumGetInt64(start->offset);
	if (options & FRAMEOPTION_GROUPS)
		return groups_back(range, shown, DatumGetInt64(start->offset));
	return range_start(range, Min(shown, range->order->n - 1));
}

Overlap
overlap_find(const Rows *rows, const SortOrder *order, Frame *frame, const FunctionNeeds *needs, int64 first)
{
	const Range range = {rows, order, frame};
	Overlap		overlap = {.end = order->n - Min(needs->after, order->n)};

	if (needs->flags & NEEDS_BOUNDS)
		overlap.end = Min(overlap.end, first_open(&range));
	/* no peer group is cut */
	while (overlap.end > first && overlap.end < order->n && !scan_bit(order->peers, overlap.end))
	{
		stretch_row(overlap.end);
		overlap.end--;
	}
	overlap.end = Max(overlap.end, first);
	overlap.needed = overlap.end - needs->before;
	if (needs->flags & NEEDS_BOUNDS)
		overlap.needed = Min(overlap.needed, first_looked_at(&range, overlap.end));
	return overlap;
}
