/*
 * early_stop.c: finds how many of a node's rows will be asked for, and how many rows of a query level.
 *
 * While a plan runs, exec/ and block_reader.c ask about their node where computing a row below may raise an error or
 * have a side effect: a row that core would never reach must not be pulled then.  While a query is planned, verdict.c,
 * parallel_blocker.c and read_ahead.c ask about a query level.
 *
 * An early stop comes from the plan above the node (LIMIT, EXISTS, a merge join), where the kind of plan node says so,
 * or from outside of the plan (a cursor, FOR with EXIT and SELECT INTO in PL/pgSQL, an SQL function of which one row is
 * used).  From outside, the executor is run with a row count, which only ExecutorRun's hook sees.
 *
 * Everything that is not known to ask for all rows is assumed to stop at any row: pulling rows one by one takes longer
 * and is never wrong.
 *
 * Rejected: the planner's guess of the fraction that will be fetched, which cursors and functions do not have.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "miscadmin.h"

#include "column/memory.h"
#include "compat.h"
#include "node/error_timing/error_timing.h"
#include "node/plan_walker.h"
#include "node/planned_node.h"
#include "node/planned_window.h"

/* ---- the caller ---- */

static void
find_prefix_scan(Plan *plan, void *found)
{
	if (planned_node(plan, &prefix_scan_methods) != NULL)
		*(bool *) found = true;
}

/*
 * Makes a statement with a PrefixScan run in one process, because its caller takes some rows only (an SQL function that
 * returns one value) and several processes would compute rows that are not asked for.  Returns true if the statement
 * would have run in several.
 */
static bool
run_serially(PlannedStmt *statement)
{
	bool found = false;

	if (statement->parallelModeNeeded)
		walk_statement(statement, find_prefix_scan, &found);
	if (found)
		statement->parallelModeNeeded = false;
	return found;
}

static ExecutorRun_hook_type previous_hook;
static bool					 caller_asks_for_all;

static void
note_demand(COMPAT_EXECUTOR_RUN_PARAMETERS)
{
	static int	 depth;
	bool		 outer = caller_asks_for_all;
	PlannedStmt *statement = query->plannedstmt;
	const bool	 is_parallel = count != 0 && run_serially(statement);

	if (depth == 0)
		pool_idle();
	caller_asks_for_all = count == 0;
	depth++;
	PG_TRY();
	{
		if (previous_hook)
			previous_hook(COMPAT_EXECUTOR_RUN_ARGUMENTS);
		else
			standard_ExecutorRun(COMPAT_EXECUTOR_RUN_ARGUMENTS);
	}
	PG_FINALLY();
	{
		depth--;
		caller_asks_for_all = outer;
		if (is_parallel)
			statement->parallelModeNeeded = true;
	}
	PG_END_TRY();
}

bool
demand_by_caller_is_all(void)
{
	return caller_asks_for_all;
}

void
demand_init(void)
{
	previous_hook = ExecutorRun_hook;
	ExecutorRun_hook = note_demand;
}

/* ---- the plan ---- */

/* The state of a search for a node, down the plan. */
typedef struct Descent
{
	const Plan *sought;
	const Plan *parent; /* of the nodes that are visited next */
	NodeDemand	demand; /* what is asked of the parent */
	bool		found;
	NodeDemand	result;
} Descent;

/* Returns what a join asks of one of its sides, if `demand` is asked of the join. */
static NodeDemand
join_demand(const Join *join, const Plan *child, NodeDemand demand)
{
	bool outer = child == outerPlan(join);

	switch (nodeTag(join))
	{
		case T_NestLoop:
			/* the first match of a row may be enough */
			if (!outer && (join->inner_unique || join->jointype == JOIN_SEMI || join->jointype == JOIN_ANTI))
				return DEMAND_UNKNOWN;
			return demand;
		case T_HashJoin:
			/* it reads one row of the outer side first, and has ended if the inner side is empty */
			return outer ? Min(demand, DEMAND_ALL_OR_ONE) : demand;
		default:
			/* a merge join ends when one of its sides has ended */
			return DEMAND_UNKNOWN;
	}
}

/* Returns what a WindowReduce asks of its child, if `demand` is asked of it: as Agg, or a filter. */
static NodeDemand
reduce_demand(const CustomScan *scan, NodeDemand demand)
{
	bool plain = planned_number(scan, REDUCE_NUMBER_AGGREGATES) > 0 && !planned_number(scan, REDUCE_NUMBER_GROUPED);

	return plain ? DEMAND_ALL : demand;
}

/* Returns what a node asks of one of its children, if `demand` is asked of the node. */
static NodeDemand
child_demand(const Plan *plan, const Plan *child, NodeDemand demand)
{
	switch (nodeTag(plan))
	{
		case T_Sort:
		case T_Hash:
			return DEMAND_ALL;
		case T_Agg:
		{
			AggStrategy strategy = ((const Agg *) plan)->aggstrategy;

			return strategy == AGG_PLAIN || strategy == AGG_HASHED ? DEMAND_ALL : demand;
		}
		case T_NestLoop:
		case T_HashJoin:
		case T_MergeJoin:
			return join_demand((const Join *) plan, child, demand);
		case T_CustomScan:
			if (planned_node(plan, &window_reduce_methods) != NULL)
				return reduce_demand(planned_node(plan, &window_reduce_methods), demand);
			if (planned_node(plan, &prefix_scan_methods) == NULL)
				return DEMAND_UNKNOWN;
			return planned_number(planned_node(plan, &prefix_scan_methods), NUMBER_SORTS) &&
						   planned_number(planned_node(plan, &prefix_scan_methods), NUMBER_PRESORTED) == 0
					   ? DEMAND_ALL
					   : demand;
		case T_WindowAgg:
			return ((const WindowAgg *) plan)->runCondition == NIL ? demand : DEMAND_UNKNOWN;
		case T_Append:
		case T_MergeAppend:
		case T_SubqueryScan:
		case T_Result:
		case T_ProjectSet:
		case T_Material:
		case T_IncrementalSort:
		case T_Group:
		case T_Unique:
		case T_SetOp:
		case T_LockRows:
		case T_ModifyTable:
			return demand;
		default:
			return DEMAND_UNKNOWN;
	}
}

static void
find_nodes_stopped_early(Plan *plan, void *context)
{
	Descent *way = (Descent *) context;
	Descent	 below = *way;

	if (way->found)
		return;
	check_stack_depth();
	below.demand = way->parent == NULL ? way->demand : child_demand(way->parent, plan, way->demand);
	below.parent = plan;
	if (plan == way->sought)
	{
		way->found = true;
		way->result = below.demand;
		return;
	}
	walk_children(plan, find_nodes_stopped_early, &below);
	way->found = below.found;
	way->result = below.result;
}

NodeDemand
demand_in_plan(const EState *estate, const Plan *plan)
{
	Descent way = {.sought = plan, .demand = DEMAND_ALL};

	/* a worker may be stopped by its leader; EvalPlanQual checks one row again */
	if (IsParallelWorker() || estate->es_epq_active != NULL)
		return DEMAND_UNKNOWN;
	find_nodes_stopped_early(estate->es_plannedstmt->planTree, &way);
	if (way.found)
		return way.result;
	/* the node is in a subquery of an expression or in a WITH, of which only the rows that are needed are read */
	way.demand = DEMAND_UNKNOWN;
	walk_each(estate->es_plannedstmt->subplans, find_nodes_stopped_early, &way);
	return way.found ? way.result : DEMAND_UNKNOWN;
}

/*
 * Tells whether all rows of a query level are certainly asked for.
 *
 * parallel_blocker.c asks if a row may raise an error: several processes compute rows before they are asked for, and an
 * error at a row that is never asked for would be one that WindowAgg does not raise.  read_ahead.c asks if rows below a
 * window, or frames there, may raise errors.
 *
 * The search goes from the level upwards.  An aggregate without groups asks for all rows of its input, whatever is
 * above it, and so does INSERT.  A level that only selects, groups or sorts asks for as many rows as are asked of it.
 * Everything else may stop early: a LIMIT, a join (a merge join that ends, the inner side of a semi-join), a subquery
 * of an expression, a WITH query, a set operation.  Rejected: the planner's tuple_fraction alone, which is 0 below each
 * of these.
 */

/* True if a level reads nothing but one subquery or relation.  *by_conditions: it has conditions on the rows. */
static bool
reads_one(const Query *parse, bool *by_conditions)
{
	const Node *from = (const Node *) parse->jointree;

	*by_conditions = false;
	/* a subquery that was merged into the level has left its FromExpr behind */
	while (IsA(from, FromExpr) && list_length(((const FromExpr *) from)->fromlist) == 1)
	{
		*by_conditions |= ((const FromExpr *) from)->quals != NULL;
		from = (const Node *) linitial(((const FromExpr *) from)->fromlist);
	}
	return parse->setOperations == NULL && IsA(from, RangeTblRef);
}

static RowsWanted
rows_asked_for(const PlannerInfo *root)
{
	bool is_asked = false; /* true for the levels above the one in question */

	for (; root->parse->limitCount == NULL; root = root->parent_root, is_asked = true)
	{
		const PlannerInfo *parent = root->parent_root;
		bool			   by_conditions;

		if (parent == NULL && root->parse->commandType == CMD_INSERT)
			return ROWS_WANTED_ALL;
		if (parent == NULL)
			return root->tuple_fraction == 0 ? ROWS_WANTED_BY_CALLER : ROWS_WANTED_SOME;
		/* subqueries of expressions and WITH queries are planned before the parent knows its relations */
		if (parent->simple_rel_array == NULL || !reads_one(parent->parse, &by_conditions))
			return ROWS_WANTED_SOME;
		/* a WindowAgg may stop at a condition on its results */
		if (is_asked && root->parse->hasWindowFuncs && by_conditions)
			return ROWS_WANTED_SOME;
		if (query_is_plain_aggregate(parent->parse))
			return ROWS_WANTED_ALL;
	}
	return ROWS_WANTED_SOME;
}

RowsWanted
rows_wanted(QueryLevel *level)
{
	if (level->rows_wanted == ROWS_WANTED_NOT_ASKED)
		level->rows_wanted = rows_asked_for(level->root);
	return level->rows_wanted;
}

bool
rows_are_wanted(QueryLevel *level)
{
	return rows_wanted(level) >= ROWS_WANTED_BY_CALLER;
}

bool
rows_are_limited(const QueryLevel *level)
{
	for (const PlannerInfo *root = level->root; root != NULL; root = root->parent_root)
	{
		if (root->parse->limitCount != NULL)
			return true;
		if (root->parent_root != NULL && query_is_plain_aggregate(root->parent_root->parse))
			return false;
	}
	return false;
}
