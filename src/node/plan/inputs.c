/*
 * inputs.c: the inputs over which PrefixScan is offered whatever core thinks of them.
 *
 * plan.c and parallel_paths.c ask for them.  Core builds WindowAgg over its cheapest input and over the inputs that are
 * in order.  add_path() then drops the paths that cost more by core's estimates; for example, it drops the sort of a
 * whole table if an index is in order.  The node costs less than core thinks, since it sorts faster and reads pages
 * itself (input/pages.c).  So the node is offered over each of these inputs, even if add_path() has dropped core's path
 * over it: the cheapest one, those in the order of the first window, and the plain scan of the table.  The plain scan
 * is made anew if core has dropped it.
 *
 * An input that is in order by some first keys of the first window, an index on the partition column for example, is
 * sorted a chunk at a time (input/presorted.c).  Core has its incremental sort over each such input, and drops many by
 * its estimates.  The plain scan is made anew for single tables alone.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "node/access_method.h"
#include "node/plan/planning.h"

bool
path_is_plain_scan(const Path *path)
{
	if (IsA(path, ProjectionPath))
		path = ((const ProjectionPath *) path)->subpath;
	return path->pathtype == T_SeqScan && path->param_info == NULL;
}

/*
 * True if a plain scan of a relation returns its rows and can be made anew.  An extension that has a hook there may
 * have had a reason to take core's scan away: for a table of which it keeps a part elsewhere the scan is even wrong.
 */
static bool
can_be_scanned(PlannerInfo *root, const RelOptInfo *rel)
{
	const RangeTblEntry *entry;

	if (rel->reloptkind != RELOPT_BASEREL || rel->rtekind != RTE_RELATION || others_may_change_paths() ||
		rel->lateral_relids != NULL || root->parse->hasTargetSRFs)
		return false;
	entry = planner_rt_fetch(rel->relid, root);
	return !entry->inh && entry->tablesample == NULL &&
		   (entry->relkind == RELKIND_RELATION || entry->relkind == RELKIND_MATVIEW) &&
		   has_access_method(entry->relid, HEAP_TABLE_AM_OID);
}

/*
 * Returns the plain scan of a relation: that among `paths`, or a new one, partial if they are, that returns what they
 * return; or NULL.
 */
static Path *
plain_scan(PlannerInfo *root, RelOptInfo *rel, const List *paths, bool partial)
{
	PathTarget *target = ((const Path *) linitial(paths))->pathtarget;
	Path	   *scan;
	int			workers = 0;

	foreach_ptr (Path, path, paths)
		if (path_is_plain_scan(path))
			return path;
	/* a scan returns the relation's target, which is that of its paths unless an extension has changed them */
	if (!can_be_scanned(root, rel) || !equal(rel->reltarget->exprs, target->exprs))
		return NULL;
	if (partial)
		workers = compute_parallel_worker(rel, rel->pages, -1, max_parallel_workers_per_gather);
	if (partial && workers == 0)
		return NULL;
	scan = create_seqscan_path(root, rel, NULL, workers);
	scan->pathtarget = target;
	return scan;
}

List *
window_inputs(PlannerInfo *root, RelOptInfo *input_rel)
{
	Path *cheapest = input_rel->cheapest_total_path;
	Path *scan;
	List *inputs;

	if (cheapest == NULL || cheapest->param_info != NULL)
		return NIL;
	inputs = list_make1(cheapest);
	scan = plain_scan(root, input_rel, input_rel->pathlist, false);
	if (scan != NULL)
		inputs = list_append_unique_ptr(inputs, scan);
	/* those of the window that is computed first */
	if (root->window_pathkeys == NIL)
		return inputs;
	foreach_ptr (Path, path, input_rel->pathlist)
	{
		if (path->param_info == NULL && pathkeys_contained_in(root->window_pathkeys, path->pathkeys))
			inputs = list_append_unique_ptr(inputs, path);
	}
	return inputs;
}

int
window_presorted_keys(PlannerInfo *root, const WindowClause *window, const List *pathkeys)
{
	List *clauses = list_concat_copy(window->partitionClause, window->orderClause);
	int	  n = 0;

	while (n < list_length(clauses) &&
		   pathkeys_contained_in(
			   make_pathkeys_for_sortclauses(root, list_truncate(list_copy(clauses), n + 1), root->processed_tlist),
			   unconstify(List *, pathkeys)))
		n++;
	return n;
}

bool
window_forgets_grouping_nulls(PlannerInfo *root, const WindowClause *window)
{
	List *clauses = list_concat_copy(window->partitionClause, window->orderClause);

	return COMPAT_FORGETS_GROUPING_NULLS && root->parse->groupingSets != NIL &&
		   list_length(make_pathkeys_for_sortclauses(root, clauses, root->processed_tlist)) < list_length(clauses);
}

List *
window_presorted_inputs(PlannerInfo *root, RelOptInfo *input_rel)
{
	List *inputs = NIL;

	if (!enable_incremental_sort || root->window_pathkeys == NIL)
		return NIL;
	foreach_ptr (Path, path, input_rel->pathlist)
	{
		int presorted;

		if (path->param_info == NULL &&
			!pathkeys_count_contained_in(root->window_pathkeys, path->pathkeys, &presorted) && presorted > 0)
			inputs = lappend(inputs, path);
	}
	return inputs;
}

List *
window_partial_inputs(PlannerInfo *root, RelOptInfo *input_rel)
{
	Path *cheapest = (Path *) linitial(input_rel->partial_pathlist);
	Path *scan = plain_scan(root, input_rel, input_rel->partial_pathlist, true);

	return scan == NULL || scan == cheapest ? list_make1(cheapest) : list_make2(cheapest, scan);
}
