/*
 * whole_partitions.c: tells which partitions each process of a parallel plan has whole.
 *
 * parallel_paths.c asks it about the input of a query level's first window.  The input may be a subquery whose windows
 * were repartitioned, as in a query of sessions: lag() in the subquery, and sum() over the same partitions above it.
 * Then the rows already lie as the window above needs them, and are not repartitioned and sorted again.  Conditions
 * between the two levels leave out rows, which changes neither partitions nor their order.
 */
#include "postgres.h"

#include "optimizer/paths.h"
#include "optimizer/tlist.h"

#include "node/plan/planning.h"
#include "node/planned_node.h"

/*
 * Returns pathkeys of a subquery as pathkeys of the query above: as many as can be told there, from the first one on.
 * The query above must have its own pathkeys of the columns by now, else core finds none.
 */
static List *
pathkeys_above(PlannerInfo *root, const SubqueryScanPath *scan, List *pathkeys)
{
	return convert_subquery_pathkeys(root, scan->path.parent, pathkeys,
									 make_tlist_from_pathtarget(scan->subpath->pathtarget));
}

static WholePartitions
partitions_of_subquery(PlannerInfo *root, const SubqueryScanPath *scan)
{
	WholePartitions below = whole_partitions(scan->path.parent->subroot, scan->subpath);
	WholePartitions above;

	if (below.by == NIL)
		return below;
	above = (WholePartitions){pathkeys_above(root, scan, below.by), pathkeys_above(root, scan, below.order)};
	/* a key that cannot be told is one more by which rows of a partition were spread */
	return list_length(above.by) == list_length(below.by) ? above : (WholePartitions){NIL, NIL};
}

/* True if a path is a WindowReduce that only leaves out rows of a subquery. */
static bool
path_leaves_out_rows(const Path *path)
{
	return path->parent->reloptkind == RELOPT_BASEREL &&
		   strcmp(((const CustomPath *) path)->methods->CustomName, WINDOW_REDUCE_NAME) == 0;
}

WholePartitions
whole_partitions(PlannerInfo *root, const Path *path)
{
	if (IsA(path, ProjectionPath))
		return whole_partitions(root, ((const ProjectionPath *) path)->subpath);
	if (IsA(path, SubqueryScanPath))
		return partitions_of_subquery(root, (const SubqueryScanPath *) path);
	if (IsA(path, CustomPath) && ((const CustomPath *) path)->methods == &prefix_scan_path_methods)
		return ((const PrefixScanPath *) path)->whole;
	if (IsA(path, CustomPath) && path_leaves_out_rows(path))
		return whole_partitions(root, (const Path *) linitial(((const CustomPath *) path)->custom_paths));
	return (WholePartitions){NIL, NIL};
}
