/*
 * planned_node.h: what the plans of our nodes have in common, and how any of them begins.
 *
 * A plan is a CustomScan that says in lists what its node has to do: here, in planned_window.h and in skip/internal.h.
 * The files that make the plan write the lists; the files that run the node, and those that look at a plan, read them.
 */
#ifndef SCAN_NODE_PLANNED_NODE_H
#define SCAN_NODE_PLANNED_NODE_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/plannodes.h"

#define PREFIX_SCAN_NAME "PrefixScan"
#define WINDOW_REDUCE_NAME "WindowReduce"

/*
 * CustomScan.custom_private: a list of lists, which begins with these.  PLANNED_BUILD is checked before the other lists
 * are read: a parallel worker may have another build of the library (library.h).
 */
enum
{
	PLANNED_BUILD = 0, /* scan_build: its upper, then its lower 32 bits */
	PLANNED_NUMBERS,   /* ints */
	PLANNED_OTHERS,	   /* the lists of one node alone */
};

/* The methods that a node of a plan is known by.  init.c sets CreateCustomScanState. */
extern CustomScanMethods prefix_scan_methods;
extern CustomScanMethods window_reduce_methods;

/* Returns a node of a plan if it is the one that has these methods; else NULL. */
static inline const CustomScan *
planned_node(const Plan *plan, const CustomScanMethods *methods)
{
	return IsA(plan, CustomScan) && ((const CustomScan *) plan)->methods == methods ? (const CustomScan *) plan : NULL;
}

/* Returns a list of custom_private. */
static inline List *
planned_list(const CustomScan *scan, int which)
{
	return (List *) list_nth(scan->custom_private, which);
}

/* Returns one of the numbers. */
static inline int
planned_number(const CustomScan *scan, int which)
{
	return list_nth_int(planned_list(scan, PLANNED_NUMBERS), which);
}

/* Returns copies of expressions as the columns of a node's own row: a custom_scan_tlist. */
extern List *planned_row(const List *exprs);

/*
 * Makes the state of a node that is about to run: a struct of `size` bytes, which begins with a CustomScanState. Raises
 * an error if another build of the library has made the plan.
 */
extern Node *planned_state(const CustomScan *scan, Size size, const CustomExecMethods *methods);

/* ---- the description of a planned WindowReduce (node/reduce/) ---- */

/*
 * reduce/create_plan.c writes it into a CustomScan; reduce/ reads it from there when the plan starts, and
 * error_timing/early_stop.c when it looks for what a node asks of its child.
 */

/*
 * CustomScan.custom_private: further lists, in this order.  custom_scan_tlist has the columns of the subquery,
 * then an Aggref for each aggregate and then, if there is a list of sources, the child's columns: the inputs.
 * custom_exprs has the conditions, each aggregate's arguments and its FILTER, if any, and then the expressions of the
 * computed columns, over the inputs.  All are expressions over the node's own row.
 */
enum
{
	REDUCE_KEY_COLUMNS = PLANNED_OTHERS, /* columns of the subquery: those of GROUP BY */
	REDUCE_KEYS,						 /* their SortGroupClauses */
	/*
	 * for each column of the subquery: the column of the child that it is, or minus the number of its expression, from
	 * 1 on; empty: the child's columns are the subquery's
	 */
	REDUCE_SOURCES,
};

/* The numbers of PLANNED_NUMBERS. */
typedef enum ReduceNumber
{
	REDUCE_NUMBER_COLUMNS = 0, /* of the subquery */
	REDUCE_NUMBER_CONDITIONS,
	REDUCE_NUMBER_AGGREGATES,	/* 0: the node only leaves out rows */
	REDUCE_NUMBER_GROUPED,		/* 1: there is a GROUP BY */
	REDUCE_NUMBER_BY_PARTITION, /* 1: the groups are the partitions of the window */
	REDUCE_NUMBER_COMPUTED,		/* expressions of computed columns */
} ReduceNumber;

#endif /* SCAN_NODE_PLANNED_NODE_H */
