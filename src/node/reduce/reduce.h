/*
 * reduce.h: WindowReduce, the plan node that aggregates and filters the rows of a window before they become tuples.
 *
 * Most queries that compute a window throw its rows away: they count them, keep those that meet a condition, or
 * aggregate them by the columns of PARTITION BY.  PrefixScan has its results as columns.  To make a tuple of a row, and
 * to hand it to the nodes above, takes two to four times as long as to compute a function.  WindowReduce reads the
 * columns (the blocks of its child, input/pull.h) and returns only the groups, or the rows that its conditions keep.
 *
 * The node stands in place of core's SubqueryScan with its filter, or of Agg over it.  It is offered where its child is
 * certainly a PrefixScan, and where the rows come in the order of the groups.  What the subquery computes of the
 * results, such as v - lag(v), the node computes in place of the PrefixScan.  Rows, results, errors and their order are
 * core's:
 *
 *   - columns are computed for each row before its conditions are looked at, in the order of the target list;
 *   - conditions are evaluated in core's order, each for the rows that those before it have left;
 *   - transitions are those of src/aggregate/, from left to right in the window's order: floats have core's bits;
 *   - a group is returned once the first row of the next one is there, as core's sorted aggregation does.
 *
 * The planner asks offer.c (by hooks), which has paths made by path.c and several.c where source.c finds that the rows
 * can be read.  create_plan.c makes a plan of a path, and exec.c runs it, with begin.c, chunk.c and explain.c.
 * expression_rows.c evaluates conditions and, for computed.c, columns, by the loops of loops.c or by the executor.
 *
 * offer.c also has the rows of each subquery corrected where PrefixScan leaves out some (rows_above.c).
 *
 * Rejected: conditions and aggregates in PrefixScan itself.  They belong to another query level: the child's plan stays
 * a plan of its own until core's setrefs.c has merged the levels.
 */
#ifndef SCAN_NODE_REDUCE_REDUCE_H
#define SCAN_NODE_REDUCE_REDUCE_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#include "node/planned_node.h"

/* A path of the node. */
typedef struct ReducePath
{
	CustomPath		  custom;	  /* must be first */
	SubqueryScanPath *scan;		  /* its child: the rows of the subquery */
	bool			  aggregates; /* false: it only leaves out rows */
	List			 *groups;	  /* SortGroupClause */
	List			 *having;
	bool			  by_partition; /* the groups are the partitions of the window */
} ReducePath;

/* create_plan.c: makes a plan of a path of the node */
extern const CustomPathMethods window_reduce_path_methods;

/* create_plan.c: returns the aggregates of some expressions, each once, in the order in which core runs their
 * transitions. */
extern List *reduce_aggregates(const List *exprs);

/* exec.c: creates the state of a plan that starts (CreateCustomScanState) */
extern Node *window_reduce_create_state(CustomScan *scan);

/* Offers the node to the planner, and has the executor know it by its name. */
extern void window_reduce_init(void);

#endif /* SCAN_NODE_REDUCE_REDUCE_H */
