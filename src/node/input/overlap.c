/*
 * overlap.c: finds the rows of a range, and before it, that the next range of the window order needs.
 *
 * order_ranges.c calls it.  Sliding frames, lag and lead look at rows of the ranges beside their own.  A row that looks
 * ahead beyond the end of its range is not answered there.  It is handed over to the next range, which has the rows
 * after it, together with all rows that it looks back at.  So rows only ever go forward, and no process waits for a
 * range that has not been taken.
 *
 * Bounds never move back, so what holds at a position holds at all later ones, and a position is found by bisection.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "column/rows.h"
#include "column/stretch.h"
#include "node/input/overlap.h"

/* Returns the value that the row at a position is ordered by. */
static Datum
value_at(const BlockReader *reader, int64 place, bool *isnull)
{
	return column_get(&reader->all->column[reader->frame.column].data, sort_order_row(&reader->order, place), isnull);
}

/*
 * Returns the position where the peer group begins that is `groups` before the one that begins at `place`; -1: before
 * all rows.
 */
static int64
groups_back(const BlockReader *reader, int64 place, int64 groups)
{
	while (groups > 0)
	{
		CHECK_FOR_INTERRUPTS();
		if (--place < 0)
			return -1;
		groups -= scan_bit(reader->order.peers, place);
	}
	return place;
}

/* True if the value at position `other` is within the bound of the row at position `base`, as in nodeWindowAgg.c. */
static bool
is_inside(BlockReader *reader, FrameEnd *end, int64 other, int64 base)
{
	bool  other_isnull, base_isnull;
	Datum x = value_at(reader, other, &other_isnull);
	Datum y = value_at(reader, base, &base_isnull);

	if (other_isnull || base_isnull)
		return other_isnull && base_isnull;
	return DatumGetBool(FunctionCall5Coll(&end->in_range, reader->frame.collation, x, y, end->offset,
										  BoolGetDatum(end->subtract), BoolGetDatum(end->less)));
}

/* Returns the position where the partition of a row begins; 0 if it begins before all rows. */
static int64
head_of(const BlockReader *reader, int64 place)
{
	while (place > 0 && !scan_bit(reader->order.heads, place))
	{
		stretch_row(place);
		place--;
	}
	return place;
}

/* Returns the position where the RANGE frame of the row at position `base` begins; -1: maybe before all rows. */
static int64
range_start(BlockReader *reader, int64 base)
{
	int64 low = head_of(reader, base), high = base;

	while (low < high)
	{
		int64 middle = low + (high - low) / 2;

		if (is_inside(reader, &reader->frame.start, middle, base))
			high = middle;
		else
			low = middle + 1;
	}
	return low == 0 ? -1 : low;
}

/* Returns the first row of the last partition whose RANGE frame has the last row in it, and maybe rows after it. */
static int64
range_open(BlockReader *reader)
{
	int64 last = reader->order.n - 1;
	int64 low = head_of(reader, last), high = reader->order.n;
	bool  isnull;

	(void) value_at(reader, last, &isnull);
	if (isnull)
		return reader->order.n;
	while (low < high)
	{
		int64 middle = low + (high - low) / 2;

		if (is_inside(reader, &reader->frame.end, last, middle))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Returns the first row whose frame may reach beyond the last row. */
static int64
first_open(BlockReader *reader)
{
	FrameEnd *end = &reader->frame.end;
	int		  options = reader->frame.options;

	if (end->expr == NULL || end->preceding)
		return reader->order.n;
	if (options & FRAMEOPTION_ROWS)
		return reader->order.n - Min(DatumGetInt64(end->offset), reader->order.n);
	if (options & FRAMEOPTION_GROUPS)
		return groups_back(reader, reader->order.n, DatumGetInt64(end->offset));
	return range_open(reader);
}

/*
 * Returns the position where the frame of the row at position `shown` begins (or, if `shown` is after the last row, of
 * rows to come); -1: maybe before all rows.
 */
static int64
first_looked_at(BlockReader *reader, int64 shown)
{
	FrameEnd *start = &reader->frame.start;
	int		  options = reader->frame.options;

	if (start->expr == NULL || !start->preceding)
		return shown;
	if (options & FRAMEOPTION_ROWS)
		return DatumGetInt64(start->offset) > shown ? -1 : shown - DatumGetInt64(start->offset);
	if (options & FRAMEOPTION_GROUPS)
		return groups_back(reader, shown, DatumGetInt64(start->offset));
	return range_start(reader, Min(shown, reader->order.n - 1));
}

Overlap
overlap_find(BlockReader *reader, bool last)
{
	Overlap overlap = {.shown = reader->order.n, .needed = reader->order.n};

	if (last)
		return overlap;
	overlap.shown -= Min(reader->after, reader->order.n);
	if (reader->frame.sliding)
		overlap.shown = Min(overlap.shown, first_open(reader));
	/* no peer group is cut */
	while (overlap.shown > reader->next && overlap.shown < reader->order.n &&
		   !scan_bit(reader->order.peers, overlap.shown))
	{
		stretch_row(overlap.shown);
		overlap.shown--;
	}
	overlap.shown = Max(overlap.shown, reader->next);
	overlap.needed = overlap.shown - reader->before;
	if (reader->frame.sliding)
		overlap.needed = Min(overlap.needed, first_looked_at(reader, overlap.shown));
	return overlap;
}
