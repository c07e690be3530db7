/*
 * bounded_overlap.c: estimates whether the rows of a window reach few others, so that it can be answered in ranges.
 *
 * parallel_blocker.c asks.  A range gets the rows that the frames of its first rows begin with from the range before,
 * and leaves rows whose frames reach beyond its end to the next range (input/overlap.c).  It has this overlap in
 * memory beside its own rows, so frames have to be short beside a range.  ROWS and GROUPS say how long they are.  For
 * RANGE the histogram of the column says how many values are as close as the offset; without a histogram nothing is
 * known.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/timestamp.h"

#include "guc.h"
#include "node/plan/bounded_overlap.h"
#include "node/plan/planning.h"

/*
 * The overlap may have LEAST_ROWS rows, or 1/ROWS_PART of all rows if these are more, and 1/MEMORY_PART of
 * scan.work_mem.
 */
#define LEAST_ROWS 1000
#define ROWS_PART 64
#define MEMORY_PART 16

/* Bytes of a row beside its values. */
#define ROW_OVERHEAD 32

/* Returns a value or an offset as a number (of microseconds, if it is a date or an interval); NAN if it has none. */
static double
number_of(Oid type, Datum value)
{
	const Interval *span;

	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return (double) DatumGetInt64(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case FLOAT8OID:
			return DatumGetFloat8(value);
		case NUMERICOID:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
		case DATEOID:
			return (double) DatumGetDateADT(value) * USECS_PER_DAY;
		case INTERVALOID:
			span = DatumGetIntervalP(value);
			return (double) span->time + (span->day + 30.0 * span->month) * USECS_PER_DAY;
		default:
			return NAN;
	}
}

/* Returns the most values of a histogram that lie within `distance` up to and including one of them. */
static int
most_within(const AttStatsSlot *slot, Oid type, double distance)
{
	int limit = 0, first = 0;

	for (int i = 0; i < slot->nvalues; i++)
	{
		double value = number_of(type, slot->values[i]);

		while (first < i && !(value - number_of(type, slot->values[first]) <= distance))
			first++;
		limit = Max(limit, i - first + 1);
	}
	return limit;
}

/* Returns the part of the rows that a RANGE offset reaches; 1 if it may be all. */
static double
part_within(PlannerInfo *root, const WindowClause *window, const Const *offset)
{
	Node			*key = get_sortgroupclause_expr(linitial(window->orderClause), root->processed_tlist);
	double			 distance = number_of(offset->consttype, offset->constvalue);
	double			 part = 1;
	VariableStatData data;
	AttStatsSlot	 slot;

	if (!(distance >= 0))
		return 1;
	examine_variable(root, key, 0, &data);
	if (HeapTupleIsValid(data.statsTuple) &&
		get_attstatsslot(&slot, data.statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES))
	{
		if (slot.nvalues > 1 && !isnan(number_of(slot.valuetype, slot.values[0])))
			part = Min((double) most_within(&slot, slot.valuetype, distance) / (slot.nvalues - 1), 1);
		free_attstatsslot(&slot);
	}
	ReleaseVariableStats(data);
	return part;
}

/* Returns how many of `rows` rows one end of the frame is away from the row. */
static double
rows_away(PlannerInfo *root, const WindowClause *window, const Node *node, double rows)
{
	const Const *offset = (const Const *) node;

	if (offset == NULL)
		return 0;
	if (!IsA(offset, Const) || offset->constisnull)
		return rows;
	if (window->frameOptions & FRAMEOPTION_RANGE)
		return rows * part_within(root, window, offset);
	if (window->frameOptions & FRAMEOPTION_GROUPS)
		return (double) DatumGetInt64(offset->constvalue) * rows /
			   prefix_scan_groups(root, list_concat_copy(window->partitionClause, window->orderClause), rows);
	return (double) DatumGetInt64(offset->constvalue);
}

bool
overlap_is_bounded(PlannerInfo *root, const WindowClause *window, const List *functions, const Path *input)
{
	double	  rows = input->rows * (input->parallel_workers + 1);
	double	  away = 0;
	ListCell *cell;

	foreach (cell, functions)
	{
		const WindowFunctionInfo *info = (const WindowFunctionInfo *) lfirst(cell);

		away = Max(away, (double) Max(info->before, info->after));
	}
	if (window_frame_is_sliding(window, functions))
	{
		if (window->frameOptions & (FRAMEOPTION_START_UNBOUNDED_PRECEDING | FRAMEOPTION_END_UNBOUNDED_FOLLOWING))
			return false;
		away = Max(away, rows_away(root, window, window->startOffset, rows));
		away = Max(away, rows_away(root, window, window->endOffset, rows));
	}
	return away <= Max(LEAST_ROWS, rows / ROWS_PART) &&
		   away * (input->pathtarget->width + ROW_OVERHEAD) <= (double) guc_budget() / MEMORY_PART;
}
