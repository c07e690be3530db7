/*
 * plan.c: offers PrefixScan to the planner wherever a WindowAgg stands.
 *
 * Core calls the hook of the window step when it has built its WindowAgg paths.  Each is a chain with the last window
 * on top, and with a Sort below a window whose order the rows do not have yet.  For each chain a path with our node is
 * built: the rows of the windows and their order are the same, but the node does the sorting.  Windows that the node
 * cannot evaluate byte for byte stay WindowAggs, one by one.
 *
 * Core has thrown away the chains that are dear by its costs, maybe over the very input that is cheapest for the node
 * (inputs.c).  Such a chain is built anew as core would have built it, and then treated like one that core has kept, so
 * that all rules hold for both alike.
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"

#include "compat.h"
#include "guc.h"
#include "node/error_timing/error_timing.h"
#include "node/level.h"
#include "node/plan/planning.h"
#include "node/planned_window.h"

static create_upper_paths_hook_type previous_hook;

/* ---- paths ---- */

/* Returns a copy of a path of core's over another child, with the costs that follow. */
static Path *
path_over_child(const Path *path, Path *child)
{
	Size		size = IsA(path, WindowAggPath)			? sizeof(WindowAggPath)
					   : IsA(path, IncrementalSortPath) ? sizeof(IncrementalSortPath)
														: sizeof(SortPath);
	bool		stores = IsA(path, SortPath);
	Path	   *copy = (Path *) memcpy(palloc(size), path, size);
	Path	  **subpath = IsA(path, WindowAggPath) ? &((WindowAggPath *) copy)->subpath : &((SortPath *) copy)->subpath;
	const Path *before = *subpath;

	*subpath = child;
	if (IsA(path, WindowAggPath))
		copy->pathkeys = child->pathkeys;
	copy->startup_cost += stores ? child->total_cost - before->total_cost : child->startup_cost - before->startup_cost;
	copy->total_cost += child->total_cost - before->total_cost;
	compat_disabled_nodes(copy, before, child);
	return copy;
}

/*
 * Returns what the functions of a window's path are: a list of WindowFunctionInfo.  If scan.prefixscan is off, nobody
 * has to know.
 */
static List *
functions_of(QueryLevel *level, const WindowAggPath *window_path)
{
	return guc_prefixscan == PREFIXSCAN_OFF
			   ? NIL
			   : level_functions(level, window_path->path.pathtarget->exprs, window_path->winclause->winref);
}

/*
 * Returns how many first keys of a window the rows below its sort are in order by, if core sorts them in groups and the
 * node may sort them in chunks: else 0.  A chunk is larger than core's group.  So a row that core would not read yet
 * must not fail.
 */
static int
presorted_keys(QueryLevel *level, const WindowAggPath *window_path, const Path *sort, const Path *below)
{
	if (sort == NULL || !IsA(sort, IncrementalSortPath) || guc_prefixscan == PREFIXSCAN_OFF ||
		rows_below_need_care(level, below))
		return 0;
	return window_presorted_keys(level->root, window_path->winclause, below->pathkeys);
}

/*
 * Returns the path of a window and of those below it, with the node wherever it can be; the path itself if it can be
 * nowhere.  `declined`: it can be nowhere, since reading in another order is observable (error_timing/error_timing.h).
 * `noted`: EXPLAIN may ask for the verdicts, since the path is core's own.
 */
static Path *
window_chain(QueryLevel *level, const RelOptInfo *output_rel, WindowAggPath *window_path, bool declined, bool noted)
{
	List		*functions = functions_of(level, window_path);
	WindowFault	 fault;
	Path		*sort;
	Path		*below = below_window(output_rel, window_path, &sort);
	Path		*lower = below;
	int			 presorted = presorted_keys(level, window_path, sort, below);
	bool		 sorts = sort != NULL && (IsA(sort, SortPath) || presorted > 0);
	bool		 keeps = sorts && presorted <= list_length(window_path->winclause->partitionClause);
	WindowReason verdict = window_verdict(level, window_path, functions, keeps, &fault);

	if (declined && verdict == REASON_NONE)
		verdict = reason_of_reading_ahead(level);
	if (noted)
		declined_note(window_path, verdict, fault);
	if (path_is_window(output_rel, below))
		lower = window_chain(level, output_rel, (WindowAggPath *) below, declined, noted);

	if (verdict == REASON_NONE && sorts)
		return prefix_scan_path(level, window_path, functions, lower, true, presorted);
	if (lower != below && sort != NULL)
		lower = path_over_child(sort, lower);
	else if (sort != NULL)
		lower = sort;
	if (verdict == REASON_NONE)
		return prefix_scan_path(level, window_path, functions, lower, false, 0);
	return lower == window_path->subpath ? &window_path->path : path_over_child(&window_path->path, lower);
}

/* Returns the path that core would take without us, as far as can be told at this step. */
static const Path *
choice_of_core(const PlannerInfo *root, const List *paths)
{
	const Path *best = NULL;

	foreach_ptr (Path, path, paths)
	{
		if (best == NULL || compare_fractional_path_costs(path, (Path *) best, level_fraction(root, path->rows)) < 0)
			best = path;
	}
	return best;
}

/* True if the windows of a path read rows one by one, and a user could notice that they were read earlier. */
static bool
path_is_careful(QueryLevel *level, const Path *path)
{
	const WindowAggPath *window_path = (const WindowAggPath *) path;

	return IsA(path, WindowAggPath) && read_ahead_of_rows_is_observable(level, window_path, window_path->subpath);
}

/* ---- chains that core has not kept ---- */

/* Returns the path of core below all windows of a chain; *incremental: a window has an incremental sort. */
static const Path *
input_of_chain(const RelOptInfo *output_rel, const Path *path, bool *incremental)
{
	*incremental = false;
	while (path_is_window(output_rel, path))
	{
		Path *sort;

		path = below_window(output_rel, (const WindowAggPath *) path, &sort);
		*incremental = *incremental || (sort != NULL && IsA(sort, IncrementalSortPath));
	}
	return path;
}

/* True if core has kept a chain over the input of `chain`, with incremental sorts if that has some. */
static bool
chain_is_kept(const RelOptInfo *output_rel, const Path *chain)
{
	bool		incremental;
	const Path *input = input_of_chain(output_rel, chain, &incremental);

	foreach_ptr (const Path, path, output_rel->pathlist)
	{
		bool		kept_incremental;
		const Path *kept = input_of_chain(output_rel, path, &kept_incremental);

		if (kept == input && kept_incremental == incremental)
			return true;
	}
	return false;
}

/* Returns the pathkeys of a window of a chain; `sort`: what core has put below it, or NULL. */
static List *
keys_of_chain(PlannerInfo *root, const WindowAggPath *window_path, const Path *sort, bool first)
{
	if (sort != NULL)
		return sort->pathkeys;
	return first ? root->window_pathkeys : window_pathkeys(root, window_path->winclause);
}

/*
 * Returns a chain of core's over another input: as core builds it, with a sort below a window that needs one.  The sort
 * is incremental if the node can sort in chunks there, and takes all rows if not.
 */
static Path *
chain_over(QueryLevel *level, RelOptInfo *output_rel, const WindowAggPath *window_path, Path *input)
{
	Path *sort;
	Path *below = below_window(output_rel, window_path, &sort);
	bool  first = !path_is_window(output_rel, below);
	List *keys = keys_of_chain(level->root, window_path, sort, first);
	int	  presorted;

	if (!first)
		input = chain_over(level, output_rel, (const WindowAggPath *) below, input);
	if (!pathkeys_count_contained_in(keys, input->pathkeys, &presorted))
		input = presorted > 0 && enable_incremental_sort && !rows_below_need_care(level, input)
					? (Path *) create_incremental_sort_path(level->root, output_rel, input, keys, presorted, -1)
					: (Path *) create_sort_path(level->root, output_rel, input, keys, -1);
	return path_over_child(&window_path->path, input);
}

/*
 * True if core stops reading some window of a chain that it has not sorted.  Its costs do not tell how early, and a
 * sort reads all rows.
 */
static bool
chain_stops_early(const RelOptInfo *output_rel, const Path *path)
{
	while (path_is_window(output_rel, path))
	{
		Path	   *sort;
		const Path *below = below_window(output_rel, (const WindowAggPath *) path, &sort);

		if (core_stops_reading((const WindowAggPath *) path) && (sort == NULL || !IsA(sort, SortPath)))
			return true;
		path = below;
	}
	return false;
}

/* Returns core's chains over inputs of the node's over which core has kept none. */
static List *
chains_anew(QueryLevel *level, RelOptInfo *input_rel, RelOptInfo *output_rel)
{
	PlannerInfo			*root = level->root;
	const WindowAggPath *core = NULL;
	List				*chains = NIL, *inputs;

	foreach_ptr (const Path, path, output_rel->pathlist)
	{
		if (guc_prefixscan != PREFIXSCAN_FORCE && chain_stops_early(output_rel, path))
			return NIL;
		if (core == NULL && path_is_window(output_rel, path))
			core = (const WindowAggPath *) path;
	}
	if (core == NULL)
		return NIL;
	inputs = window_inputs(root, input_rel);
	foreach_ptr (Path, input, window_presorted_inputs(root, input_rel))
		if (!rows_below_need_care(level, input))
			inputs = list_append_unique_ptr(inputs, input);
	foreach_ptr (Path, input, inputs)
	{
		Path *chain = chain_over(level, output_rel, core, input);

		if (!chain_is_kept(output_rel, chain))
			chains = lappend(chains, chain);
	}
	/* core's own paths then read in one order, and so does the node */
	if (chains != NIL && read_ahead_of_order_is_observable(root, list_concat_copy(output_rel->pathlist, chains)))
		return NIL;
	return chains;
}

/* ---- all paths ---- */

/*
 * Returns the node's paths that replace core's; adds core's to *replaced.  `careful`: core would read rows that may
 * raise an error as they are asked for.  Then only paths that do so, too, are returned: a sort reads all rows.
 */
static List *
replacement_paths(QueryLevel *level, RelOptInfo *input_rel, RelOptInfo *output_rel, bool careful, bool declined,
				  List **replaced)
{
	List *ours = NIL;

	foreach_ptr (Path, core, output_rel->pathlist)
	{
		Path *path;

		if (!IsA(core, WindowAggPath))
			continue;
		path = window_chain(level, output_rel, (WindowAggPath *) core, declined, true);
		if (path == core)
			continue;
		*replaced = lappend(*replaced, core);
		if (!careful || path_is_careful(level, core))
			ours = lappend(ours, path);
	}
	if (careful || declined || ours == NIL)
		return ours;
	foreach_ptr (Path, core, chains_anew(level, input_rel, output_rel))
	{
		Path *path = window_chain(level, output_rel, (WindowAggPath *) core, false, false);

		if (path != core)
			ours = lappend(ours, path);
	}
	return ours;
}

static void
prefix_scan_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel, RelOptInfo *output_rel,
				  void *extra)
{
	QueryLevel *level;
	List	   *ours, *replaced = NIL;
	List	   *partial = NIL;
	SkipPaths	skip;
	bool		careful, declined;

	if (previous_hook)
		previous_hook(root, stage, input_rel, output_rel, extra);
	if (stage == UPPERREL_DISTINCT)
		add_distinct_paths(root, input_rel, output_rel);
	if (stage != UPPERREL_WINDOW || output_rel->pathlist == NIL)
		return;
	plan_depends(root);
	plan_warn_of_windows(root);
	level = level_for_step(root);

	/* add_path() frees dominated paths, maybe some that have not been read yet, so nothing is added before this */
	careful = path_is_careful(level, choice_of_core(root, output_rel->pathlist));
	declined = read_ahead_of_order_is_observable(root, output_rel->pathlist);
	ours = replacement_paths(level, input_rel, output_rel, careful, declined, &replaced);
	skip = index_skip_window_paths(level, input_rel, output_rel, ours);
	if (!careful && !declined)
		partial = parallel_paths(level, input_rel, output_rel);
	if (guc_prefixscan == PREFIXSCAN_FORCE)
		output_rel->pathlist = list_difference_ptr(output_rel->pathlist, replaced);
	foreach_ptr (Path, path, ours)
		add_path(output_rel, path);
	if (partial != NIL)
		parallel_add(root, output_rel, partial);
	if (skip.whole != NULL)
		add_index_skip_path(output_rel, skip.whole);
	if (skip.partial != NULL && !careful && !declined)
		parallel_add(root, output_rel, list_make1(skip.partial));
}

void
plan_init(void)
{
	declined_init();
	explain_declined_init();
	parallel_blocker_init();
	previous_hook = create_upper_paths_hook;
	create_upper_paths_hook = prefix_scan_paths;
}
