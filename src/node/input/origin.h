/*
 * origin.h: where the columns of the rows come from, traced down the plan.
 */
#ifndef SCAN_NODE_INPUT_ORIGIN_H
#define SCAN_NODE_INPUT_ORIGIN_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "column/rows.h"

/* Where a column of the rows comes from, seen from one node of the plan. */
typedef struct Origin
{
	AttrNumber attno; /* the column of the node's row; 0: the column is a constant, or does not come from the node */
	bool	   constant;
	bool	   isnull;
	Datum	   value;
} Origin;

/* True if a target list has nothing but columns of the row below and constants. */
extern bool origins_are_plain(const List *targetlist);

/* Returns the columns' origins in the row below a node with such a target list; `origin`: those in the node's row. */
extern Origin *origins_below(const List *targetlist, const Origin *origin, int columns);

/* Returns the last column of the node's row that is wanted. */
extern AttrNumber origins_last_attno(const Origin *origin, int columns);

/* Fills the constant columns of n rows from row `at` on, for which there is room. */
extern void origins_put_constants(const Origin *origin, Rows *rows, int64 at, int64 n);

#endif /* SCAN_NODE_INPUT_ORIGIN_H */
