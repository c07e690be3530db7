/*
 * internal.h: what the files of skip/ share: those that plan an IndexSkip and those that run it.
 */
#ifndef SCAN_NODE_SKIP_INTERNAL_H
#define SCAN_NODE_SKIP_INTERNAL_H

#include "postgres.h"

#include "access/parallel.h"
#include "commands/explain.h"
#include "compat.h"
#include "fmgr.h"
#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#include "node/planned_node.h"
#include "node/row_counter.h"
#include "node/skip/skip.h"

/* ---- the description of an IndexSkip: create_plan.c writes it into the plan, and exec.c reads it ---- */

/*
 * The columns of the groups are numbered in the order of the index, from 0.  `Levels' are these numbers: the rows of
 * the index that have the group's values in the columns before a level lie side by side.
 *
 * Several processes divide the groups into ranges of the first column.  Range i begins behind bound i - 1, and its last
 * value is bound i.  The first range has no beginning, and the last one no end.
 */

/* What a child of the node reads, if the groups' columns of the last row are c[0], c[1], ... */
typedef enum SkipStepKind
{
	SKIP_ALL = 0,	 /* all rows: child 0 */
	SKIP_BEHIND_ROW, /* rows behind the values of all columns, none of which may be NULL */
	SKIP_BEHIND,	 /* equal before the level, behind the level's value, which is not NULL */
	SKIP_TO_NULLS,	 /* equal before the level, NULL there, where NULLs come last: behind a value that is not NULL */
	SKIP_FROM_NULLS, /* equal before the level, not NULL there, where NULLs come first: behind a NULL */
} SkipStepKind;

/* A child of the node.  Columns before the level are compared by = or IS NULL, so it matters which of them are NULL. */
typedef struct SkipStep
{
	SkipStepKind kind;
	int			 level;
	uint32		 nulls; /* bit i: column i, which is before the level, is NULL */
} SkipStep;

/* Columns of groups at most: a step has a bit for each of those before its level. */
#define SKIP_MAX_GROUP_COLUMNS 16

/* Children at most.  Each column that may be NULL doubles those of the levels behind it. */
#define SKIP_MAX_STEPS 24

/*
 * In the children's conditions, the value of column i is an external parameter of this number plus i, until the node
 * starts: core's planner refuses executor parameters that no core node sets.
 */
#define SKIP_VALUE_PARAMETER 1000000000

/*
 * CustomScan.custom_private: further lists of ints or OIDs (planned_node.h), in this order.  custom_exprs has the
 * bounds of the ranges, Consts: values of the first column, in the order of the index, each behind the one before.
 */
enum
{
	/* columns of the children: the groups', in the order of the index, then those of the order */
	SKIP_KEYS = PLANNED_OTHERS,
	SKIP_EQUALS,	   /* their equality operators */
	SKIP_COLLATIONS,   /* and collations */
	SKIP_PARAMETERS,   /* executor parameter for each column of the groups */
	SKIP_STEPS,		   /* kind, level and nulls of each child */
	SKIP_BEHIND_BOUND, /* the operator that holds for a value behind a bound, and its collation; NIL: no ranges */
};

/* The numbers of PLANNED_NUMBERS. */
typedef enum SkipNumber
{
	SKIP_NUMBER_LIMIT = 0,	 /* TopRows.limit */
	SKIP_NUMBER_UNIT,		 /* TopRows.unit */
	SKIP_NUMBER_LEVELS,		 /* columns of the groups */
	SKIP_NUMBER_ALONE,		 /* SkipRequest.alone, and no child asks for the functions */
	SKIP_NUMBER_READ_ON,	 /* rows that are read in the time of a descent */
	SKIP_NUMBER_DESCENTS,	 /* so many cost half of the plan that starts anew; 0: there is no such child */
	SKIP_NUMBER_NULLS_FIRST, /* NULLs of the first column come first */
} SkipNumber;

/* The methods of a plan's node; exec.c sets CreateCustomScanState. */
extern CustomScanMethods index_skip_methods;

/* ---- planning: what the files that plan an IndexSkip share ---- */

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

/* ---- running: the state of a running IndexSkip, which exec.c keeps and explain.c prints ---- */

/* A column of the children, with its value in the last row that began a group, or peers if ranks are counted. */
typedef struct SkipKey
{
	AttrNumber attno;
	bool	   by_value;
	int16	   length;
	Oid		   collation;
	FmgrInfo   equal;
	int		   parameter; /* executor parameter that has the value in the children's conditions; -1: none */

	bool  isnull;
	Datum value; /* in IndexSkipState.values */
} SkipKey;

/* The state that all processes share, in the query's DSM. */
typedef struct SkipShared SkipShared;

/* The ranges of the groups (SKIP_BEHIND_BOUND) that a process reads. */
typedef struct SkipRanges
{
	int			n;		/* 0: the plan has no ranges */
	Datum	   *bound;	/* n - 1 */
	FmgrInfo	behind; /* true if its first argument is behind the second one, in the order of the index */
	Oid			collation;
	bool		nulls_first;
	SkipShared *shared; /* NULL: this process reads all rows */

	int at; /* the range that is read */

	/* once the node has started anew */
	int rest;	/* this process reads the ranges from this one on, too */
	int of_row; /* the range of the last row */
} SkipRanges;

/* Where a process goes on. */
typedef enum SkipRangeStep
{
	SKIP_RANGE_HERE = 0,  /* at this row */
	SKIP_RANGE_ELSEWHERE, /* at another row */
	SKIP_RANGES_END		  /* nowhere: there is no range left */
} SkipRangeStep;

/* For EXPLAIN ANALYZE. */
typedef enum SkipCount
{
	SKIP_DESCENTS = 0, /* children taken up, but for child 0 */
	SKIP_LEFT_OUT,	   /* rows read that were not wanted */
	SKIP_STARTED_ANEW,
	SKIP_COUNTS
} SkipCount;

typedef struct IndexSkipState
{
	CustomScanState css; /* must be first */
	TopRows			top;
	int				levels; /* columns of the groups */
	int				keys;	/* with the columns of the order, if ranks are counted */
	SkipKey		   *key;
	int				children; /* that read an index */
	PlanState	  **child;
	SkipStep	   *step;		 /* of each child */
	PlanState	   *child_anew;	 /* starts anew; NULL: there is none */
	MemoryContext	values;		 /* the keys' */
	MemoryContext	parameters;	 /* those of the child that is read */
	MemoryContext	comparisons; /* reset after each */

	int		   at;			/* the child that has the next row */
	bool	   in_group;	/* the keys have values */
	bool	   leave_group; /* no more rows of the group are wanted */
	bool	   at_end;
	int64	   groups; /* so far */
	RowCounter count;  /* of the group so far */

	/* whether the node reads on to the next group, where groups have few rows, or goes down the index */
	int	  read_on;		/* rows that are read in the time of a descent */
	int	  to_read;		/* rows of the group that are still read before the node goes down */
	bool  reads_on;		/* the group before had few rows */
	int64 next_try;		/* else: the group whose rows the node reads on, to see how many there are */
	int64 groups_apart; /* from that group to the next one to be tried */

	SkipRanges ranges;
	bool	   in_range; /* a range has been taken; or there are none */
	int		   to_bound; /* the child that reads the rows behind a bound */

	/* when the node starts anew */
	int64 most_descents; /* 0: never */
	int64 scan_descents; /* since the node's last rescan */
	int64 scan_rows;	 /* rows that were not wanted, since then */
	bool  anew;			 /* child_anew is read */
	int64 groups_before; /* groups of ranges before the one that is read */
	int64 groups_done;	 /* groups of this range that were returned before child_anew began */

	int64 count_of[SKIP_COUNTS];
} IndexSkipState;

/* children.c: starts the children */
extern void index_skip_begin_children(IndexSkipState *state, const CustomScan *scan, EState *estate, int eflags);

/* ranges.c: reads the ranges of a plan */
extern void skip_ranges_begin(SkipRanges *ranges, const CustomScan *scan);

/* ranges.c: takes the first range: HERE if it begins with the first row of all */
extern SkipRangeStep skip_ranges_first(SkipRanges *ranges);

/*
 * ranges.c: takes a row by its value of the first column, and the next range if the row is behind the one that is read.
 * ELSEWHERE: ranges->at begins behind the row.
 */
extern SkipRangeStep skip_ranges_step(SkipRanges *ranges, Datum value, bool isnull);

/* ranges.c: takes all ranges that are left, since the node starts anew */
extern void skip_ranges_anew(SkipRanges *ranges);

/* ranges.c: takes a row of core's plan; ELSEWHERE: the row is another process's */
extern SkipRangeStep skip_ranges_step_anew(SkipRanges *ranges, Datum value, bool isnull);

/* ranges.c: the methods for shared memory */
extern Size index_skip_estimate_shared(CustomScanState *node, ParallelContext *context);
extern void index_skip_create_shared(CustomScanState *node, ParallelContext *context, void *memory);
extern void index_skip_reset_shared(CustomScanState *node, ParallelContext *context, void *memory);
extern void index_skip_join_shared(CustomScanState *node, shm_toc *toc, void *memory);
extern void index_skip_leave_shared(CustomScanState *node);

/* explain.c: the ExplainCustomScan method */
extern void index_skip_explain(CustomScanState *node, List *ancestors, ExplainState *es);

#endif /* SCAN_NODE_SKIP_INTERNAL_H */
