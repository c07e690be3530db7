/*
 * cost.c: estimates what an IndexSkip costs, in the planner's units.
 *
 * index_skip.c asks, to choose among indexes; then core compares the path with the others.  For each group the node
 * goes down the index, as core charges it, and reads the rows up to the last one that is wanted: more if a filter lets
 * few of them pass.  Pages are charged as core charges them for the inner side of a nested loop: those that come again
 * may still be in the cache.  The rows of all groups together are read once at the most, so reading never costs more
 * than core's path of the whole index.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"

#include "node/skip/planning.h"

/* What core charges for a page of an index while it goes down to a leaf, in cpu_operator_cost:
 * DEFAULT_PAGE_CPU_MULTIPLIER. */
#define DESCENT_PAGE 50

/* Returns the cost of going down an index once, without its pages. */
static Cost
descent_cost(const IndexOptInfo *index)
{
	double tuples = Max(index->tuples, 1);

	return (ceil(log(tuples + 1) / 0.693147180559945) + (Max(index->tree_height, 0) + 1) * DESCENT_PAGE) *
		   cpu_operator_cost;
}

/* Returns the cost of reading `rows` rows of a leaf, in `groups` places of the index. */
static Cost
reading_cost(PlannerInfo *root, const IndexOrder *leaf, double groups, double rows)
{
	const IndexPath	   *path = leaf->path;
	const IndexOptInfo *index = path->indexinfo;
	const RelOptInfo   *table = index->rel;
	double				leaves = index_pages_fetched(groups, index->pages, index->pages, root);
	double				pages = table->pages == 0 ? 0 : index_pages_fetched(rows, table->pages, index->pages, root);
	double				random_page, sequential_page;
	QualCost			filters = table->baserestrictcost;

	get_tablespace_page_costs(table->reltablespace, &random_page, &sequential_page);
	if (path->path.pathtype == T_IndexOnlyScan)
		pages *= 1 - table->allvisfrac;
	return (leaves + pages) * random_page + filters.startup +
		   rows * (cpu_index_tuple_cost + cpu_tuple_cost + filters.per_tuple + path->path.pathtarget->cost.per_tuple);
}

SkipCost
skip_cost(PlannerInfo *root, const SkipOrder *order, const SkipRequest *request)
{
	List  *columns = get_sortgrouplist_exprs(list_copy_head(request->clauses, request->groups), root->processed_tlist);
	double read = 0, passed = 0;
	SkipCost cost = {0};

	for (int i = 0; i < order->leaves; i++)
	{
		const IndexPath *path = order->leaf[i].path;

		read += clamp_row_est(path->indexselectivity * path->indexinfo->rel->tuples);
		passed += path->path.rows;
		cost.descent += descent_cost(path->indexinfo);
	}
	read = Max(read, 1);
	passed = Min(Max(passed, 1), read);
	cost.groups = clamp_row_est(estimate_num_groups(root, columns, read, NULL, NULL));
	cost.rows = clamp_row_est(Min(passed, cost.groups * request->top.limit));
	for (int i = 0; i < order->leaves; i++)
	{
		const Path *path = &order->leaf[i].path->path;
		double		share = Max(path->rows, 1) / passed;
		/* a rank ends with the first row of the next count */
		double wanted = cost.groups * (request->top.limit + (request->top.unit == TOP_ROWS ? 0 : 1)) * read / passed;

		cost.startup = Max(cost.startup, path->startup_cost);
		cost.total += Min(reading_cost(root, &order->leaf[i], cost.groups, clamp_row_est(Min(wanted, read) * share)),
						  path->total_cost - path->startup_cost);
	}
	cost.startup += cost.descent;
	/* a group may take a step for each level */
	cost.total += cost.startup + cost.groups * cost.descent + cost.rows * cpu_tuple_cost;
	return cost;
}
