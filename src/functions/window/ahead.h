/*
 * ahead.h: how far a window function has read ahead of the current row, and the next row ahead.
 *
 * Included by fill.c and lag.c.  Each row of a segment is read ahead once, and in order, as PrefixScan demands
 * (window_ahead()).  A row that begins a segment, and the end of the partition, are walls: nothing behind a wall is
 * read before the row in front of it has been returned.
 */
#ifndef SCAN_FUNCTIONS_WINDOW_AHEAD_H
#define SCAN_FUNCTIONS_WINDOW_AHEAD_H

#include "postgres.h"

#include "functions/window/argument.h"

/* How far a partition was read ahead.  Zero bytes but for `found` and `wall`, which ahead_row() sets. */
typedef struct Ahead
{
	bool  started;
	int64 next;	 /* the first row that was not read ahead */
	int64 wall;	 /* the row ahead that begins a segment, or the partition's end; -1: none was met */
	int64 found; /* the last row ahead that has a value; -1: there was none */
} Ahead;

#define AHEAD_END PG_INT64_MAX

/* Called at each row first.  Returns the row's position. */
static inline int64
ahead_row(WindowCall *call, Ahead *ahead)
{
	int64 row = window_position(call);

	if (!ahead->started)
		ahead->wall = ahead->found = -1;
	ahead->started = true;
	if (row >= ahead->wall)
		ahead->wall = -1;
	ahead->next = Max(ahead->next, row + 1);
	return row;
}

/*
 * Reads the value of the next row ahead, which has then been read.  Returns false, and has met a wall, if the row
 * begins a segment or if there is none.
 */
static inline bool
ahead_value(WindowCall *call, Ahead *ahead, int reset, Datum *value, bool *isnull)
{
	bool is_out = false;
	bool head;

	*value = (Datum) 0;
	if (call->stable[reset])
		head = window_flag(call, reset);
	else
		head = DatumGetBool(window_ahead(call, reset, ahead->next, false, isnull, &is_out)) && !*isnull && !is_out;
	if (head)
		ahead->wall = ahead->next;
	else
		*value = window_ahead(call, 0, ahead->next, false, isnull, &is_out);
	if (is_out)
		ahead->wall = AHEAD_END;
	if (ahead->wall >= 0)
		return false;
	ahead->next++;
	return true;
}

#endif /* SCAN_FUNCTIONS_WINDOW_AHEAD_H */
