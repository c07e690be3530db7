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

#include "access/stratnum.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "pgtime.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

#include "compat.h"
#include "kept/planner.h"
#include "kept/reading.h"

#define COST_OF_PARTITION 10.0
#define COST_OF_CELL 0.5
#define COST_OF_NODE 0.1
#define COST_OF_ROW 0.2 /* of the table, which is read by its index */

/* A partition with so many rows in an interval has a node for it: half of those that shape.c aims at for level 0. */
#define ROWS_OF_NODE 32
/* Rows that are read around an edge between two cells where no node ends. */
#define ROWS_OF_EDGE 150

/*
 * Cells do not pay if more of the rows have to be read.  The costs of the plain plan do not tell: the planner takes
 * each date_trunc() of a key for a group of its own, so that its aggregation seems to spill.
 */
#define MOST_READ 0.25

/* There are so many partitions, if nobody knows. */
#define UNKNOWN_PARTITIONS 1000

/* Returns an expression as a constant, if it is one while the query is planned; else NULL. */
static const Const *
planned_value(const KeptQuestion *q, Expr *value)
{
	PlannerGlobal global = {.type = T_PlannerGlobal, .boundParams = q->parameters};
	PlannerInfo	  root = {.type = T_PlannerInfo, .glob = &global, .parse = q->query};
	const Const	 *known = value == NULL ? NULL : (const Const *) estimate_expression_value(&root, (Node *) value);

	return known != NULL && IsA(known, Const) && !known->constisnull ? known : NULL;
}

/* Returns which part of the rows has a value of a column that a level asks for; and which part of the values. */
static double
part_of_column(const KeptQuestion *q, int p, double *of_values)
{
	const KeptColumn *column = &q->kept->partition[p];
	RelOptInfo		  table = {.type = T_RelOptInfo, .tuples = q->rows};
	VariableStatData  data = {.rel = &table,
							  .statsTuple = kept_statistics(q->kept, column),
							  .freefunc = ReleaseSysCache,
							  .acl_ok = pg_class_aclcheck(q->kept->table, GetUserId(), ACL_SELECT) == ACLCHECK_OK};
	const Const		 *value = planned_value(q, q->partition[p]);
	Oid equals = get_opfamily_member(column->family, column->opclass_type, column->opclass_type, BTEqualStrategyNumber);
	double asked = q->partition[p] != NULL ? 1 : kept_question_length((Node *) q->list[p]), part;
	bool   is_default;

	part = *of_values = Min(asked / get_variable_numdistinct(&data, &is_default), 1);
	if (value != NULL && value->consttype == column->type)
		part = var_eq_const(&data, equals, column->collation, value->constvalue, false, true, false);
	ReleaseVariableStats(data);
	return part;
}

/* Returns how many partitions a level reads, and sets how many rows they have. */
static double
number_of_partitions(const KeptQuestion *q, double *rows)
{
	double all = q->average_partition > 0 ? Max(q->rows / q->average_partition, 1) : UNKNOWN_PARTITIONS;
	double some = all, named = 1, of_values;

	*rows = Max(q->rows, 0);
	for (int p = 0; p < q->kept->partitions; p++)
		if (q->partition[p] == NULL && q->list[p] == NULL)
			named = all;
		else
		{
			named *= q->partition[p] != NULL ? 1 : kept_question_length((Node *) q->list[p]);
			*rows *= part_of_column(q, p, &of_values);
			some *= of_values;
		}
	return Max(Min(named, some), 1);
}

/* Sets the range of the first key that the table has, by its histogram.  False: there is none. */
static bool
set_range(const KeptQuestion *q, double range[2])
{
	HeapTuple	 tuple = kept_statistics(q->kept, &q->kept->key[0]);
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

/* Returns the number that a bound has while the query is planned, or another one, within the range of the table. */
static double
bound_of(const KeptQuestion *q, Expr *bound, double other, const double range[2])
{
	const Const *value = planned_value(q, bound);

	if (value != NULL && value->consttype == q->kept->key[0].type)
		other = (double) kept_key_number(q->kept, value->constvalue);
	return Max(Min(other, range[1]), range[0]);
}

/*
 * Returns how many rows of the table are read for a partition, of which so many are in a range of so many microseconds
 * with edges between cells.  Nodes end at days, or at hours of a zone, but only where a partition has rows enough.
 */
static double
rows_to_read(const KeptQuestion *q, double rows, double length, double edges)
{
	bool is_zoned = strpbrk(q->steps, "zZ") != NULL ||
					(strpbrk(q->steps, "luPM") != NULL && strcmp(pg_get_timezone_name(session_timezone), "UTC") != 0);
	double unit = Min(1 / Max(q->edges, 1e-30), (double) (is_zoned ? USECS_PER_HOUR : USECS_PER_DAY));
	bool   is_time = q->kept->calendar || q->kept->key[0].type == DATEOID;
	double finest = (double) q->kept->finest * (q->kept->calendar ? 1 : USECS_PER_DAY);

	if (edges == 0 || (is_time && (finest <= unit || rows * unit / Max(length, 1) >= ROWS_OF_NODE)))
		return 0;
	return Min(rows, edges * ROWS_OF_EDGE);
}

/* Returns what the leaves cost that may have rows between two bounds: a node for each partition, or all of their rows.
 */
static double
cost_of_leaves(const KeptQuestion *q, double partitions, const double range[2])
{
	const KeptLeaves *leaves = kept_leaves(unconstify(Kept *, q->kept));
	double			  cost = 0;

	for (int i = 0; i < leaves->n && q->kept->is_partitioned; i++)
		if ((double) leaves->leaf[i].to >= range[0] && (double) leaves->leaf[i].from <= range[1])
			cost += leaves->leaf[i].is_adopted ? partitions * COST_OF_NODE : leaves->leaf[i].rows * COST_OF_ROW;
	return cost;
}

/*
 * Returns how many rows a partition has between the bounds, as far as it is known, and sets how many partitions there
 * are, the range, and its length, in numbers of the first key or microseconds.
 */
static double
rows_of_partition(const KeptQuestion *q, double *partitions, double range[2], double *length)
{
	double rows, all[2];

	*partitions = number_of_partitions(q, &rows);
	*length = 0;
	range[0] = -INFINITY;
	range[1] = INFINITY;
	if (q->rows > 0 && set_range(q, all))
	{
		range[0] = bound_of(q, q->from, all[0], all);
		range[1] = bound_of(q, q->to, all[1], all);
		*length = Max(range[1] - range[0], 0) * (q->kept->key[0].type == DATEOID ? (double) USECS_PER_DAY : 1);
		rows *= Max(range[1] - range[0], 0) / Max(all[1] - all[0], 1);
	}
	return rows / *partitions;
}

bool
kept_part_is_large(const KeptQuestion *q)
{
	double partitions, range[2], length;

	return rows_of_partition(q, &partitions, range, &length) > 4 * KEPT_LEAF_ROWS;
}

void
kept_cells_estimate(KeptQuestion *q)
{
	double partitions, range[2], length, to_read, rows = rows_of_partition(q, &partitions, range, &length);
	/* the ends of the range are edges, too, and so is what the key is compared with */
	double edges = (q->from != NULL) + (q->to != NULL) + (strchr(q->steps, 'c') != NULL) + length * q->edges;

	to_read = rows_to_read(q, rows, length, edges);
	q->cells = partitions * Min(edges + 1, Max(rows, 1));
	q->cost = partitions * (COST_OF_PARTITION + to_read * COST_OF_ROW) + q->cells * COST_OF_CELL +
			  cost_of_leaves(q, partitions, range);
	q->reads_many = to_read > rows * MOST_READ;
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
