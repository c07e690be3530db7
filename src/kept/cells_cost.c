/*
 * cells_cost.c: how many cells a query level reads, and what that costs.
 *
 * question_cells.c has the level read cells, and the planner compares its plan with that of the level as it is
 * (rewrite.c).  The call of scan_kept_cells() has an estimate among its arguments, which the function's support
 * function gives to the planner: the rewrite knows the steps and the statistics of the table.
 *
 * The costs are those of a node and of a row as measured, in the planner's unit: about 10 microseconds, by what it says
 * of a scan of a large table.
 */
#include "postgres.h"

#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

#include "compat.h"
#include "kept/planner.h"
#include "kept/reading.h"

#define COST_OF_PARTITION 10.0
#define COST_OF_CELL 0.5
#define COST_OF_ROW 0.1

/* Partitions of which there are so many, if nobody knows, and elements of an array. */
#define UNKNOWN_PARTITIONS 1000
#define LENGTH_OF_ARRAY 10

/* Returns how many partitions a level reads. */
static double
number_of_partitions(const KeptQuestion *q)
{
	double all = q->average_partition > 0 ? Max(q->rows / q->average_partition, 1) : UNKNOWN_PARTITIONS, named = 1;

	for (int p = 0; p < q->kept->partitions; p++)
	{
		if (q->partition[p] == NULL && q->list[p] == NULL)
			return all;
		if (q->partition[p] == NULL)
			named *= IsA(q->list[p], Const) ? compat_array_length((Node *) q->list[p]) : LENGTH_OF_ARRAY;
	}
	return Min(named, all);
}

/* Sets a bound of a range to the value of an expression, if it is known while the query is planned. */
static void
set_bound(const KeptQuestion *q, Expr *bound, double *number)
{
	PlannerGlobal global = {.type = T_PlannerGlobal, .boundParams = q->parameters};
	PlannerInfo	  root = {.type = T_PlannerInfo, .glob = &global, .parse = q->query};
	const Const	 *value = bound == NULL ? NULL : (const Const *) estimate_expression_value(&root, (Node *) bound);

	if (value != NULL && IsA(value, Const) && !value->constisnull && value->consttype == q->kept->key[0].type)
		*number = (double) kept_key_number(q->kept, value->constvalue);
}

/* Sets the range of the first key that the table has, by its histogram.  False: there is none. */
static bool
set_range(const KeptQuestion *q, double range[2])
{
	HeapTuple	 tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(q->kept->table),
										 Int16GetDatum(q->kept->key[0].attribute), BoolGetDatum(false));
	AttStatsSlot slot;
	bool		 known = HeapTupleIsValid(tuple) &&
				 get_attstatsslot(&slot, tuple, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES);

	if (known)
	{
		range[0] = (double) kept_key_number(q->kept, slot.values[0]);
		range[1] = (double) kept_key_number(q->kept, slot.values[slot.nvalues - 1]);
		free_attstatsslot(&slot);
	}
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return known;
}

static Const *
number_constant(double number)
{
	return makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(number), false, FLOAT8PASSBYVAL);
}

List *
kept_cells_estimate(const KeptQuestion *q)
{
	double partitions = number_of_partitions(q), rows = Max(q->average_partition, 0), cells = 1;
	double unit = q->kept->key[0].type == DATEOID ? (double) USECS_PER_DAY : 1;
	double all[2], range[2], cost;

	if (set_range(q, all))
	{
		range[0] = all[0];
		range[1] = all[1];
		set_bound(q, q->from, &range[0]);
		set_bound(q, q->to, &range[1]);
		range[0] = Max(range[0], all[0]);
		range[1] = Max(Min(range[1], all[1]), range[0]);
		rows *= (range[1] - range[0]) / Max(all[1] - all[0], 1);
		cells += (range[1] - range[0]) * unit * q->edges;
	}
	cost = COST_OF_PARTITION + cells * COST_OF_CELL;
	/* cells that are smaller than the smallest nodes are read from the table */
	if (cells > 1 && rows < cells * KEPT_LEAF_ROWS)
		cost += rows * COST_OF_ROW;
	return list_make2(number_constant(partitions * cells), number_constant(partitions * cost));
}

PG_FUNCTION_INFO_V1(scan_kept_cells_support);
Datum
scan_kept_cells_support(PG_FUNCTION_ARGS)
{
	Node  *request = (Node *) PG_GETARG_POINTER(0);
	Node  *call = IsA(request, SupportRequestRows)	 ? ((SupportRequestRows *) request)->node
				  : IsA(request, SupportRequestCost) ? ((SupportRequestCost *) request)->node
													 : NULL;
	List  *arguments = call != NULL && IsA(call, FuncExpr) ? ((FuncExpr *) call)->args : NIL;
	double estimate[2];

	if (list_length(arguments) < 4)
		PG_RETURN_POINTER(NULL);
	for (int i = 0; i < 2; i++)
	{
		const Const *number = (const Const *) list_nth(arguments, 2 + i);

		if (!IsA(number, Const) || number->consttype != FLOAT8OID || number->constisnull)
			PG_RETURN_POINTER(NULL);
		estimate[i] = DatumGetFloat8(number->constvalue);
	}
	if (IsA(request, SupportRequestRows))
		((SupportRequestRows *) request)->rows = estimate[0];
	else
		((SupportRequestCost *) request)->per_tuple = estimate[1];
	PG_RETURN_POINTER(request);
}
