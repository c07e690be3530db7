/*
 * planned_window.h: the description of a planned window.
 *
 * plan/ writes it into a CustomScan, and exec/ reads it from there when the plan starts.  plan/ and exec/ share nothing
 * else.
 */
#ifndef SCAN_NODE_PLANNED_WINDOW_H
#define SCAN_NODE_PLANNED_WINDOW_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#include "node/planned_node.h"
#include "node/reason.h"
#include "node/window_function.h"

/*
 * True if the frame is no prefix (frame_is_prefix) and matters to one of `functions` (a list of WindowFunctionInfo), or
 * if its offsets have to be checked for errors.  Also if a function may return the value of any row: frame.c keeps the
 * rows of sliding frames, and of the partition.
 */
extern bool window_frame_is_sliding(const WindowClause *window, const List *functions);

/*
 * Returns an offset of the frame as it was before setrefs.c, as a copy in the current context.  An offset that equals a
 * column of the child (a parameter that is also a key) has become a reference to the node's row, but there is no row
 * when offsets are computed.
 */
extern Expr *window_frame_offset(const CustomScan *scan, Expr *expr);

/*
 * CustomScan.custom_private: further lists, in this order.  The functions' results are the last columns of
 * custom_scan_tlist.  custom_exprs has each function's arguments and then its FILTER, if any, and after all functions
 * the offsets of a sliding frame.  custom_private holds no expression of the query: setrefs.c does not visit it, so a
 * PlaceHolderVar would stay there, which a parallel worker cannot read.
 */
enum
{
	PRIVATE_KEY_COLUMNS = PLANNED_OTHERS, /* columns of the child: PARTITION BY, then ORDER BY */
	PRIVATE_KEYS,						  /* their SortGroupClauses, which name operators and no expression */
	PRIVATE_FUNCTIONS,					  /* WindowFunc, by window_function_to_private() */
	PRIVATE_INFOS,	  /* each function's WindowFunctionInfo, a list of ints; the catalog may have changed since */
	PRIVATE_IN_RANGE, /* in_range functions of a RANGE frame's start and end, and their collation */
};

/* How a condition on the results counts the rows of a partition. */
typedef enum TopUnit
{
	TOP_ROWS = 0, /* row_number() */
	TOP_RANKS,	  /* rank() */
	TOP_DENSE_RANKS,
} TopUnit;

/* The first rows of each partition, which are the only ones that a condition lets pass. */
typedef struct TopRows
{
	int		limit; /* the highest count that passes; 0: all rows pass */
	TopUnit unit;
	int		partitions; /* their expected number */
} TopRows;

/* The numbers of PLANNED_NUMBERS. */
typedef enum PrivateNumber
{
	NUMBER_FRAME_OPTIONS = 0,
	NUMBER_CHILD_COLUMNS,
	NUMBER_PARTITION_KEYS,
	NUMBER_SORTS,					 /* 1: the node sorts, since its input is not in window order */
	NUMBER_MAY_ERROR_OR_SIDE_EFFECT, /* 1: computing another row of the input may do so */
	NUMBER_TOP,						 /* TopRows.limit */
	NUMBER_TOP_UNIT,
	NUMBER_TOP_PARTITIONS,
	NUMBER_FRAME_IS_SLIDING, /* 1: rows leave the frame, or it does not end with the row, its peers or the partition */
	NUMBER_RANGE_ASCENDING,
	NUMBER_RANGE_NULLS_FIRST,
	NUMBER_RANGE_PARTITIONED, /* 1: each process takes ranges of the order, not whole partitions */
	NUMBER_PARALLEL_BLOCKER,  /* WindowReason: why it runs in one process */
	NUMBER_PRESORTED,		  /* if the node sorts: the first keys that its input is in order by */
} PrivateNumber;

/* Returns a copy of a function for PRIVATE_FUNCTIONS: a NULL constant stands for each of its expressions. */
extern WindowFunc *window_function_to_private(const WindowFunc *wfunc);

/*
 * Returns the functions of a plan, a list of WindowFunc that have their expressions of custom_exprs.  *offsets: those
 * of a sliding frame, of which custom_exprs has the start first.
 */
extern List *planned_functions(const CustomScan *scan, List **offsets);

#endif /* SCAN_NODE_PLANNED_WINDOW_H */
