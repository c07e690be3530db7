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
	double startup_cost;
	double cost_per_row;
} WindowFunctionInfo;

#endif /* SCAN_NODE_WINDOW_FUNCTION_H */
