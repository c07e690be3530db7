/*
 * parallel.c: PrefixScan in several processes.
 *
 * plan.c calls it when it has offered its other paths.  Core plans no window in parallel, since rows that tie
 * may come in another order then, as they may in any parallel plan.  Where the
 * input has partial paths, of which each process reads some rows, the node can deal these out
 * so that each partition is with one process (parallel/deal.h).  The path is a partial one again: what
 * stands above, an aggregate say, runs in the processes, too, and core puts a Gather there.  At
 * the top it puts none above windows, so the Gather is offered here.
 *
 * All windows of a query level go together: each has to have partitions, and functions that
 * are safe in parallel.  One whose partitions are made of those of the one below, and whose order is
 * that one's, takes its rows as they come.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "guc.h"
#include "node/plan/path.h"
#include "node/plan/plan.h"
#include "node/window.h"

/* ---- what may run in several processes ---- */

/* Expressions without the window functions, whose arguments and filters are added to `inside`. */
static Node *
without_windows(Node *node, void *context)
{
	List **inside = (List **) context;

	if (node == NULL)
		return NULL;
	if (IsA(node, WindowFunc))
	{
		WindowFunc *wfunc = (WindowFunc *) node;

		*inside = lappend(*inside, wfunc);
		return (Node *) makeNullConst(wfunc->wintype, -1, wfunc->wincollid);
	}
	return expression_tree_mutator(node, without_windows, context);
}

/* Whether expressions are safe in parallel, as far as they are, and so are the functions of windows in them. */
static bool
exprs_are_safe(PlannerInfo *root, const List *exprs)
{
	List	 *inside = NIL;
	Node	 *rest = without_windows((Node *) exprs, &inside);
	ListCell *cell;

	if (!is_parallel_safe(root, rest))
		return false;
	foreach (cell, inside)
	{
		const WindowFunc *wfunc = lfirst_node(WindowFunc, cell);

		if (func_parallel(wfunc->winfnoid) != PROPARALLEL_SAFE || !is_parallel_safe(root, (Node *) wfunc->args) ||
			!is_parallel_safe(root, (Node *) wfunc->aggfilter))
			return false;
	}
	return true;
}

/* Whether values of each key of a partition have hashes. */
static bool
keys_are_hashed(const WindowClause *window)
{
	ListCell *cell;

	foreach (cell, window->partitionClause)
	{
		const SortGroupClause *key = lfirst_node(SortGroupClause, cell);
		Oid					   left, right;

		if (!key->hashable || !get_op_hash_functions(key->eqop, &left, &right))
			return false;
	}
	return true;
}

static bool
window_is_safe(PlannerInfo *root, const WindowAggPath *path)
{
	const WindowClause *window = path->winclause;

	return window->partitionClause != NIL && keys_are_hashed(window) &&
		   exprs_are_safe(root, path->path.pathtarget->exprs) && exprs_are_safe(root, window_conditions(path)) &&
		   is_parallel_safe(root, window->startOffset) && is_parallel_safe(root, window->endOffset);
}

/* ---- paths ---- */

/* A path and how its rows lie in a process: whole partitions of `dealt`, each of them in the order of `inner`. */
typedef struct Partial
{
	Path *path;
	List *dealt;
	List *inner;
} Partial;

/* The node in the places of all windows of a path, over the partial path `input`; false: not in all. */
static bool
partial_chain(PlannerInfo *root, const RelOptInfo *output_rel, const WindowAggPath *window_path, Path *input,
			  Partial *result)
{
	List *functions = window_functions(window_path->path.pathtarget->exprs, window_path->winclause->winref);
	const WindowClause *window = window_path->winclause;
	List			   *partition = make_pathkeys_for_sortclauses(root, window->partitionClause, root->processed_tlist);
	List			   *keys = window_pathkeys(root, window);
	Partial				lower = {input, NIL, NIL};
	const WindowFunc   *about;
	Path			   *sort;
	Path			   *below = below_window(output_rel, window_path, &sort);
	bool				sorts;

	if (path_is_window(output_rel, below) &&
		!partial_chain(root, output_rel, (const WindowAggPath *) below, input, &lower))
		return false;
	sorts = lower.dealt == NIL || !pathkeys_contained_in(keys, lower.inner) ||
			!pathkeys_contained_in(lower.dealt, partition);
	if (!window_is_safe(root, window_path) ||
		window_verdict(root, unconstify(WindowAggPath *, window_path), functions, sorts, &about) != WINDOW_OFFERED)
		return false;
	result->path = prefix_scan_path(root, window_path, functions, lower.path, sorts);
	result->path->pathkeys = NIL;
	result->path->parallel_safe = true;
	result->path->parallel_aware = sorts;
	result->path->parallel_workers = input->parallel_workers;
	result->dealt = sorts ? partition : lower.dealt;
	result->inner = sorts ? keys : lower.inner;
	if (sorts)
	{
		Cost cost = prefix_scan_deal_cost(lower.path);

		result->path->startup_cost += cost;
		result->path->total_cost += cost;
	}
	return true;
}

Path *
parallel_path(PlannerInfo *root, const RelOptInfo *input_rel, const RelOptInfo *output_rel, double *rows)
{
	ListCell *cell;

	if (!guc_parallel || guc_node == NODE_OFF || !root->glob->parallelModeOK || !input_rel->consider_parallel ||
		input_rel->partial_pathlist == NIL)
		return NULL;
	foreach (cell, output_rel->pathlist)
	{
		const WindowAggPath *core = (const WindowAggPath *) lfirst(cell);
		Partial				 partial;

		*rows = core->path.rows;
		if (path_is_window(output_rel, &core->path) &&
			partial_chain(root, output_rel, core, (Path *) linitial(input_rel->partial_pathlist), &partial))
			return partial.path;
	}
	return NULL;
}

void
parallel_add(PlannerInfo *root, RelOptInfo *output_rel, Path *partial, double rows)
{
	Path *gather = (Path *) create_gather_path(root, output_rel, partial, partial->pathtarget, NULL, &rows);

	output_rel->consider_parallel = true;
	add_partial_path(output_rel, partial);
	add_path(output_rel, gather);
}
