/*
 * distinct.c: offers our nodes for DISTINCT and DISTINCT ON.
 *
 * plan.c calls it when core has built its paths of the step: a sort, or an index, with Unique, or for DISTINCT a hash
 * table.  DISTINCT ON (p) ... ORDER BY p, t keeps the first row of each p, and so do we: IndexSkip, where an index has
 * the order, or a PrefixScan that has no functions and keeps the first row of each partition before it sorts.  Which of
 * several rows that tie is kept is as open as it is in core.  For DISTINCT without ON we offer IndexSkip alone: a hash
 * table of the groups is hard to beat otherwise.
 *
 * The node runs a window, so the step is described as a window without functions: PARTITION BY the DISTINCT columns,
 * ORDER BY the others.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/tlist.h"

#include "compat.h"
#include "guc.h"
#include "node/error_timing/error_timing.h"
#include "node/plan/planning.h"
#include "node/skip/skip.h"

/* Returns the step as a window, or NULL if its columns cannot be sorted. */
static WindowClause *
window_of_distinct(const Query *query)
{
	WindowClause *window = makeNode(WindowClause);

	window->frameOptions = FRAMEOPTION_DEFAULTS;
	window->partitionClause = query->distinctClause;
	if (!grouping_is_sortable(window->partitionClause))
		return NULL;
	if (!query->hasDistinctOn)
		return window;
	foreach_node (SortGroupClause, clause, query->sortClause)
	{
		if (get_sortgroupref_clause_noerr(clause->tleSortGroupRef, query->distinctClause) == NULL)
			window->orderClause = lappend(window->orderClause, clause);
	}
	return window;
}

/* Returns the step as core would plan a window over `input`. */
static WindowAggPath *
window_path_over(RelOptInfo *output_rel, WindowClause *window, Path *input)
{
	WindowAggPath *path = (WindowAggPath *) palloc(sizeof(WindowAggPath));

	*path = (WindowAggPath){.path = {.type = T_WindowAggPath,
									 .pathtype = T_WindowAgg,
									 .parent = output_rel,
									 .pathtarget = input->pathtarget,
									 .parallel_safe = output_rel->consider_parallel && input->parallel_safe},
							.subpath = input,
							.winclause = window,
							.topwindow = true};
	return path;
}

/*
 * True if core may return the first row before it has computed all rows, some of which may raise an error or have a
 * side effect.
 */
static bool
distinct_is_careful(QueryLevel *level, const RelOptInfo *output_rel)
{
	foreach_ptr (const Path, path, output_rel->pathlist)
	{
		const Path *below = compat_unique_input(path);

		if (below != NULL && rows_below_need_care(level, below))
			return true;
	}
	return false;
}

/* Adds the path in several processes, each of which has all rows of its groups. */
static void
add_parallel_path(QueryLevel *level, RelOptInfo *input_rel, RelOptInfo *output_rel, WindowClause *window)
{
	ParallelSubject subject = {window, NIL, NIL, NIL};
	bool			range_partitioned;
	Path		   *input, *path;

	if (!guc_parallel || parallel_blocker_of_rows(level, input_rel) != REASON_NONE)
		return;
	input = (Path *) linitial(input_rel->partial_pathlist);
	subject.exprs = input->pathtarget->exprs;
	if (parallel_blocker_of_window(level, &subject, input, &range_partitioned) != REASON_NONE || range_partitioned)
		return;
	path = prefix_scan_path(level, window_path_over(output_rel, window, input), NIL, input, true, 0);
	prefix_scan_add_repartition(level->root, (PrefixScanPath *) path, input);
	path->pathkeys = NIL;
	path->parallel_safe = path->parallel_aware = true;
	path->parallel_workers = input->parallel_workers;
	parallel_add(level->root, output_rel, list_make1(path));
}

/*
 * Adds the paths that sort.  Where the query stops after some groups, core compares a path that sorts with one that
 * starts early by the number of groups, so the number must not be a guess.
 */
static void
add_sorting_paths(QueryLevel *level, RelOptInfo *input_rel, RelOptInfo *output_rel, WindowClause *window)
{
	PlannerInfo *root = level->root;
	Path		*input = input_rel->cheapest_total_path;
	bool		 guessed;

	(void) level_groups(root, window->partitionClause, input->rows, &guessed);
	if (distinct_is_careful(level, output_rel) ||
		(guessed && root->tuple_fraction > 0 && guc_prefixscan != PREFIXSCAN_FORCE))
		return;
	if (guc_prefixscan == PREFIXSCAN_FORCE)
		output_rel->pathlist = NIL;
	add_path(output_rel, prefix_scan_path(level, window_path_over(output_rel, window, input), NIL, input, true, 0));
	add_parallel_path(level, input_rel, output_rel, window);
}

/* Returns the size of a path of a kind that is at the top of the step; 0 for another kind. */
static Size
size_of_path(const Path *path)
{
	switch (nodeTag(path))
	{
		case T_AggPath:
			return sizeof(AggPath);
		case T_GatherPath:
			return sizeof(GatherPath);
		case T_GatherMergePath:
			return sizeof(GatherMergePath);
		case T_CustomPath:
			return ((const CustomPath *) path)->methods == &prefix_scan_path_methods ? sizeof(PrefixScanPath) : 0;
		default:
			return 0;
	}
}

/*
 * Returns what an index skip starts anew if it has to: the cheapest path of the step so far, or the rows below its
 * Unique, since the node finds the first row of each group itself.  The path is copied, as add_path() may free it.
 */
static Path *
distinct_path_anew(const RelOptInfo *input_rel, const RelOptInfo *output_rel)
{
	const Path *cheapest = (const Path *) linitial(output_rel->pathlist);
	const Path *below = compat_unique_input(cheapest);
	Size		size = size_of_path(cheapest);

	if (below != NULL)
		return unconstify(Path *, below);
	return size == 0 ? input_rel->cheapest_total_path : (Path *) memcpy(palloc(size), cheapest, size);
}

void
add_distinct_paths(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel)
{
	const Query	 *query = root->parse;
	WindowClause *window;
	SkipRequest	  request;
	QueryLevel	 *level;
	SkipPaths	  skip;

	if (guc_prefixscan == PREFIXSCAN_OFF || output_rel->pathlist == NIL ||
		(planning_is_nested() && citus_takes_nodes_for_its_own()))
		return;
	window = window_of_distinct(query);
	if (window == NULL || window_forgets_grouping_nulls(root, window))
		return;
	request = (SkipRequest){.clauses = list_concat_copy(window->partitionClause, window->orderClause),
							.groups = list_length(window->partitionClause),
							.alone = true,
							.top = {.limit = 1, .unit = TOP_ROWS},
							.other = ((const Path *) linitial(output_rel->pathlist))->total_cost};
	level = level_for_step(root);
	if (query->hasDistinctOn)
		add_sorting_paths(level, input_rel, output_rel, window);
	request.rivals = output_rel->pathlist;
	request.anew = distinct_path_anew(input_rel, output_rel);
	skip = index_skip_paths(root, input_rel, output_rel, &request);
	if (skip.whole != NULL)
		add_index_skip_path(output_rel, skip.whole);
	if (skip.partial != NULL && parallel_blocker_of_rows(level, input_rel) == REASON_NONE)
		parallel_add(root, output_rel, list_make1(skip.partial));
}
