/*
 * level.c: the query levels of a statement that is being planned, and the window functions and groups of each.
 *
 * plan.c asks for the level at each call of its hook, and passes it to all that decide about windows: core has several
 * paths for a window, and our paths are built in several ways over each.  What was found out is remembered for as long
 * as the statement is planned, so that the catalog is asked once about a function, and each level is judged once,
 * however many windows it has and however often other levels read it.  A path keeps its level (planning.h), so the plan
 * has what the path was decided by, whatever happens to the catalog in between.
 *
 * Core calls the planner within the planner, where it computes a constant by a function that runs a query.  So there
 * may be several plannings at a time; each has a PlannerGlobal of its own.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/plancat.h"
#include "optimizer/tlist.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "node/level.h"

set_rel_pathlist_hook_type own_rel_hook;

/* ---- levels ---- */

/* A statement that is being planned.  It is in the planner's memory context, and goes with it. */
typedef struct Planning
{
	const PlannerGlobal	 *glob;
	PointerMap			 *levels; /* PlannerInfo -> QueryLevel */
	struct Planning		 *next;
	MemoryContextCallback end;
} Planning;

static Planning *plannings; /* the last that began is the first */

static void
end_planning(void *planning)
{
	Planning **link = &plannings;

	while (*link != planning)
		link = &(*link)->next;
	*link = (*link)->next;
}

static Planning *
planning_of(const PlannerInfo *root)
{
	Planning *planning = plannings;

	while (planning != NULL && planning->glob != root->glob)
		planning = planning->next;
	if (planning != NULL)
		return planning;
	planning = (Planning *) MemoryContextAlloc(root->planner_cxt, sizeof(Planning));
	*planning = (Planning){.glob = root->glob,
						   .levels = pointer_map_create(root->planner_cxt),
						   .next = plannings,
						   .end = {.func = end_planning, .arg = planning}};
	plannings = planning;
	MemoryContextRegisterResetCallback(root->planner_cxt, &planning->end);
	return planning;
}

QueryLevel *
level_of(PlannerInfo *root)
{
	Planning   *planning = planning_of(root);
	QueryLevel *level = (QueryLevel *) pointer_map_get(planning->levels, root);

	if (level != NULL)
		return level;
	level = (QueryLevel *) MemoryContextAlloc(root->planner_cxt, sizeof(QueryLevel));
	*level = (QueryLevel){.root = root, .function_info = pointer_map_create(root->planner_cxt)};
	pointer_map_set(planning->levels, root, level);
	return level;
}

QueryLevel *
level_for_step(PlannerInfo *root)
{
	QueryLevel *level = level_of(root);

	if (level->below != NULL)
		pointer_map_empty(level->below);
	return level;
}

/* ---- window functions ---- */

List *
window_calls(List *exprs, Index winref)
{
	List *all = pull_var_clause((Node *) exprs,
								PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_WINDOWFUNCS | PVC_INCLUDE_PLACEHOLDERS);
	List *calls = NIL;

	foreach_ptr (WindowFunc, wfunc, all)
		if (IsA(wfunc, WindowFunc) && wfunc->winref == winref)
			calls = lappend(calls, wfunc);
	list_free(all);
	return calls;
}

/* The functions come in the order in which core evaluates them at a row: the aggregates last. */
List *
window_functions(List *exprs, Index winref)
{
	List *ours = NIL, *aggregates = NIL;

	foreach_node (WindowFunc, wfunc, window_calls(exprs, winref))
	{
		if (wfunc->winagg)
			aggregates = list_append_unique(aggregates, wfunc);
		else
			ours = list_append_unique(ours, wfunc);
	}
	return list_concat(ours, aggregates);
}

/* Adds what tells apart functions that are alike: columns and constants. */
static bool
add_to_hash(Node *node, void *hash)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		*(uint32 *) hash = hash_combine(*(uint32 *) hash, ((Var *) node)->varattno);
	else if (IsA(node, Const) && ((Const *) node)->constbyval)
		*(uint32 *) hash = hash_combine(*(uint32 *) hash, (uint32) ((Const *) node)->constvalue);
	return expression_tree_walker(node, add_to_hash, hash);
}

/* Equal functions have the same hash. */
static uint32
function_hash(const WindowFunc *wfunc)
{
	uint32 hash = hash_combine(wfunc->winfnoid, wfunc->winref);

	add_to_hash((Node *) wfunc->args, &hash);
	return hash;
}

const WindowFunctionInfo *
info_of_function(const List *functions, const WindowFunc *wfunc)
{
	uint32 hash = function_hash(wfunc);

	/* hundreds of functions are compared with each other */
	foreach_ptr (const WindowFunctionInfo, info, functions)
	{
		if (info->hash == hash && equal(info->wfunc, wfunc))
			return info;
	}
	return NULL;
}

static int
frame_options(const PlannerInfo *root, Index winref)
{
	foreach_node (WindowClause, window, root->parse->windowClause)
		if (window->winref == winref)
			return window->frameOptions;
	elog(ERROR, "could not find window clause for winref %u", winref);
}

/* Sets the cost of a function with its arguments and FILTER, as cost_windowagg() charges it. */
static void
set_function_cost(PlannerInfo *root, WindowFunctionInfo *info)
{
	const WindowFunc *wfunc = info->wfunc;
	QualCost		  cost = {0}, arguments;

	add_function_cost(root, wfunc->winfnoid, (Node *) wfunc, &cost);
	cost_qual_eval_node(&arguments, (Node *) wfunc->args, root);
	cost.startup += arguments.startup;
	cost.per_tuple += arguments.per_tuple;
	cost_qual_eval_node(&arguments, (Node *) wfunc->aggfilter, root);
	info->startup_cost = cost.startup + arguments.startup;
	info->cost_per_row = cost.per_tuple + arguments.per_tuple;
}

/* The same function is at several places of a query, in copies, of which each is compared with the others once. */
const WindowFunctionInfo *
level_function(QueryLevel *level, const WindowFunc *wfunc)
{
	WindowFunctionInfo *info = (WindowFunctionInfo *) pointer_map_get(level->function_info, wfunc);

	if (info != NULL)
		return info;
	info = unconstify(WindowFunctionInfo *, info_of_function(level->functions, wfunc));
	if (info == NULL)
	{
		info = (WindowFunctionInfo *) palloc(sizeof(WindowFunctionInfo));
		*info = window_function_info(wfunc, frame_options(level->root, wfunc->winref));
		info->stored = window_function_info_to_list(info);
		info->hash = function_hash(wfunc);
		set_function_cost(level->root, info);
		level->functions = lappend(level->functions, info);
	}
	pointer_map_set(level->function_info, wfunc, info);
	return info;
}

/* What level_functions() was asked, and its answer. */
typedef struct AskedFunctions
{
	const List *exprs;
	Index		winref;
	List	   *infos;
} AskedFunctions;

/*
 * All paths for a window share the list of expressions, so it is told by its address.  The functions come in the order
 * of window_functions().
 */
List *
level_functions(QueryLevel *level, List *exprs, Index winref)
{
	List		   *ours = NIL, *aggregates = NIL;
	AskedFunctions *asked;

	foreach_ptr (AskedFunctions, before, level->asked)
		if (before->exprs == exprs && before->winref == winref)
			return before->infos;
	foreach_node (WindowFunc, wfunc, window_calls(exprs, winref))
	{
		WindowFunctionInfo *info = unconstify(WindowFunctionInfo *, level_function(level, wfunc));

		if (info->wfunc->winagg)
			aggregates = list_append_unique_ptr(aggregates, info);
		else
			ours = list_append_unique_ptr(ours, info);
	}
	asked = (AskedFunctions *) palloc(sizeof(AskedFunctions));
	*asked = (AskedFunctions){.exprs = exprs, .winref = winref, .infos = list_concat(ours, aggregates)};
	level->asked = lappend(level->asked, asked);
	return asked->infos;
}

/* ---- groups ---- */

double
level_groups_by(PlannerInfo *root, List *exprs, double rows, bool *guessed)
{
	EstimationInfo estimate = {0};
	double		   groups = exprs == NIL ? 1 : estimate_num_groups(root, exprs, rows, NULL, &estimate);

	if (guessed != NULL)
		*guessed = (estimate.flags & SELFLAG_USED_DEFAULT) != 0;
	return Max(groups, 1);
}

/* A column that the query sets equal to a constant has one value, but estimate_num_groups() does not know that. */
double
level_groups(PlannerInfo *root, List *clauses, double rows, bool *guessed)
{
	List *exprs = NIL;

	foreach_node (SortGroupClause, clause, clauses)
		if (make_pathkeys_for_sortclauses(root, list_make1(clause), root->processed_tlist) != NIL)
			exprs = lappend(exprs, get_sortgroupclause_expr(clause, root->processed_tlist));
	return level_groups_by(root, exprs, rows, guessed);
}

/*
 * Keys of groups and of the order are taken for independent, so peers for few.  estimate_num_groups() of both together
 * would see 10 rows of one value of both at least.
 */
double
level_top_rows(PlannerInfo *root, List *order, double groups, double rows, TopRows top)
{
	double peers = top.unit == TOP_ROWS ? 1 : Max(rows / groups / level_groups(root, order, rows, NULL), 1);

	return clamp_row_est(Min(rows, groups * Max(top.unit == TOP_DENSE_RANKS ? top.limit * peers : top.limit, peers)));
}

double
level_fraction(const PlannerInfo *root, double rows)
{
	double fraction = root->tuple_fraction >= 1 ? root->tuple_fraction / Max(rows, 1) : root->tuple_fraction;

	return fraction <= 0 || fraction > 1 ? 1 : fraction;
}

double
level_processes(int workers)
{
	return workers == 0 ? 1 : workers + (parallel_leader_participation ? Max(1 - 0.3 * workers, 0) : 0);
}
