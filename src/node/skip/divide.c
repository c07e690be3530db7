/*
 * divide.c: divides the groups of an IndexSkip among several processes.
 *
 * index_skip.c asks when it has found the cheapest order.  The values that the statistics of the first column have, the
 * most common ones and those of the histogram, cut the index into ranges.  A process takes one range after the other
 * (ranges.c), so ranges with many groups do no harm.  If there are no statistics that the role may read, the groups are
 * not divided.
 */
#include "postgres.h"

#include "catalog/pg_statistic.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "guc.h"
#include "node/level.h"
#include "node/skip/internal.h"

/* Ranges for each process: a slow one takes fewer; but no range has fewer groups than this, as each costs a descent. */
#define RANGES_EACH 32
#define GROUPS_OF_RANGE 4

/* The most values that are sorted: those of a few partitions. */
#define MOST_VALUES 2000

/* ---- values ---- */

/* Values of the first column, and how they are compared. */
typedef struct Values
{
	FmgrInfo behind;
	Oid		 collation;
	int16	 length;
	bool	 by_value;
	int		 n;
	Datum	*value;
} Values;

static bool
value_is_behind(const Values *values, Datum value, Datum other)
{
	return DatumGetBool(FunctionCall2Coll(unconstify(FmgrInfo *, &values->behind), values->collation, value, other));
}

static int
compare_bounds(const void *a, const void *b, void *values)
{
	Datum x = *(const Datum *) a, y = *(const Datum *) b;

	return value_is_behind((const Values *) values, x, y) ? 1 : value_is_behind((const Values *) values, y, x) ? -1 : 0;
}

/*
 * True if the role that plans the query may read the statistics' values: the plan has some of them, and
 * debug_print_plan prints the plan before anybody has checked that the role may read the table.  It is not enough that
 * the operator is leakproof, nor that the owner of a view may read the column, of which the view shows some rows.
 */
static bool
values_may_be_shown(const VariableStatData *data)
{
	return data->acl_ok && (!OidIsValid(data->rel->userid) || data->rel->userid == GetUserId());
}

/* Adds the values of the statistics of a column. */
static void
add_values(PlannerInfo *root, Node *column, Values *values)
{
	static const int kinds[] = {STATISTIC_KIND_HISTOGRAM, STATISTIC_KIND_MCV};

	VariableStatData data;

	examine_variable(root, column, 0, &data);
	for (int i = 0; i < lengthof(kinds) && HeapTupleIsValid(data.statsTuple) && values_may_be_shown(&data); i++)
	{
		AttStatsSlot slot;

		if (!get_attstatsslot(&slot, data.statsTuple, kinds[i], InvalidOid, ATTSTATSSLOT_VALUES))
			continue;
		if (slot.valuetype == exprType(column))
			for (int v = 0; v < slot.nvalues && values->n < MOST_VALUES; v++)
				values->value[values->n++] = datumCopy(slot.values[v], values->by_value, values->length);
		free_attstatsslot(&slot);
	}
	ReleaseVariableStats(data);
}

/* Returns the column of a leaf that has the first level. */
static Node *
first_column(const IndexOrder *leaf)
{
	return (Node *) list_nth_node(TargetEntry, leaf->path->indexinfo->indextlist, leaf->column[0])->expr;
}

/* Returns values of the first column that statistics know, sorted, each once. */
static Values
known_values(PlannerInfo *root, const SkipOrder *order, Oid *operator, Oid * collation)
{
	Values values = {.value = (Datum *) palloc(MOST_VALUES * sizeof(Datum))};
	Oid	   type;
	int	   n = 0;

	*operator= skip_operator_behind(order, &type, collation);
	fmgr_info(get_opcode(*operator), &values.behind);
	values.collation = *collation;
	get_typlenbyval(exprType(first_column(&order->leaf[0])), &values.length, &values.by_value);
	for (int i = 0; i < order->leaves; i++)
		add_values(root, first_column(&order->leaf[i]), &values);
	qsort_arg(values.value, values.n, sizeof(Datum), compare_bounds, &values);
	for (int i = 0; i < values.n; i++)
		if (n == 0 || value_is_behind(&values, values.value[i], values.value[n - 1]))
			values.value[n++] = values.value[i];
	values.n = n;
	return values;
}

/* Returns at most `most` of the values, evenly apart, as Consts. */
static List *
bounds_of_values(const Values *values, Oid type, int most)
{
	int	  n = Min(values->n, most);
	List *bounds = NIL;

	for (int i = 0; i < n; i++)
		bounds = lappend(bounds,
						 makeConst(type, -1, get_typcollation(type), values->length,
								   values->value[(int64) (2 * i + 1) * values->n / (2 * n)], false, values->by_value));
	return bounds;
}

/* ---- the division ---- */

/* Returns how many workers core would have for an index scan of so many pages, and for so many groups. */
static int
workers_for(const RelOptInfo *rel, const SkipOrder *order, const SkipCost *cost)
{
	double heap_pages = 0, index_pages = 0;
	int	   workers;

	for (int i = 0; i < order->leaves; i++)
	{
		heap_pages += order->leaf[i].path->indexinfo->rel->pages;
		index_pages += order->leaf[i].path->indexinfo->pages;
	}
	workers = compute_parallel_worker(unconstify(RelOptInfo *, rel), Min(heap_pages, cost->rows),
									  Min(index_pages, cost->groups), max_parallel_workers_per_gather);
	return guc_index_skip == INDEX_SKIP_FORCE ? workers
											  : (int) Min((double) workers, cost->groups / SKIP_GROUPS_OF_WORKER);
}

SkipDivision
skip_division(PlannerInfo *root, const RelOptInfo *rel, const SkipOrder *order, const SkipCost *cost)
{
	SkipDivision division = {.workers = guc_parallel ? workers_for(rel, order, cost) : 0};
	Values		 values;
	double		 most;

	if (division.workers == 0)
		return division;
	values = known_values(root, order, &division.behind, &division.collation);
	most = Max(Min((double) RANGES_EACH * (division.workers + 1) - 1, cost->groups / GROUPS_OF_RANGE),
			   division.workers);
	division.bounds = bounds_of_values(&values, exprType(first_column(&order->leaf[0])), (int) most);
	/* a range for each process at least */
	return list_length(division.bounds) < division.workers ? (SkipDivision){0} : division;
}

/* Each range begins with a descent. */
SkipCost
skip_cost_of_process(const SkipCost *cost, const SkipDivision *division)
{
	double	 processes = level_processes(division->workers);
	SkipCost part = *cost;

	part.groups = Max(cost->groups / processes, 1);
	part.rows = clamp_row_est(cost->rows / processes);
	part.total = cost->startup +
				 (cost->total - cost->startup + list_length(division->bounds) * cost->descent) / processes;
	return part;
}
