/*
 * fill.c: scan_nocb, which fills a NULL from the next row that has a value.
 *
 * It reads ahead, as far as that row and no further: to the next segment or to the partition's end where there is
 * none. Each row is read ahead once, so that a row costs O(1) however long a hole is, and one value is kept.  A row
 * that has a value is answered without reading ahead: in WindowAgg, where that switches between two positions of a
 * tuplestore, only holes cost more.
 *
 * Rejected: to keep the rows of a hole until its end and then to answer them all.  A window function answers a row when
 * it is called for it, and not later.
 */
#include "postgres.h"

#include "compat.h"
#include "functions/window/argument.h"

/* How far a partition was read ahead.  Zero bytes but for `found` and `wall`, which ahead_start() sets. */
typedef struct Ahead
{
	bool  started;
	int64 next;	 /* the first row that was not read ahead */
	int64 wall;	 /* the row ahead that begins a segment, or the partition's end; -1: none was met */
	int64 found; /* the last row ahead that has a value; -1: there was none */
} Ahead;

#define AHEAD_END PG_INT64_MAX

/* Called at each row first.  Returns the row's position. */
static int64
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
static bool
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

/* ---- scan_nocb ---- */

typedef struct Nocb
{
	WindowConstant max_gap;
	Ahead		   ahead;
	RetainedDatum  value; /* of row ahead.found */
} Nocb;

/* Reads ahead to the next value, at most `max_gap` rows further than `row`. */
static void
nocb_look(WindowCall *call, Nocb *nocb, int64 row, int64 max_gap)
{
	Ahead *ahead = &nocb->ahead;
	Datum  value;
	bool   isnull;

	while (ahead->found < row && ahead->wall < 0 && ahead->next - row <= max_gap)
		if (ahead_value(call, ahead, 2, &value, &isnull) && !isnull)
		{
			retained_set(&nocb->value, &call->type[0], value, false, call->memory);
			ahead->found = ahead->next - 1;
		}
}

/* f(value, max_gap, reset) */
PG_FUNCTION_INFO_V1(scan_nocb_any);
Datum
scan_nocb_any(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	Nocb	   *nocb = (Nocb *) window_state(call, sizeof(Nocb));
	bool		no_limit, isnull;
	int64		max_gap = DatumGetInt64(window_constant(call, &nocb->max_gap, 1, "max_gap", &no_limit));
	int64		row = ahead_row(call, &nocb->ahead);
	Datum		value;

	if (no_limit)
		max_gap = PG_INT64_MAX;
	if (max_gap < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"max_gap\" must not be negative: " INT64_FORMAT, max_gap),
						errhint("It is a number of rows; NULL is no limit.")));
	value = window_arg(call, 0, &isnull);
	if (!isnull)
		PG_RETURN_DATUM(value);
	nocb_look(call, nocb, row, max_gap);
	if (nocb->ahead.found < row || nocb->ahead.found - row > max_gap)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(nocb->value.value);
}
