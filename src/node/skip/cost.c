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

#include <float.h>
#include <math.h>

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/spccache.h"

#include "compat.h"
#include "node/level.h"
#include "node/skip/internal.h"

/* What core charges for a page of an index while it goes down to a leaf, in cpu_operator_cost:
 * DEFAULT_PAGE_CPU_MULTIPLIER. */
#define DESCENT_PAGE 50

/*
 * What going down an index takes where all pages are in memory, in cpu_operator_cost: 9 us.  Core's sort takes 0.7 us
 * for a row, and core's index scan 0.2 to 1 us: it is charged less for a row than for what a sort takes in that time.
 */
#define DESCENT_BESIDE_SORT 600
#define DESCENT_BESIDE_SCAN 240

/*
 * What planning and starting a scan of a partition takes, in cpu_operator_cost: 18 us, where a unit of core's costs
 * takes 3 to 4 us.  Core charges nothing for it, but each child of the node has a scan of each partition.  Over 1,000
 * partitions, the first of 50 groups took 98 ms instead of 41 before this was charged.
 */
#define SCAN_OF_PARTITION 2000

/*
 * Returns the cost of all scans that core's plans do not have.  For each level there is a child that goes to the next
 * group, and there is one that starts anew; where columns may be NULL there are more.
 */
static Cost
children_cost(int levels, int leaves)
{
	return (double) (levels + 1) * (leaves - 1) * SCAN_OF_PARTITION * cpu_operator_cost;
}

/* Returns the cost of going down an index once, without its pages. */
static Cost
descent_cost(const IndexOptInfo *index)
{
	return (ceil(log(Max(index->tuples, 1) + 1) / 0.693147180559945) +
			(Max(index->tree_height, 0) + 1) * DESCENT_PAGE) *
		   cpu_operator_cost;
}

/* Returns what going down an index costs at least, with its pages. */
static Cost
least_cost_of_index(PlannerInfo *root, const IndexOptInfo *index, double groups, double random_page)
{
	double pages = index_pages_fetched(groups, index->pages, index->pages, root);

	return (1 + groups) * descent_cost(index) +
		   Min(pages, index->pages * index->rel->rows / Max(index->rel->tuples, 1)) * random_page;
}

/* Returns the rows that an index scan of a leaf reads. */
static double
rows_of_leaf(const IndexOrder *leaf)
{
	return clamp_row_est(leaf->path->indexselectivity * leaf->path->indexinfo->rel->tuples);
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

bool
skip_is_too_dear(PlannerInfo *root, const SkipRequest *request, double groups, Cost startup, Cost total)
{
	return startup + level_fraction(root, groups * request->top.limit) * (total - startup) >
		   request->dearest *
			   level_processes((int) Min((double) max_parallel_workers_per_gather, groups / SKIP_GROUPS_OF_WORKER));
}

/*
 * Of what skip_cost() charges, this leaves out the rows and their pages.  An index is read from one end to the other at
 * the most, as far as it has rows of the query.
 */
bool
skip_will_be_too_dear(PlannerInfo *root, const SkipRequest *request, double groups, int levels, const List *leaves)
{
	Cost startup = children_cost(levels, list_length(leaves)), total = startup;

	foreach_ptr (const RelOptInfo, table, leaves)
	{
		double least = DBL_MAX, random_page;

		get_tablespace_page_costs(table->reltablespace, &random_page, NULL);
		foreach_node (IndexOptInfo, index, table->indexlist)
			least = Min(least, least_cost_of_index(root, index, groups, random_page));
		total += least;
	}
	return skip_is_too_dear(root, request, groups, startup, total);
}

SkipCost
skip_cost(PlannerInfo *root, const SkipOrder *order, const SkipRequest *request)
{
	double	 read = 0, passed = 0;
	SkipCost cost = {0};
	Cost	 whole = 0;

	for (int i = 0; i < order->leaves; i++)
	{
		const IndexPath *path = order->leaf[i].path;

		read += rows_of_leaf(&order->leaf[i]);
		passed += path->path.rows;
		whole += path->path.total_cost - path->path.startup_cost;
		cost.descent += descent_cost(path->indexinfo);
	}
	read = Max(read, 1);
	passed = Min(Max(passed, 1), read);
	cost.groups = order->groups;
	cost.rows = level_top_rows(root, list_copy_tail(request->clauses, request->groups), cost.groups, passed,
							   request->top);
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
	/* a group may take a step for each level */
	cost.group = cost.total / cost.groups + cost.descent;
	cost.row = whole / passed;
	cost.startup += cost.descent + children_cost(order->levels, order->leaves);
	cost.total += cost.startup + cost.groups * cost.descent + cost.rows * cpu_tuple_cost;
	return cost;
}

int
skip_rows_of_descent(const SkipOrder *order, const SkipCost *cost)
{
	Cost   descent = Min(cost->group, (double) DESCENT_BESIDE_SCAN * cpu_operator_cost * order->leaves);
	double rows = descent / Max(cost->row, 1e-9);

	return (int) Max(Min(rows, (double) PG_INT32_MAX), 1);
}

/*
 * Half of the cost is spent on descents, since the rows of the plan that starts anew may have to be sorted once more.
 * If there are as many groups as expected, or twice as many, the node does not start anew.
 */
int
skip_descents_in(const SkipOrder *order, const SkipCost *cost, Cost anew)
{
	double descents = anew / 2 / Max(cost->group, (double) DESCENT_BESIDE_SORT * cpu_operator_cost * order->leaves);

	return (int) Min(Max(descents, 2 * cost->groups), (double) PG_INT32_MAX);
}
