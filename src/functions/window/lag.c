/*
 * lag.c: scan_lag and scan_lead, the n-th value that is not NULL before and after the current row.
 *
 * They are core's lag and lead with IGNORE NULLS, which PostgreSQL 19 has, within a segment.  scan_lag keeps the last n
 * values.  scan_lead reads ahead (window.h) until it knows the next n values, and keeps those.  Each row is read once,
 * so that a row costs O(1) whatever n is.  As in core, the 0th value is the row's own, also if it is NULL.
 *
 * Rejected: to look for the n-th value anew at each row, as core does.  It takes a time that grows with n.
 */
#include "postgres.h"

#include "call/call_context.h"
#include "compat.h"
#include "functions/window/window.h"
#include "functions/window/window_functions.h"

typedef struct Lag
{
	WindowConstant offset;
	Ahead		   ahead;  /* of scan_lead */
	Deque		   values; /* RetainedDatums: the last values of the rows before, or the next values that were read */
	RetainedDatum  spare;  /* the memory of a value that was removed */
} Lag;

static int64
lag_offset(WindowCall *call, Lag *lag)
{
	int64 offset = DatumGetInt64(window_constant_not_null(call, &lag->offset, 1, "offset"));

	if (offset < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"offset\" must not be negative: " INT64_FORMAT, offset),
						errhint("\"offset\" is a number of values. scan_lag looks back, scan_lead looks ahead.")));
	return offset;
}

static const RetainedDatum *
lag_value(const Lag *lag, int64 i)
{
	return (const RetainedDatum *) deque_entry(&lag->values, i, sizeof(RetainedDatum));
}

static void
lag_append(WindowCall *call, Lag *lag, Datum value)
{
	RetainedDatum *last = (RetainedDatum *) deque_append(&lag->values, sizeof(RetainedDatum));

	*last = lag->spare;
	memset(&lag->spare, 0, sizeof(lag->spare));
	retained_set(last, &call->type[0], value, false, call->memory);
}

static void
lag_remove_first(Lag *lag)
{
	if (lag->spare.buffer != NULL)
		pfree(lag->spare.buffer);
	lag->spare = *lag_value(lag, 0);
	deque_remove_first(&lag->values);
}

static void
lag_clear(Lag *lag)
{
	while (lag->values.n > 0)
		lag_remove_first(lag);
}

/* f(value, offset, reset) */
PG_FUNCTION_INFO_V1(scan_lag_any);
Datum
scan_lag_any(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	Lag		   *lag = (Lag *) window_state(call, sizeof(Lag));
	int64		offset = lag_offset(call, lag);
	bool		isnull;
	Datum		value;

	lag->values.memory = call->memory;
	if (offset <= SCAN_LAG_SAVED)
		window_keeps_values(call, &lag->values, &call->type[0]);
	if (window_flag(call, 2))
		lag_clear(lag);
	/* the value that was returned last lives until now */
	if (lag->values.n > offset)
		lag_remove_first(lag);

	value = window_arg(call, 0, &isnull);
	if (offset == 0)
	{
		fcinfo->isnull = isnull;
		return value;
	}
	if (!isnull)
		lag_append(call, lag, value);
	if (lag->values.n - !isnull < offset)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(lag_value(lag, 0)->value);
}

/* f(value, offset, reset).  The values that were read ahead are those of the rows from the current one on. */
PG_FUNCTION_INFO_V1(scan_lead_any);
Datum
scan_lead_any(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	Lag		   *lag = (Lag *) window_state(call, sizeof(Lag));
	int64		offset = lag_offset(call, lag);
	bool		was_read = window_position(call) < lag->ahead.next;
	bool		isnull;
	Datum		value;

	lag->values.memory = call->memory;
	(void) ahead_row(call, &lag->ahead);
	value = window_arg(call, 0, &isnull);
	if (offset == 0)
	{
		fcinfo->isnull = isnull;
		return value;
	}
	if (!was_read)
		lag_clear(lag);
	else if (!isnull && lag->values.n > 0)
		lag_remove_first(lag);
	while (lag->values.n < offset && lag->ahead.wall < 0)
		if (ahead_value(call, &lag->ahead, 2, &value, &isnull) && !isnull)
			lag_append(call, lag, value);
	if (lag->values.n < offset)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(lag_value(lag, offset - 1)->value);
}
