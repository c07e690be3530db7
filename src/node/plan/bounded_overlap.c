/*
 * bounded_overlap.c: estimates whether the rows of a window reach few others, so that it can be computed in ranges.
 *
 * parallel_blocker.c asks.  A range gets the rows that the frames of its first rows begin with from the range before,
 * and leaves rows whose frames reach beyond its end to the next range (input/overlap.c).  It has this overlap in memory
 * beside its own rows, so frames have to be short beside a range.  ROWS and GROUPS say how long they are.  For RANGE
 * the histogram of the column says how many values are as close as the offset; without a histogram nothing is known.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_statistic.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "column/type.h"
#include "compat.h"
#include "guc.h"
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

/* Returns the most values of a histogram that lie within `distance` up to and including one of them. */
static int
most_within(const AttStatsSlot *slot, const TypeInfo *type, double distance)
{
	int limit = 0, first = 0;

	for (int i = 0; i < slot->nvalues; i++)
	{
		double value = type_number(type, slot->values[i]);

		while (first < i && !(value - type_number(type, slot->values[first]) <= distance))
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
	double			 distance = type_number(type_info(offset->consttype), offset->constvalue);
	double			 part = 1;
	VariableStatData data;
	AttStatsSlot	 slot;

	if (!(distance >= 0))
		return 1;
	examine_variable(root, key, 0, &data);
	if (HeapTupleIsValid(data.statsTuple) &&
		get_attstatsslot(&slot, data.statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES))
	{
		const TypeInfo *type = type_info(slot.valuetype);

		if (slot.nvalues > 1 && !isnan(type_number(type, slot.values[0])))
			part = Min((double) most_within(&slot, type, distance) / (slot.nvalues - 1), 1);
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
			   level_groups(root, list_concat_copy(window->partitionClause, window->orderClause), rows, NULL);
	return (double) DatumGetInt64(offset->constvalue);
}

bool
overlap_is_bounded(PlannerInfo *root, const WindowClause *window, const List *functions, const Path *input)
{
	double rows = input->rows * (input->parallel_workers + 1);
	double away = 0;

	foreach_ptr (const WindowFunctionInfo, info, functions)
		away = Max(away, (double) Max(info->before, info->after));
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
