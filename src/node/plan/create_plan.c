/*
 * create_plan.c: makes the plan of a PrefixScan from its path.
 *
 * Core calls it once the path is chosen.  The functions are the last columns of custom_scan_tlist, where they are never
 * evaluated.  setrefs.c turns every use of them in the target list and in the conditions into a reference to the node's
 * own row, and deparse.c makes them printable.  The executor gets them in custom_private, without their expressions,
 * and these in custom_exprs, which setrefs.c turns into expressions over the node's own row.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/plancat.h"
#include "optimizer/planmain.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "guc.h"
#include "library/build.h"
#include "node/error_timing/error_timing.h"
#include "node/level.h"
#include "node/plan/planning.h"
#include "node/planned_window.h"
#include "node/window_function.h"

/*
 * Makes a table scan below the node return its tuples as they are stored, if it would only pick columns out of them.
 * The node picks the columns itself, and the scan saves the copy.  A scan that computes expressions, such as keys, is
 * left as planned.
 */
static void
take_stored_rows(PlannerInfo *root, Plan *child)
{
	Index relid;
	List *stored;

	if (!IsA(child, SeqScan) && !IsA(child, IndexScan) && !IsA(child, BitmapHeapScan))
		return;
	relid = ((Scan *) child)->scanrelid;
	foreach_node (TargetEntry, entry, child->targetlist)
	{
		const Var *var = (const Var *) entry->expr;

		if (!IsA(var, Var) || var->varno != relid || var->varattno <= 0 || var->varlevelsup != 0)
			return;
	}
	stored = build_physical_tlist(root, find_base_rel(root, relid));
	if (stored != NIL)
		child->targetlist = stored;
}

/* Returns the lists PRIVATE_KEY_COLUMNS and PRIVATE_KEYS. */
static List *
private_keys(const WindowClause *window, List *planned, List *child_tlist)
{
	List *keys = list_concat_copy(window->partitionClause, window->orderClause);
	List *columns = NIL;

	foreach_node (SortGroupClause, clause, keys)
	{
		Node *expr = get_sortgroupclause_expr(clause, planned);

		columns = lappend_int(columns, tlist_member((Expr *) expr, child_tlist)->resno);
	}
	return list_make2(columns, keys);
}

/*
 * True if leaving out a column of the target list cannot be observed: the child has computed the column, or computing
 * it raises no error.  The child does not compute the keys of a window that no function uses.
 */
static bool
may_be_left_out(const TargetEntry *entry, List *child_tlist)
{
	return tlist_member(entry->expr, child_tlist) != NULL || !expression_may_error_or_side_effect((Node *) entry->expr);
}

/*
 * Returns the target list with NULLs for the columns that are there only because a window clause names them.  At the
 * top of a query level such columns are junk: only a sort may read the list, and the columns of the query's ORDER BY
 * are kept.
 */
static List *
hide_junk(const PlannerInfo *root, List *tlist, List *child_tlist)
{
	const Query *query = root->parse;
	List		*shown = NIL;
	ListCell	*ours, *final;

	if (query->distinctClause != NIL || query->hasTargetSRFs ||
		list_length(tlist) != list_length(root->processed_tlist))
		return tlist;
	forboth(ours, tlist, final, root->processed_tlist)
	{
		TargetEntry		  *entry = lfirst_node(TargetEntry, ours);
		const TargetEntry *wanted = lfirst_node(TargetEntry, final);

		if (!equal(entry->expr, wanted->expr))
			return tlist;
		entry = flatCopyTargetEntry(entry);
		if (wanted->resjunk && wanted->ressortgroupref > 0 &&
			get_sortgroupref_clause_noerr(wanted->ressortgroupref, query->sortClause) == NULL &&
			may_be_left_out(entry, child_tlist))
			entry->expr = (Expr *) makeNullConst(exprType((Node *) entry->expr), exprTypmod((Node *) entry->expr),
												 exprCollation((Node *) entry->expr));
		shown = lappend(shown, entry);
	}
	return shown;
}

/*
 * True if a Gather of the query level may be above a path: it returns the columns that it gets, junk or not.  Core puts
 * a Gather Merge over a partial path for the query's ORDER BY; else a partial path without our mark goes to the level
 * above, which reads no junk.
 */
static bool
may_be_gathered(const PlannerInfo *root, const PrefixScanPath *path)
{
	return path->gathered || (path->custom.path.parallel_workers > 0 && root->parse->sortClause != NIL);
}

/* Returns why the window of a path that was chosen runs in one process; REASON_NONE if it does not, or need not. */
static WindowReason
blocker_of_path(const PrefixScanPath *path, const List *functions)
{
	const RelOptInfo *rel = path->custom.path.parent;
	ParallelSubject	  subject = {path->window, functions, path->custom.path.pathtarget->exprs, path->conditions};
	const Path		 *input = &path->custom.path;
	WindowReason	  reason;
	bool			  range_partitioned;

	if (!guc_parallel || input->parallel_workers > 0)
		return REASON_NONE;
	while (input->parent == rel && (IsA(input, CustomPath) || IsA(input, SortPath)))
		input = IsA(input, SortPath) ? ((const SortPath *) input)->subpath
									 : (const Path *) linitial(((const CustomPath *) input)->custom_paths);
	reason = parallel_blocker_of_rows(path->level, input->parent);
	if (reason == REASON_NONE)
		reason = parallel_blocker_of_window(
			path->level, &subject, (const Path *) linitial(input->parent->partial_pathlist), &range_partitioned);
	return reason == REASON_NONE ? REASON_PARALLEL_COST : reason;
}

static Plan *
prefix_scan_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *custom, List *tlist, List *clauses, List *children)
{
	const PrefixScanPath *path = (const PrefixScanPath *) custom;
	WindowClause		 *window = path->window;
	Plan				 *child = (Plan *) linitial(children);
	CustomScan			 *scan = (CustomScan *) palloc(sizeof(CustomScan));
	List   *uses = list_concat_copy(tlist != NIL ? tlist : custom->path.pathtarget->exprs, path->conditions);
	List   *functions = level_functions(path->level, uses, window->winref);
	List   *planned = child->targetlist;
	bool	sliding = window_frame_is_sliding(window, functions);
	List   *numbers, *private, *wfuncs = NIL, *exprs = NIL, *stored = NIL, *infos = NIL;
	TopRows top = prefix_scan_top(path, functions);

	take_stored_rows(root, child);
	foreach_ptr (const WindowFunctionInfo, info, functions)
	{
		const WindowFunc *wfunc = info->wfunc;

		exprs = list_concat(exprs, copyObject(wfunc->args));
		if (wfunc->aggfilter != NULL)
			exprs = lappend(exprs, copyObject(wfunc->aggfilter));
		wfuncs = lappend(wfuncs, unconstify(WindowFunc *, wfunc));
		stored = lappend(stored, window_function_to_private(wfunc));
		infos = lappend(infos, info->stored);
	}
	if (top.limit > 0)
		top.partitions = (int) Min(path->functions == NIL
									   ? custom->path.rows
									   : level_groups(root, window->partitionClause, child->plan_rows, NULL),
								   (double) PG_INT32_MAX);
	numbers = list_concat(list_make5_int(window->frameOptions, list_length(child->targetlist),
										 list_length(window->partitionClause), path->sorts, path->may_error),
						  list_make5_int(top.limit, top.unit, top.partitions, sliding, window->inRangeAsc));
	numbers = list_concat(numbers, list_make4_int(window->inRangeNullsFirst, path->range_partitioned,
												  blocker_of_path(path, functions), path->presorted));
	if (sliding && window->startOffset != NULL)
		exprs = lappend(exprs, copyObject(window->startOffset));
	if (sliding && window->endOffset != NULL)
		exprs = lappend(exprs, copyObject(window->endOffset));
	private = list_concat(list_make2(list_make2_int((int) (scan_build >> 32), (int) scan_build), numbers),
						  private_keys(window, planned, child->targetlist));
	*scan = (CustomScan){
		.scan.plan = {.type = T_CustomScan,
					  .targetlist = may_be_gathered(root, path) ? tlist : hide_junk(root, tlist, planned),
					  .qual = path->conditions},
		.flags = custom->flags,
		.custom_plans = children,
		.custom_exprs = exprs,
		.custom_private = list_concat(
			private, list_make3(stored, infos,
								list_make3_oid(window->startInRangeFunc, window->endInRangeFunc, window->inRangeColl))),
		.custom_scan_tlist = planned_row(list_concat(get_tlist_exprs(child->targetlist, true), wfuncs)),
		.methods = &prefix_scan_methods};
	return &scan->scan.plan;
}

const CustomPathMethods prefix_scan_path_methods = {.CustomName = PREFIX_SCAN_NAME, .PlanCustomPath = prefix_scan_plan};

void
plan_depends_on(PlannerInfo *root, const List *functions)
{
	foreach_oid (function, functions)
		if (OidIsValid(function))
			record_plan_function_dependency(root, function);
}

/*
 * Records what a plan with windows depends on beside what its expressions name.
 *
 * plan.c calls it for every query level that has windows.  If a function changes that a cached plan's expressions call,
 * core makes the plan anew.  Whether PrefixScan takes a window, and in how many processes it runs, also depends on the
 * functions of an aggregate (none may be volatile) and on the op of scan_fold (its parallel safety), which to core is a
 * constant of type regprocedure.  These functions are recorded where core records the others.
 */
void
plan_depends(PlannerInfo *root)
{
	List *all = pull_var_clause((Node *) root->processed_tlist,
								PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_WINDOWFUNCS | PVC_INCLUDE_PLACEHOLDERS);

	/* no function of an aggregate of core's ever changes */
	foreach_ptr (WindowFunc, wfunc, all)
		if (IsA(wfunc, WindowFunc) && wfunc->winfnoid >= FirstUnpinnedObjectId)
			plan_depends_on(root, window_function_parts(wfunc));
}
