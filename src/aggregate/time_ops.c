/*
 * time_ops.c: time_average over sliding frames.
 *
 * Rows go in at the frame's end and leave at its start (add_remove.c), and the area between two rows is exact, so it is
 * taken out without a trace (op/time_area.h).  What leaves with the first row is the area up to the row after it, which
 * is still in the block.  So there is no ring of rows, as there is in the aggregate's own functions
 * (functions/aggregate/time_average.c), which do the same for WindowAgg.
 *
 * Those functions also evaluate what this operation cannot: EXCLUDE takes rows out of the middle, and a method that is
 * no constant may change.  sliding_op() of aggregate.c chooses.
 */
#include "postgres.h"

#include "aggregate/internal.h"
#include "column/memory.h"
#include "number/time_argument.h"

typedef struct TimeState
{
	Oid			  type; /* of `at` */
	ContextMemory memory;
	TimeArea	  area;
} TimeState;

bool
aggregate_is_time_average(const Aggregate *aggregate)
{
	const AggregateCall *call = &aggregate->call;
	bool				 previous;

	return call->moving == MOVING_TIME_AVERAGE && !(aggregate->f.needs & NEEDS_EXCLUSION) &&
		   (call->arguments == 2 || (call->method != NULL && time_method(call->method, &previous)));
}

static void
time_start(Aggregate *aggregate)
{
	TimeState *state = (TimeState *) aggregate->f.state;
	bool	   previous = false;

	if (aggregate->call.method != NULL)
		(void) time_method(aggregate->call.method, &previous);
	state->type = aggregate->call.type[1];
	state->area.flags = time_flags(state->type, previous);
	context_memory(&state->memory, aggregate->f.query);
}

/* Empties the area, and keeps its memory. */
static void
time_empty(Aggregate *aggregate)
{
	TimeArea *area = &((TimeState *) aggregate->f.state)->area;
	TimeArea  empty = {.flags = area->flags, .area = area->area};

	empty.area.first = empty.area.n = 0;
	*area = empty;
}

/* Fetches row i.  Returns false if it is skipped. */
static bool
fetch_timed_point(Aggregate *aggregate, const TimeState *state, const Block *block, int64 i, TimedPoint *row)
{
	Datum value, at;
	bool  isnull;

	if (!aggregate_value(aggregate, block, i, &value))
		return false;
	row->value = DatumGetFloat8(value);
	at = row_argument(&aggregate->f, block, 1, i, &isnull);
	if (!isnull)
		row->at = time_argument(state->type, at);
	return !isnull;
}

static void
time_average_add(Aggregate *aggregate, const Block *block, int64 from, int64 end)
{
	TimeState *state = (TimeState *) aggregate->f.state;

	FOR_INTERRUPTIBLE (i, from, end)
	{
		TimedPoint row;

		if (fetch_timed_point(aggregate, state, block, i, &row) &&
			time_area_take(&state->area, &state->memory.memory, &row) != SCAN_OK)
			time_raise_backwards(TIME_AVERAGE, state->type, row.at, state->area.last.at);
	}
}

/* If more than one row is in the area, the row after the first one is behind it in the block. */
static bool
time_remove(Aggregate *aggregate, const Block *block, int64 from, int64 end)
{
	TimeState *state = (TimeState *) aggregate->f.state;

	FOR_INTERRUPTIBLE (i, from, end)
	{
		TimedPoint row;

		if (!fetch_timed_point(aggregate, state, block, i, &row))
			continue;
		for (int64 next = i + 1; state->area.rows > 1 && !fetch_timed_point(aggregate, state, block, next, &row);
			 next++)
			;
		time_area_remove(&state->area, &state->memory.memory, &row);
	}
	return true;
}

static ScanStatus
time_final(Aggregate *aggregate, Datum *value)
{
	double	   y = 0.0;
	ScanStatus status = time_area_average(&((const TimeState *) aggregate->f.state)->area, &y);

	*value = Float8GetDatum(y);
	return status;
}

/* Times that are subnormal doubles are compared. */
const AggregateOp aggregate_op_time_average = {.method = "exact area",
											   .traits = AGGREGATE_MAY_FAIL | AGGREGATE_REMOVES_ANY |
														 AGGREGATE_FLOAT_MODE,
											   .state_size = sizeof(TimeState),
											   .start = time_start,
											   .empty = time_empty,
											   .add = time_average_add,
											   .remove = time_remove,
											   .final = time_final,
											   .sliding = add_remove_rows};
