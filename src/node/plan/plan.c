/*
 * plan.c: offers PrefixScan to the planner wherever a WindowAgg stands.
 *
 * Core calls the hook of the window step when it has built its WindowAgg paths.  Each is a
 * chain with the last window on top, and with a Sort below a window whose order the rows do
 * not have yet.  For each chain a path with our node is built: the rows of the windows and
 * their order are the same, but the node does the sorting.  Windows that the node cannot
 * evaluate byte for byte stay WindowAggs, one by one.
 *
 * The functions stand as the last columns of custom_scan_tlist, where nobody evaluates them;
 * setrefs.c turns every use of them in the target list and in the conditions into a reference
 * to the node's own row, and deparse.c makes them printable.  The executor gets them in
 * custom_private, which setrefs.c does not touch.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/planner.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "guc.h"
#include "node/functions.h"
#include "node/plan/declined.h"
#include "node/plan/plan.h"
#include "node/plan/read_ahead.h"
#include "node/window.h"

static create_upper_paths_hook_type previous_hook;

static Plan *prefix_scan_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses,
							  List *children);

static const CustomPathMethods path_methods = {.CustomName = PREFIX_SCAN_NAME, .PlanCustomPath = prefix_scan_plan};

/* CustomPath.custom_private, for prefix_scan_plan. */
enum
{
	PATH_WINDOW = 0, /* the WindowClause */
	PATH_SORTS,		 /* Integer: the node has to sort */
	PATH_FALLIBLE,	 /* Integer: computing another row below may fail or show */
	PATH_QUAL,		 /* conditions on the results of the top window */
};

/* ---- paths ---- */

/* A copy of a path of core's, over another path than the one it was made for. */
static Path *
put_over(const Path *path, Path *child)
{
	Size		size = IsA(path, WindowAggPath)			? sizeof(WindowAggPath)
					   : IsA(path, IncrementalSortPath) ? sizeof(IncrementalSortPath)
														: sizeof(SortPath);
	bool		stores = IsA(path, SortPath);
	Path	   *copy = (Path *) memcpy(palloc(size), path, size);
	Path	  **subpath = IsA(path, WindowAggPath) ? &((WindowAggPath *) copy)->subpath : &((SortPath *) copy)->subpath;
	const Path *before = *subpath;

	*subpath = child;
	copy->startup_cost += stores ? child->total_cost - before->total_cost : child->startup_cost - before->startup_cost;
	copy->total_cost += child->total_cost - before->total_cost;
	compat_disabled_nodes(copy, before, child);
	return copy;
}

/* The order of a window's rows. */
static List *
window_pathkeys(PlannerInfo *root, const WindowClause *window)
{
	return make_pathkeys_for_sortclauses(root, list_concat_copy(window->partitionClause, window->orderClause),
										 root->processed_tlist);
}

/* The node in place of a window's path, over `child`. */
static Path *
prefix_scan_path(PlannerInfo *root, const WindowAggPath *window_path, List *functions, Path *child, bool sorts)
{
	List	   *qual = window_conditions(window_path);
	bool		fallible = !sorts && rows_below_are_fallible(root, window_path->subpath);
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = window_path->path.parent;
	path->path.pathtarget = window_path->path.pathtarget;
	path->path.pathkeys = sorts ? window_pathkeys(root, window_path->winclause) : child->pathkeys;
	path->path.parallel_safe = window_path->path.parallel_safe;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(child);
	path->custom_private = list_make4(window_path->winclause, makeInteger(sorts), makeInteger(fallible), qual);
	path->methods = &path_methods;
	prefix_scan_cost(root, &path->path, window_path->winclause, functions, child, sorts);
	return &path->path;
}

/* What stands below a window's path: a sort that core made for it, or NULL, and below that. */
static Path *
below_window(const RelOptInfo *output_rel, const WindowAggPath *window_path, Path **sort)
{
	Path *below = window_path->subpath;

	*sort = NULL;
	if ((IsA(below, SortPath) || IsA(below, IncrementalSortPath)) && below->parent == output_rel)
	{
		*sort = below;
		below = ((SortPath *) below)->subpath;
	}
	return below;
}

static bool
is_window(const RelOptInfo *output_rel, const Path *path)
{
	return IsA(path, WindowAggPath) && path->parent == output_rel;
}

/*
 * The path of a window and of those below it, with the node in all the places that it
 * can have; the path itself where there is none.  `declined`: it would show, see read_ahead.h.
 */
static Path *
window_chain(PlannerInfo *root, const RelOptInfo *output_rel, WindowAggPath *window_path, bool declined)
{
	List			 *functions = window_functions(window_path->path.pathtarget->exprs, window_path->winclause->winref);
	const WindowFunc *about;
	Path			 *sort;
	Path			 *below = below_window(output_rel, window_path, &sort);
	Path			 *lower = below;
	bool			  sorts = sort != NULL && IsA(sort, SortPath);
	WindowVerdict	  verdict = window_verdict(root, window_path, functions, sorts, &about);

	if (declined && verdict == WINDOW_OFFERED)
		verdict = DECLINED_MAY_FAIL;
	declined_note(window_path, functions, verdict, about);
	if (is_window(output_rel, below))
		lower = window_chain(root, output_rel, (WindowAggPath *) below, declined);

	if (verdict == WINDOW_OFFERED && sorts)
		return prefix_scan_path(root, window_path, functions, lower, true);
	if (lower != below && sort != NULL)
		lower = put_over(sort, lower);
	else if (sort != NULL)
		lower = sort;
	if (verdict == WINDOW_OFFERED)
		return prefix_scan_path(root, window_path, functions, lower, false);
	return lower == window_path->subpath ? &window_path->path : put_over(&window_path->path, lower);
}

/*
 * The same where core reads its rows in order, by an index say, which it prefers to its
 * sort: our sort may be cheaper, over the cheapest input.  NULL: there is no such path,
 * or not in all places.
 */
static Path *
sorting_chain(PlannerInfo *root, const RelOptInfo *output_rel, WindowAggPath *window_path, Path *cheapest)
{
	List			 *functions = window_functions(window_path->path.pathtarget->exprs, window_path->winclause->winref);
	const WindowFunc *about;
	Path			 *sort;
	Path			 *below = below_window(output_rel, window_path, &sort);
	List			 *keys = window_pathkeys(root, window_path->winclause);
	Path			 *lower = cheapest;
	bool			  sorts;

	if (window_verdict(root, window_path, functions, false, &about) != WINDOW_OFFERED ||
		(sort != NULL && !IsA(sort, SortPath)))
		return NULL;
	if (is_window(output_rel, below))
		lower = sorting_chain(root, output_rel, (WindowAggPath *) below, cheapest);
	else if (sort != NULL || below == cheapest)
		return NULL;
	if (lower == NULL)
		return NULL;
	sorts = !pathkeys_contained_in(keys, lower->pathkeys);
	return prefix_scan_path(root, window_path, functions, lower, sorts);
}

/* The path that core would take without us, as far as can be told at this step. */
static const Path *
choice_of_core(const PlannerInfo *root, const List *paths)
{
	const Path *best = NULL;
	ListCell   *cell;

	foreach (cell, paths)
	{
		Path  *path = (Path *) lfirst(cell);
		double fraction = root->tuple_fraction;

		if (fraction >= 1)
			fraction /= Max(path->rows, 1);
		if (best == NULL || compare_fractional_path_costs(path, (Path *) best, fraction) < 0)
			best = path;
	}
	return best;
}

/* Whether the windows of a path read rows that may fail or show, and read them as they are asked for. */
static bool
reads_with_care(const PlannerInfo *root, const Path *path)
{
	return IsA(path, WindowAggPath) && rows_below_are_fallible(root, ((const WindowAggPath *) path)->subpath);
}

/*
 * The node's paths in place of core's.  Where core would read rows as they are asked
 * for, and they may fail, only paths that do so too: a sort reads them all.
 */
static List *
replacements(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, List **replaced)
{
	List	 *ours = NIL;
	bool	  careful = reads_with_care(root, choice_of_core(root, output_rel->pathlist));
	bool	  declined = read_ahead_of_order_shows(root, output_rel);
	ListCell *cell;

	foreach (cell, output_rel->pathlist)
	{
		Path *core = (Path *) lfirst(cell);
		Path *path;

		if (!IsA(core, WindowAggPath))
			continue;
		path = window_chain(root, output_rel, (WindowAggPath *) core, declined);
		if (path == core)
			continue;
		*replaced = lappend(*replaced, core);
		if (!careful || reads_with_care(root, core))
			ours = lappend(ours, path);
		if (careful)
			continue;
		path = sorting_chain(root, output_rel, (WindowAggPath *) core, input_rel->cheapest_total_path);
		if (path != NULL)
			ours = lappend(ours, path);
	}
	return ours;
}

static void
prefix_scan_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel, RelOptInfo *output_rel,
				  void *extra)
{
	List	 *ours, *replaced = NIL;
	ListCell *cell;

	if (previous_hook)
		previous_hook(root, stage, input_rel, output_rel, extra);
	if (stage != UPPERREL_WINDOW || output_rel->pathlist == NIL)
		return;
	plan_warn_of_frames(root);

	/* add_path frees paths that are dominated, maybe such that have not been looked at: nothing is added before */
	ours = replacements(root, input_rel, output_rel, &replaced);
	if (guc_node == NODE_FORCE)
		output_rel->pathlist = list_difference_ptr(output_rel->pathlist, replaced);
	foreach (cell, ours)
		add_path(output_rel, (Path *) lfirst(cell));
}

/* ---- the plan ---- */

/*
 * A scan of a table below us gives its rows as they are stored, where it was going to
 * pick columns out of them: we pick them ourselves, and the scan saves the copy.
 * Expressions in the keys, say, are computed below, as planned.
 */
static void
take_stored_rows(PlannerInfo *root, Plan *child)
{
	Index	  relid;
	List	 *stored;
	ListCell *cell;

	if (!IsA(child, SeqScan) && !IsA(child, IndexScan) && !IsA(child, BitmapHeapScan))
		return;
	relid = ((Scan *) child)->scanrelid;
	foreach (cell, child->targetlist)
	{
		const Var *var = (const Var *) lfirst_node(TargetEntry, cell)->expr;

		if (!IsA(var, Var) || var->varno != relid || var->varattno <= 0 || var->varlevelsup != 0)
			return;
	}
	stored = build_physical_tlist(root, find_base_rel(root, relid));
	if (stored != NIL)
		child->targetlist = stored;
}

/* The columns of the child and the operators of the window's keys. */
static List *
private_keys(const WindowClause *window, List *planned, List *child_tlist)
{
	List	 *keys = list_concat_copy(window->partitionClause, window->orderClause);
	List	 *columns = NIL, *equals = NIL, *sorts = NIL, *collations = NIL, *nulls_first = NIL;
	ListCell *cell;

	foreach (cell, keys)
	{
		SortGroupClause *key = lfirst_node(SortGroupClause, cell);
		TargetEntry		*entry = get_sortgroupclause_tle(key, planned);

		columns = lappend_int(columns, tlist_member(entry->expr, child_tlist)->resno);
		equals = lappend_oid(equals, key->eqop);
		sorts = lappend_oid(sorts, key->sortop);
		collations = lappend_oid(collations, exprCollation((Node *) entry->expr));
		nulls_first = lappend_int(nulls_first, key->nulls_first);
	}
	return list_make5(columns, equals, sorts, collations, nulls_first);
}

/* The child's columns, then the functions. */
static List *
scan_tlist(List *child_tlist, List *functions)
{
	List	  *tlist = NIL;
	AttrNumber place = 1;
	ListCell  *cell;

	foreach (cell, child_tlist)
		tlist = lappend(tlist, makeTargetEntry(copyObject(lfirst_node(TargetEntry, cell)->expr), place++, NULL, false));
	foreach (cell, functions)
		tlist = lappend(tlist, makeTargetEntry((Expr *) copyObject(lfirst(cell)), place++, NULL, false));
	return tlist;
}

/*
 * The target list with NULLs for the columns that are there only because a window clause names
 * them: keys that nobody sees.  That is so at the top of a query level, where they are junk and
 * nothing above but a sort, which has other columns then, looks at the list.
 */
static List *
hide_junk(const PlannerInfo *root, List *tlist)
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
			get_sortgroupref_clause_noerr(wanted->ressortgroupref, query->sortClause) == NULL)
			entry->expr = (Expr *) makeNullConst(exprType((Node *) entry->expr), exprTypmod((Node *) entry->expr),
												 exprCollation((Node *) entry->expr));
		shown = lappend(shown, entry);
	}
	return shown;
}

static Plan *
prefix_scan_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *children)
{
	WindowClause *window = (WindowClause *) list_nth(path->custom_private, PATH_WINDOW);
	List		 *qual = (List *) list_nth(path->custom_private, PATH_QUAL);
	bool		  sorts = intVal(list_nth(path->custom_private, PATH_SORTS));
	bool		  fallible = intVal(list_nth(path->custom_private, PATH_FALLIBLE));
	Plan		 *child = (Plan *) linitial(children);
	CustomScan	 *scan = makeNode(CustomScan);
	List		 *uses = list_concat(list_concat_copy(tlist, qual), path->path.pathtarget->exprs);
	List		 *functions = window_functions(uses, window->winref);
	List		 *planned = child->targetlist;
	bool		  moves = window_frame_moves(window, functions);
	List		 *numbers;
	TopRows		  top = {0};
	ListCell	 *cell;

	take_stored_rows(root, child);
	foreach (cell, functions)
	{
		WindowFunc *wfunc = lfirst_node(WindowFunc, cell);

		scan->custom_exprs = list_concat(scan->custom_exprs, copyObject(wfunc->args));
		if (wfunc->aggfilter != NULL)
			scan->custom_exprs = lappend(scan->custom_exprs, copyObject(wfunc->aggfilter));
	}
	numbers = list_make5_int(window->frameOptions, list_length(child->targetlist), list_length(window->partitionClause),
							 sorts, fallible);
	if (sorts)
		top = top_of_window(root, window, functions, qual, child->plan_rows);
	numbers = list_concat(numbers, list_make3_int(top.most, top.unit, top.partitions));
	numbers = list_concat(numbers, list_make3_int(moves, window->inRangeAsc, window->inRangeNullsFirst));
	scan->scan.plan.targetlist = hide_junk(root, tlist);
	scan->scan.plan.qual = qual;
	scan->custom_plans = children;
	scan->custom_scan_tlist = scan_tlist(child->targetlist, functions);
	scan->custom_private = list_concat(list_make1(numbers), private_keys(window, planned, child->targetlist));
	scan->custom_private = lappend(scan->custom_private, copyObject(functions));
	scan->custom_private = lappend(
		scan->custom_private, list_make3_oid(window->startInRangeFunc, window->endInRangeFunc, window->inRangeColl));
	if (moves && window->startOffset != NULL)
		scan->custom_exprs = lappend(scan->custom_exprs, copyObject(window->startOffset));
	if (moves && window->endOffset != NULL)
		scan->custom_exprs = lappend(scan->custom_exprs, copyObject(window->endOffset));
	scan->flags = path->flags;
	scan->methods = &prefix_scan_methods;
	return &scan->scan.plan;
}

void
plan_init(void)
{
	declined_init();
	explain_declined_init();
	previous_hook = create_upper_paths_hook;
	create_upper_paths_hook = prefix_scan_paths;
}
