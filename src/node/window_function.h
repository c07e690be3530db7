/*
 * window_function.h: what a function of a window is to PrefixScan.
 *
 * function_info.c fills it in, for aggregates by aggregate_info.c; the planner stores it in the plan, and exec/ and
 * evaluate/ read it.
 */
#ifndef SCAN_NODE_WINDOW_FUNCTION_H
#define SCAN_NODE_WINDOW_FUNCTION_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "aggregate/moving_kind.h"
#include "column/block.h"
#include "op/lines.h"

/* How the node treats a window function. */
typedef enum WindowFunctionKind
{
	FUNCTION_NONE = 0, /* left to WindowAgg */
	FUNCTION_ROW_NUMBER,
	FUNCTION_RANK,
	FUNCTION_DENSE_RANK,
	FUNCTION_PERCENT_RANK,
	FUNCTION_CUME_DIST,
	FUNCTION_NTILE,
	FUNCTION_LAG,
	FUNCTION_LEAD,
	FUNCTION_FIRST_VALUE,
	FUNCTION_LAST_VALUE,
	FUNCTION_NTH_VALUE,
	FUNCTION_AGGREGATE,
	FUNCTION_SCAN,	  /* a scan_* function that reads only its own row: src/functions/window/ */
	FUNCTION_AHEAD,	  /* a scan_* function that reads later rows as well: src/functions/window/window.h */
	FUNCTION_COMPACT, /* scan_compact */
	FUNCTION_SPLIT_INDEX,
} WindowFunctionKind;

/* A member that is added here is added to STORED_MEMBERS of function_info.c, too, but for the planner's own. */
typedef struct WindowFunctionInfo
{
	const WindowFunc  *wfunc;
	WindowFunctionKind kind;
	MovingKind		   moving;
	Oid				   aggregate; /* FUNCTION_AGGREGATE: whose functions are called: wfunc's, or the stock one it is */
	ScanOpId		   op;		  /* whose results are a stock aggregate's or determine them; else SCAN_OP_none */
	Oid				   sort_operator; /* pg_aggregate.aggsortop: the order of min, max and the like; or InvalidOid */
	int				   needs;		  /* RowNeeds under the window's frame, but for those of a plan */
	int64			   before;		  /* rows that lag() looks back by its constant offset; else 0 */
	int64			   after;		  /* rows that lead() looks ahead by its constant offset; else 0 */
	int64			   nth;			  /* the constant n of nth_value(); else 0 */

	/* the function itself may do so at some row, once its arguments are computed */
	bool may_error_or_side_effect;

	char parallel; /* window_function_parallel() */

	/* the planner's own, which level.c fills in: the other members as a plan stores them, and costs */
	List  *stored;
	uint32 hash; /* equal functions have the same */
	double startup_cost, cost_per_row;
} WindowFunctionInfo;

/* ---- function_info.c: asks the catalog whether PrefixScan can evaluate a function of a window, and how ---- */

/*
 * The catalog is asked once for each function of a query level (level.h).  The planner decides by the answer, and the
 * plan stores it.  exec/begin.c reads it from there and compares it with the catalog as it is when the plan starts.
 * evaluate/ chooses by it how the function is evaluated.
 */

/* True if a frame begins with the partition, ends with the row, its last peer or the partition, and excludes no row. */
extern bool frame_is_prefix(int options);

/* Asks the catalog about a function of a window that has these frame options. */
extern WindowFunctionInfo window_function_info(const WindowFunc *wfunc, int frame_options);

/* Returns the number of the argument, from 1, that keeps the node from evaluating a function; 0: something else does.
 */
extern int window_function_unknown_argument(const WindowFunc *wfunc);

/*
 * Tells a function with NEEDS_ANY that its offset is the same at each row, as it turns out when the plan starts.  It
 * then is what it would be with a constant, unless core treats the offset row by row.
 */
extern void window_function_set_offset(WindowFunctionInfo *info, int frame_options, int32 offset);

/* An info as a list of integers, which a plan can store and equal() can compare, and back. */
extern List				 *window_function_info_to_list(const WindowFunctionInfo *info);
extern WindowFunctionInfo window_function_info_from_list(const WindowFunc *wfunc, const List *stored);

/* True if a function returns a value of another row: lag, lead, first_value, last_value, nth_value. */
static inline bool
window_function_is_value(WindowFunctionKind kind)
{
	return kind >= FUNCTION_LAG && kind <= FUNCTION_NTH_VALUE;
}

/* ---- questions about functions outside of a window that is planned ---- */

/* True for a window function (not an aggregate) of ours, including those that are left to WindowAgg. */
extern bool window_function_is_ours(const WindowFunc *wfunc);

/*
 * Returns the parallel safety of a function (pg_proc.proparallel).  scan_fold is as safe as its op, and unsafe if the
 * op is not a constant.
 */
extern char window_function_parallel(const WindowFunc *wfunc);

/*
 * Returns the OIDs of the functions that a window function calls: those of an aggregate, some of which may be
 * InvalidOid, or the op of scan_fold if it is a constant.  The planner's decisions depend on these functions, too.
 */
extern List *window_function_parts(const WindowFunc *wfunc);

/* WindowFunctionInfo.may_error_or_side_effect of a function of any query level. */
extern bool window_function_itself_may_error_or_side_effect(const WindowFunc *wfunc);

/* ---- aggregate_info.c: what an aggregate is ---- */

/* Fills in what pg_aggregate tells about the aggregate info->wfunc, if the node can evaluate it. */
extern void aggregate_describe(WindowFunctionInfo *info);

/*
 * Sets *stock to the stock aggregate that an aggregate is, or else to the aggregate, and *kind to its kind if it is one
 * of ours that has an operation.
 */
extern void aggregate_operation(Oid aggregate, Oid *stock, MovingKind *kind);

/* Returns the OIDs of the functions of an aggregate, some of which may be InvalidOid. */
extern List *aggregate_parts(Oid oid);

/*
 * True if the owner of an aggregate may call the functions by which a transition value of type internal goes to another
 * process.  WindowAgg calls none of them, so a window must not fail because of them.
 */
extern bool aggregate_may_save_state(Oid oid);

/* True for a built-in aggregate that accepts all values without an error. */
extern bool aggregate_cannot_fail(Oid oid);

/* True if list.h has an aggregate of PostgreSQL's of this name. */
extern bool aggregate_is_stock(const char *name);

#endif /* SCAN_NODE_WINDOW_FUNCTION_H */
