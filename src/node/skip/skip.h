/*
 * skip.h: IndexSkip, the plan node that returns the first rows of each group in an index's order.
 *
 * The node reads rows in the order of an index whose first columns are those of the groups.  Once a group has had its
 * rows, the node goes down the index again to the first row behind the group, instead of reading the rest of it.  How
 * it gets there is up to its children, which are core's own index scans: child 0 has the conditions of the query alone
 * and is read first; each other child has a condition on the groups' columns beside them, with parameters that the node
 * sets to the values of the group that it leaves.  So visibility, filters, locks and predicate locks are core's, and
 * EXPLAIN shows them.
 *
 * The number of groups is an estimate, and statistics may be old.  So the node compares what it does with what it was
 * expected to.  Where groups prove to have few rows, it reads on to the next group instead of going down the index.
 * Once its descents have taken half of the cost of core's plan, the node leaves the index: its last child runs core's
 * plan from the first row on, and the node drops the groups that it has returned.  So the node never takes much more
 * than twice the time of core's plan.  If core's plan would read the same index, there is no such child.
 *
 * Where there are many groups, several processes divide them: statistics of the first column tell values that cut the
 * index into ranges.  A process takes one range after the other, in their order, and goes down the index to the first
 * row of each.  So each process has whole groups, in the order of the index.
 *
 * node/plan asks for paths (index_skip.c, which uses index_order.c, steps.c, cost.c and divide.c); core has one made a
 * plan (create_plan.c), and runs it (exec.c, with children.c, ranges.c and explain.c).
 *
 * Rejected: one child whose scan keys the node changes as it runs.  The node would have to know what the executor of
 * each version of PostgreSQL does with them, and EXPLAIN would show none of it.
 */
#ifndef SCAN_NODE_SKIP_SKIP_H
#define SCAN_NODE_SKIP_SKIP_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

#include "node/planned_window.h"

#define INDEX_SKIP_NAME "IndexSkip"

/* What a query wants of the rows of a relation. */
typedef struct SkipRequest
{
	List   *clauses; /* SortGroupClause: the groups' columns, then the order within a group */
	int		groups;	 /* how many of them are the groups' */
	TopRows top;	 /* which rows of each group are wanted */
	Path   *anew;	 /* a path of all rows, or of the first row of each group, whose target is that of the relation */
	Cost	other;	 /* what core's plan costs */
	List   *rivals;	 /* the paths of the step so far */
	Cost dearest; /* a path that costs more for the rows that are asked for is not taken; index_skip_paths() sets it */
	bool alone;	  /* the node is the whole step, DISTINCT: no node above compares the groups' columns */
} SkipRequest;

/* The paths of the node for a request. */
typedef struct SkipPaths
{
	Path *whole;   /* NULL: there is none */
	Path *partial; /* several processes divide the groups; NULL: that is not worth while */
} SkipPaths;

/*
 * Returns the cheapest path of the node over `input_rel`, a table or a partitioned table; none if nothing is known of
 * the number of groups.  `output_rel` is the relation that the path will belong to.  The path has input_rel's target,
 * and the order of the index as its pathkeys, in each process.
 */
extern SkipPaths index_skip_paths(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel,
								  SkipRequest *request);

/* True for a path of the node. */
extern bool path_is_index_skip(const Path *path);

/* Has the executor know the node by its name. */
extern void index_skip_init(void);

#endif /* SCAN_NODE_SKIP_SKIP_H */
