/*
 * planned_reduce.h: the description of a planned WindowReduce (node/reduce/).
 *
 * reduce/create_plan.c writes it into a CustomScan; reduce/ reads it from there when the plan starts, and
 * error_timing/early_stop.c when it looks for what a node asks of its child.
 */
#ifndef SCAN_NODE_PLANNED_REDUCE_H
#define SCAN_NODE_PLANNED_REDUCE_H

#include "postgres.h"

#include "node/planned_node.h"

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

#endif /* SCAN_NODE_PLANNED_REDUCE_H */
