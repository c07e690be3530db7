/*
 * planned_window.h: the description of a planned window.
 *
 * plan/ writes it into a CustomScan, exec/ reads it from there when the plan starts; the two
 * rooms share nothing else.
 */
#ifndef SCAN_NODE_PLANNED_WINDOW_H
#define SCAN_NODE_PLANNED_WINDOW_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#include "node/functions.h"

#define PREFIX_SCAN_NAME "PrefixScan"

/* Rows of the first block of input that is in order: few, for those above who stop early. */
#define PREFIX_SCAN_FIRST_ROWS 16

/* How many rows after the current one must be read before a function can be evaluated. */
typedef enum Lookahead
{
	LOOKAHEAD_NONE = 0,
	LOOKAHEAD_PEERS,	 /* the rest of its peer group */
	LOOKAHEAD_PARTITION, /* the rest of its partition */
} Lookahead;

/* Whether a frame is from the partition's start to the row, to its last peer, or to the partition's end: all of it. */
extern bool frame_is_prefix(int options);

/* Whether the frame of a window matters to one of its functions, and does more than to grow. */
extern bool window_frame_is_sliding(const WindowClause *window, const List *functions);

/* How a RANGE offset is applied. */
typedef enum FrameRange
{
	RANGE_UNKNOWN = 0, /* it may raise an error, and nobody knows when */
	RANGE_CALL,		   /* by the type's in_range function, row by row */
	RANGE_INTEGER,	   /* a bound is a sum of integers */
	RANGE_TIME,		   /* a bound is a timestamp that core adds up, once a row */
} FrameRange;

/* How the offsets are applied that a type's in_range function is for. */
extern FrameRange frame_range_of(Oid in_range);

/* Whether a RANGE offset is a number that core's in_range functions take beside any value: their sums saturate. */
extern bool range_number_is_valid(Oid type, Datum offset);

/*
 * Whether an end of a window's frame may raise an error at some row: a timestamp out of range, or an offset that is
 * negative, which core's in_range functions see at the first row that is not NULL.
 */
extern bool window_frame_may_error_or_side_effect(const WindowClause *window);

/* The lookahead of a function of a kind under a window's frame. */
extern Lookahead window_function_lookahead(WindowFunctionKind kind, const WindowFunc *wfunc, int frame_options);

/*
 * An offset of the frame as it was before setrefs.c: an expression without a row.  An offset that equals a column
 * of the child (a parameter that is also a key) has become a reference to the node's row, which is not there when
 * offsets are computed.  The result is a copy in the current context.
 */
extern Expr *window_frame_offset(const CustomScan *scan, Expr *expr);

/* How many rows before and after the current one it shows values of: lag and lead, by a constant. */
extern void window_function_offsets(WindowFunctionKind kind, const WindowFunc *wfunc, int64 *before, int64 *after);

/*
 * CustomScan.custom_private: a list of lists, in this order.  The first is looked at before the others: a parallel
 * worker may have another build of the library (library.h).  The functions' results are the last columns of
 * custom_scan_tlist.  custom_exprs has each function's arguments and then its FILTER, if any, and after all functions
 * the offsets of a sliding frame.
 */
enum
{
	PRIVATE_BUILD = 0,	 /* scan_build, its upper and its lower half */
	PRIVATE_NUMBERS,	 /* PrivateNumber */
	PRIVATE_KEY_COLUMNS, /* of the child: PARTITION BY, then ORDER BY */
	PRIVATE_KEY_EQUALS,	 /* operators */
	PRIVATE_KEY_SORTS,	 /* operators */
	PRIVATE_KEY_COLLATIONS,
	PRIVATE_KEY_NULLS_FIRST,
	PRIVATE_FUNCTIONS, /* WindowFunc */
	PRIVATE_KINDS,	   /* WindowFunctionKind of each: the catalog may say another thing when the plan starts */
	PRIVATE_IN_RANGE,  /* functions for the start and the end of a RANGE frame, and their collation */
};

/* What a condition on the results counts the rows of a partition by. */
typedef enum TopUnit
{
	TOP_ROWS = 0, /* row_number() */
	TOP_RANKS,	  /* rank() */
	TOP_DENSE_RANKS,
} TopUnit;

/* The rows of each partition that a condition lets pass: the first ones. */
typedef struct TopRows
{
	int		limit; /* the highest count; 0: all rows */
	TopUnit unit;
	int		partitions; /* that are expected */
} TopRows;

/* Why several processes do not run a window. */
typedef enum ParallelBlocker
{
	PARALLEL_OK = 0,  /* they do, or nobody has asked */
	BLOCKER_WORKERS,  /* max_parallel_workers_per_gather is 0 */
	BLOCKER_QUERY,	  /* the query must not run in parallel */
	BLOCKER_INPUT,	  /* its input is read by one process */
	BLOCKER_UNSAFE,	  /* a function or an expression is not safe in parallel */
	BLOCKER_HASH,	  /* a partition's key has no hash */
	BLOCKER_WHOLE,	  /* there are no partitions, and a function does not go on in another process */
	BLOCKER_TIES,	  /* rows that are equal in all keys may not fit in memory */
	BLOCKER_EARLY,	  /* a function may fail at a row that nobody asks for */
	BLOCKER_REPLACED, /* other processes would have another build of the library */
	BLOCKER_COST,	  /* several are not expected to be faster */
} ParallelBlocker;

typedef enum PrivateNumber
{
	NUMBER_FRAME_OPTIONS = 0,
	NUMBER_CHILD_COLUMNS,
	NUMBER_PARTITION_KEYS,
	NUMBER_SORTS,					 /* 1: the input is not in window order */
	NUMBER_MAY_ERROR_OR_SIDE_EFFECT, /* 1: computing another row of the input may fail or show */
	NUMBER_TOP,						 /* TopRows */
	NUMBER_TOP_UNIT,
	NUMBER_TOP_PARTITIONS,
	NUMBER_FRAME_IS_SLIDING, /* 1: rows leave the frame, or it does not end with the row, its peers or the partition */
	NUMBER_RANGE_ASCENDING,
	NUMBER_RANGE_NULLS_FIRST,
	NUMBER_RANGE_PARTITIONED, /* 1: in several processes, each has ranges of the order, not whole partitions */
	NUMBER_PARALLEL_BLOCKER,  /* ParallelBlocker */
} PrivateNumber;

static inline int
private_number(const CustomScan *scan, PrivateNumber which)
{
	return list_nth_int((const List *) list_nth(scan->custom_private, PRIVATE_NUMBERS), which);
}

/* How a plan of the node is made into a state: init.c fills in by what. */
extern CustomScanMethods prefix_scan_methods;

/* A node of a plan as a PrefixScan; NULL: it is another node. */
extern const CustomScan *prefix_scan_of_plan(const Plan *plan);

#endif /* SCAN_NODE_PLANNED_WINDOW_H */
