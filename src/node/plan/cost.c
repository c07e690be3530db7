/*
 * cost.c: estimates what a PrefixScan costs, in the planner's units.
 *
 * path.c asks for every path that is offered.  Core charges 0.0125 for a row in WindowAgg, which takes 140 ns and
 * more.  On that scale the node's 30 to 40 ns a row are 0.005, with something to spare, and the 50 ns of packing,
 * radix-sorting and gathering a row are 0.01.  Input that does not fit in scan.work_mem is sorted in parts: it is
 * written to disk and read back once, and its rows are compared while the parts are merged.  If the input is in
 * order, the first row is emitted after the first block, so a query that stops early is cheaper in core.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/plancat.h"
#include "optimizer/tlist.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "guc.h"
#include "node/plan/planning.h"
#include "node/planned_window.h"

/* Bytes of a row in memory beside its values: its sort word or its results, boundaries, and alignment. */
#define ROW_OVERHEAD 16

/* Bytes up to which a peer group, a partition, or the rows that lag and lead reach are held in memory. */
#define HELD (guc_budget() / 4)

/* Rows that lag and lead may reach, however little memory there is. */
#define OFFSET_LEAST 1024

#define LOG2(x) (log(x) / 0.693147180559945)

static double
bytes_of(const Path *child, double rows)
{
	return rows * (child->pathtarget->width + ROW_OVERHEAD);
}

/* Returns the cost of sorting all rows of a path. */
static Cost
sort_cost(const Path *child)
{
	double bytes = bytes_of(child, child->rows);
	Cost   sort = child->rows * cpu_operator_cost * 4;

	if (bytes <= guc_budget())
		return sort;
	/* each run is written and read in order, but several are read at a time */
	return sort + child->rows * cpu_operator_cost * 2 * (1 + LOG2(bytes / guc_budget())) +
		   2 * bytes / BLCKSZ * (seq_page_cost * 0.75 + random_page_cost * 0.25);
}

/* Adds the cost of the functions at every row, with their arguments and FILTERs, as cost_windowagg() does. */
static void
add_functions(PlannerInfo *root, QualCost *cost, const List *functions)
{
	const ListCell *cell;

	foreach (cell, functions)
	{
		const WindowFunc *wfunc = ((const WindowFunctionInfo *) lfirst(cell))->wfunc;
		QualCost		  arguments;

		add_function_cost(root, wfunc->winfnoid, (Node *) wfunc, cost);
		cost_qual_eval_node(&arguments, (Node *) wfunc->args, root);
		cost->startup += arguments.startup;
		cost->per_tuple += arguments.per_tuple;
		cost_qual_eval_node(&arguments, (Node *) wfunc->aggfilter, root);
		cost->startup += arguments.startup;
		cost->per_tuple += arguments.per_tuple;
	}
}

double
prefix_scan_groups(PlannerInfo *root, List *clauses, double rows)
{
	List *exprs = get_sortgrouplist_exprs(clauses, root->processed_tlist);

	return exprs == NIL ? 1 : Max(estimate_num_groups(root, exprs, rows, NULL, NULL), 1);
}

/*
 * Returns the cost of accumulating peer groups or partitions before their first row is emitted, if they are too large
 * to be held.  Writing them to a file is not charged, as it is not in core's cost of a WindowAgg.
 */
static Cost
look_cost(PlannerInfo *root, const WindowClause *window, const List *functions, const Path *child)
{
	Lookahead lookahead = LOOKAHEAD_NONE;
	List	 *keys = window->partitionClause;
	double	  bytes = bytes_of(child, child->rows);

	for (int i = 0; i < list_length(functions); i++)
		lookahead = Max(lookahead, ((const WindowFunctionInfo *) list_nth(functions, i))->lookahead);
	if (lookahead == LOOKAHEAD_NONE || bytes <= HELD)
		return 0;
	if (lookahead == LOOKAHEAD_PEERS)
		keys = list_concat_copy(keys, window->orderClause);
	return bytes / prefix_scan_groups(root, keys, child->rows) <= HELD ? 0 : child->rows * cpu_operator_cost;
}

void
prefix_scan_cost(PlannerInfo *root, Path *path, const WindowClause *window, List *functions, const Path *child,
				 bool sorts)
{
	QualCost cost = path->pathtarget->cost;
	Cost	 sort = sorts ? sort_cost(child) : 0;
	Cost	 run = child->total_cost - child->startup_cost + child->rows * cpu_tuple_cost * 0.5 +
			   look_cost(root, window, functions, child);
	double block = Min(BLOCK_FIRST_ROWS / Max(child->rows, 1), 1);

	path->rows = child->rows;
	compat_disabled_nodes(path, NULL, child);
	path->startup_cost = sorts ? child->total_cost + sort : child->startup_cost + run * block;
	path->total_cost = child->startup_cost + run + sort;
	add_functions(root, &cost, functions);
	path->startup_cost += cost.startup;
	path->total_cost += cost.startup + cost.per_tuple * child->rows;
}

/* For each row, hashing, copying, writing and reading take some 20 ns, and its bytes are charged on top. */
Cost
prefix_scan_repartition_cost(const Path *child)
{
	return child->rows * cpu_operator_cost + bytes_of(child, child->rows) / BLCKSZ * seq_page_cost * 0.1;
}

bool
prefix_scan_offsets_fit(const List *functions, const Path *child)
{
	int64 max_before = 0, max_after = 0;

	for (int i = 0; i < list_length(functions); i++)
	{
		const WindowFunctionInfo *info = (const WindowFunctionInfo *) list_nth(functions, i);

		max_before = Max(max_before, info->before);
		max_after = Max(max_after, info->after);
	}
	max_before = Min(max_before, (int64) child->rows);
	max_after = Min(max_after, (int64) child->rows);
	return max_before + max_after <= OFFSET_LEAST || bytes_of(child, max_before + max_after) <= HELD;
}
