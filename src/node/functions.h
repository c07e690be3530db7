/*
 * functions.h: tells which functions PrefixScan can evaluate, and how.
 */
#ifndef SCAN_NODE_FUNCTIONS_H
#define SCAN_NODE_FUNCTIONS_H

#include "postgres.h"

#include "nodes/primnodes.h"

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
	FUNCTION_COMPACT, /* scan_compact */
	FUNCTION_SPLIT_INDEX,
} WindowFunctionKind;

/* Which statistic of the frame a moving_* or exact_* aggregate returns. */
typedef enum MovingKind
{
	MOVING_NONE = 0, /* not such an aggregate */
	MOVING_EXACT_SUM,
	MOVING_EXACT_AVG,
	MOVING_EXACT_VAR_POP,
	MOVING_EXACT_VAR_SAMP,
	MOVING_EXACT_STDDEV_POP,
	MOVING_EXACT_STDDEV_SAMP,
	MOVING_PERCENTILE_CONT, /* with one argument, the median */
	MOVING_PERCENTILE_DISC,
	MOVING_MODE,
	MOVING_COUNT_DISTINCT,
} MovingKind;

extern WindowFunctionKind window_function_kind(const WindowFunc *wfunc);

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

extern MovingKind aggregate_moving_kind(Oid oid);

/* True if list.h has an aggregate of PostgreSQL's of this name. */
extern bool aggregate_is_stock(const char *name);

/* True if the window's frame has an effect on functions of this kind. */
extern bool window_function_is_framed(WindowFunctionKind kind);

/* True if a function returns a value of another row: lag, lead, first_value, last_value, nth_value. */
extern bool window_function_is_value(WindowFunctionKind kind);

/* True if the function itself may raise an error at some row, once its arguments are computed. */
extern bool window_function_itself_may_error_or_side_effect(const WindowFunc *wfunc);

/*
 * True if the function's state after row i fits in bytes, so that another process can continue from row i + 1.  lag()
 * and lead() also need the rows that they reach.  The callers ask only if the frame begins with the partition or the
 * function has none.
 */
extern bool window_function_saves_state(const WindowFunc *wfunc);

/*
 * True if the function's results over sliding frames depend only on the rows of each frame, not on where evaluation
 * began.
 */
extern bool window_function_begins_anywhere(const WindowFunc *wfunc);

/* True for a built-in aggregate that accepts all values without an error. */
extern bool aggregate_cannot_fail(Oid oid);

#endif /* SCAN_NODE_FUNCTIONS_H */
