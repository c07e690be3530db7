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
	FUNCTION_SCAN, /* one of ours: call/ */
} WindowFunctionKind;

extern WindowFunctionKind window_function_kind(const WindowFunc *wfunc);

/* Whether the frame of the window means something to functions of a kind. */
extern bool window_function_is_framed(WindowFunctionKind kind);

/* Whether some row may make the function raise an error, once its arguments are there. */
extern bool window_function_itself_is_fallible(const WindowFunc *wfunc);

/* Whether an aggregate is a built-in one that takes any values there are. */
extern bool aggregate_cannot_fail(Oid oid);

#endif /* SCAN_NODE_FUNCTIONS_H */
