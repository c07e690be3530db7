/*
 * planning.h: what the files that plan an IndexSkip share.
 */
#ifndef SCAN_NODE_SKIP_PLANNING_H
#define SCAN_NODE_SKIP_PLANNING_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

#include "node/skip/description.h"

/* An index scan of a table, or of one partition, that has its rows in the order of the groups. */
typedef struct IndexOrder
{
	IndexPath *path;								/* core's: all rows of the query in this order */
	int		   column[SKIP_MAX_GROUP_COLUMNS];		/* column of the index for each level */
	bool	   may_be_null[SKIP_MAX_GROUP_COLUMNS]; /* by the catalog and the query's conditions */
} IndexOrder;

/* An order of the rows that the groups need, and the index scans that have it. */
typedef struct SkipOrder
{
	List	   *pathkeys; /* one for each level, then those of the order within a group */
	List	   *clauses;  /* the SortGroupClause of each pathkey */
	int			levels;
	double		groups; /* that are expected */
	int			leaves; /* 1, or the partitions of the table */
	IndexOrder *leaf;
} SkipOrder;

/* unread_rows.c: true if a user could tell that some rows of a table were not read */
extern bool unread_rows_may_matter(PlannerInfo *root, const RelOptInfo *rel);

/*
 * index_order.c: returns how all of some tables, a relation or its partitions, can be read in an order of the groups: a
 * list of SkipOrder.  NIL, too, if a path of the node will cost too much, or if nothing is known of the number of
 * groups.
 */
extern List *skip_orders(PlannerInfo *root, const RelOptInfo *rel, const List *leaves, const SkipRequest *request);

/* cost.c: true if a path of such costs is not taken, nor would a part of it be in each of several processes */
extern bool skip_is_too_dear(PlannerInfo *root, const SkipRequest *request, double groups, Cost startup, Cost total);

/* cost.c: true if that is known of each path over some tables, since it goes down an index of each for each group */
extern bool skip_will_be_too_dear(PlannerInfo *root, const SkipRequest *request, double groups, int levels,
								  const List *leaves);

/* steps.c: returns the children of a node, a list of SkipStep; NIL if they are too many */
extern List *skip_steps(const SkipOrder *order);

/*
 * Groups for each worker at least.  A worker takes some 10 ms to start and to end, in which a process goes through
 * 5,000 groups that lie in memory.
 */
#define SKIP_GROUPS_OF_WORKER 10000

/*
 * The ranges of the first column into which several processes divide the groups.  The values of the bounds are guesses:
 * whatever they are, each group is in one range.
 */
typedef struct SkipDivision
{
	int	  workers; /* 0: the groups are not divided */
	Oid	  behind;  /* the operator that holds for a value behind a bound */
	Oid	  collation;
	List *bounds; /* Const */
} SkipDivision;

/* steps.c: adds the step that leads to a bound, if it is not among the steps */
extern List *skip_steps_to_bounds(List *steps);

/* steps.c: returns the operator that holds for values of the first column behind another one; *type: that of both */
extern Oid skip_operator_behind(const SkipOrder *order, Oid *type, Oid *collation);

/* steps.c: returns a test of an expression for NULL */
extern Expr *skip_null_test(Expr *expr, NullTestType kind);

/* steps.c: returns the index scan of a leaf for a step, with the rows and costs of the whole index */
extern Path *skip_step_path(PlannerInfo *root, const SkipOrder *order, const IndexOrder *leaf, const SkipStep *step);

/* cost.c: what the steps of a node cost */
typedef struct SkipCost
{
	double groups;	/* that are read */
	double rows;	/* that are returned, of all groups */
	Cost   startup; /* until the first row */
	Cost   total;	/* until the last row */
	Cost   descent; /* of going down to the first row of a group, in all leaves */
	Cost   group;	/* of a group: going down to its first row, and reading its wanted rows */
	Cost   row;		/* of the next row, where all rows are read in the order of the index */
} SkipCost;

extern SkipCost skip_cost(PlannerInfo *root, const SkipOrder *order, const SkipRequest *request);

/* divide.c: returns how several processes divide the groups of an order, if that is worth while */
extern SkipDivision skip_division(PlannerInfo *root, const RelOptInfo *rel, const SkipOrder *order,
								  const SkipCost *cost);

/* divide.c: returns what each process has to do */
extern SkipCost skip_cost_of_process(const SkipCost *cost, const SkipDivision *division);

/* cost.c: returns SKIP_NUMBER_READ_ON */
extern int skip_rows_of_descent(const SkipOrder *order, const SkipCost *cost);

/* cost.c: returns SKIP_NUMBER_DESCENTS of a plan that starts anew at a cost of `anew` */
extern int skip_descents_in(const SkipOrder *order, const SkipCost *cost, Cost anew);

/* CustomPath.custom_private: lists of the plan, and the SortGroupClauses of the keys */
enum
{
	SKIP_PATH_STEPS = 0,
	SKIP_PATH_NUMBERS,
	SKIP_PATH_CLAUSES,
	SKIP_PATH_BEHIND_BOUND,
	SKIP_PATH_BOUNDS,
};

/* create_plan.c */
extern const CustomPathMethods index_skip_path_methods;

#endif /* SCAN_NODE_SKIP_PLANNING_H */
