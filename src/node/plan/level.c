/*
 * level.c: the window functions of a query level, about each of which the catalog is asked once.
 *
 * plan.c begins a level for each call of its hook, and passes it to all that decide about windows: core has several
 * paths for a window, and our paths are built in several ways over each.  A path keeps its level (planning.h), so the
 * plan has what the path was decided by, whatever happens to the catalog in between, and nothing is asked twice.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/plancat.h"

#include "node/plan/level.h"

QueryLevel *
level_create(PlannerInfo *root)
{
	QueryLevel *level = (QueryLevel *) palloc0(sizeof(QueryLevel));

	level->root = root;
	return level;
}

/* The functions come in the order in which core evaluates them at a row: the aggregates last. */
List *
window_functions(List *exprs, Index winref)
{
	List	 *all = pull_var_clause((Node *) exprs,
									PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_WINDOWFUNCS | PVC_INCLUDE_PLACEHOLDERS);
	List	 *ours = NIL, *aggregates = NIL;
	ListCell *cell;

	foreach (cell, all)
	{
		WindowFunc *wfunc = (WindowFunc *) lfirst(cell);

		if (!IsA(wfunc, WindowFunc) || wfunc->winref != winref)
			;
		else if (wfunc->winagg)
			aggregates = list_append_unique(aggregates, wfunc);
		else
			ours = list_append_unique(ours, wfunc);
	}
	return list_concat(ours, aggregates);
}

const WindowFunctionInfo *
info_of_function(const List *functions, const WindowFunc *wfunc)
{
	ListCell *cell;

	foreach (cell, functions)
	{
		const WindowFunctionInfo *info = (const WindowFunctionInfo *) lfirst(cell);

		if (equal(info->wfunc, wfunc))
			return info;
	}
	return NULL;
}

static int
frame_options(const PlannerInfo *root, Index winref)
{
	ListCell *cell;

	foreach (cell, root->parse->windowClause)
		if (lfirst_node(WindowClause, cell)->winref == winref)
			return lfirst_node(WindowClause, cell)->frameOptions;
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

const WindowFunctionInfo *
level_function(QueryLevel *level, const WindowFunc *wfunc)
{
	const WindowFunctionInfo *known = info_of_function(level->functions, wfunc);
	WindowFunctionInfo		 *info;

	if (known != NULL)
		return known;
	info = (WindowFunctionInfo *) palloc(sizeof(WindowFunctionInfo));
	*info = window_function_info(wfunc, frame_options(level->root, wfunc->winref));
	info->stored = window_function_info_to_list(info);
	set_function_cost(level->root, info);
	level->functions = lappend(level->functions, info);
	return info;
}

/* What level_functions() was asked, and its answer. */
typedef struct AskedFunctions
{
	const List *exprs;
	Index		winref;
	List	   *infos;
} AskedFunctions;

/* All paths for a window share the list of expressions, so it is told by its address. */
List *
level_functions(QueryLevel *level, List *exprs, Index winref)
{
	AskedFunctions *asked;
	ListCell	   *cell;

	foreach (cell, level->asked)
	{
		asked = (AskedFunctions *) lfirst(cell);
		if (asked->exprs == exprs && asked->winref == winref)
			return asked->infos;
	}
	asked = (AskedFunctions *) palloc(sizeof(AskedFunctions));
	*asked = (AskedFunctions){.exprs = exprs, .winref = winref};
	foreach (cell, window_functions(exprs, winref))
		asked->infos = lappend(asked->infos,
							   unconstify(WindowFunctionInfo *, level_function(level, lfirst_node(WindowFunc, cell))));
	level->asked = lappend(level->asked, asked);
	return asked->infos;
}
