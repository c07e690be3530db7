/*
 * functions.h: which functions PrefixScan can evaluate.
 */
#ifndef SCAN_NODE_FUNCTIONS_H
#define SCAN_NODE_FUNCTIONS_H

#include "postgres.h"

#include "nodes/primnodes.h"

/* What a function of a window is to the node. */
typedef enum WindowFunctionKind
{
	FUNCTION_NONE = 0, /* WindowAgg's */
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
	FUNCTION_SCAN,	  /* one of ours that reads its own row: functions/window/ */
	FUNCTION_COMPACT, /* scan_compact */
	FUNCTION_SPLIT_INDEX,
} WindowFunctionKind;

/* What an aggregate of ours has of the rows of a sliding frame. */
typedef enum MovingKind
{
	MOVING_NONE = 0, /* it is none of these */
	MOVING_EXACT_SUM,
	MOVING_EXACT_AVG,
	MOVING_EXACT_VAR_POP,
	MOVING_EXACT_VAR_SAMP,
	MOVING_EXACT_STDDEV_POP,
	MOVING_EXACT_STDDEV_SAMP,
	MOVING_PERCENTILE_CONT, /* of one argument: the median */
	MOVING_PERCENTILE_DISC,
	MOVING_MODE,
	MOVING_COUNT_DISTINCT,
} MovingKind;

extern WindowFunctionKind window_function_kind(const WindowFunc *wfunc);

/* Whether a window function, no aggregate, is one of ours: also of those that are WindowAgg's. */
extern bool window_function_is_ours(const WindowFunc *wfunc);

/*
 * Whether a function may run in a parallel plan (pg_proc.proparallel).  scan_fold is as its op is, which has to be a
 * constant: else unsafe.
 */
extern char window_function_parallel(const WindowFunc *wfunc);

/*
 * The functions that a function's answers are made of beside itself: those of an aggregate, and the op of scan_fold
 * where it is a constant.  What the planner decides hangs on them, too.
 */
extern List *window_function_parts(const WindowFunc *wfunc);

extern MovingKind aggregate_moving_kind(Oid oid);

/* Whether list.h has an aggregate of core's of that name. */
extern bool aggregate_is_stock(const char *name);

/* Whether the frame of the window means something to functions of a kind. */
extern bool window_function_is_framed(WindowFunctionKind kind);

/* Whether it shows the value of another row: lag, lead, first_value, last_value, nth_value. */
extern bool window_function_is_value(WindowFunctionKind kind);

/* Whether some row may make the function raise an error, once its arguments are there. */
extern bool window_function_itself_may_error_or_side_effect(const WindowFunc *wfunc);

/*
 * Whether all that a function has to know of the rows before, but for so many that it shows values of, is some bytes:
 * another process can go on from there.  That is asked where its frame is from the partition's start.
 */
extern bool window_function_saves_state(const WindowFunc *wfunc);

/* Whether a function's answers over sliding frames are those of their rows, wherever it begins to look at them. */
extern bool window_function_begins_anywhere(const WindowFunc *wfunc);

/* Whether an aggregate is a built-in one that takes any values there are. */
extern bool aggregate_cannot_fail(Oid oid);

#endif /* SCAN_NODE_FUNCTIONS_H */
