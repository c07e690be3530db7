/*
 * window.c: the description of a planned window, which is all that plan/ and exec/ share.
 *
 * plan/ writes it, exec/ and rows/demand.c read it.  How far a function has to look ahead is
 * answered here too, since both rooms have to agree on it.
 */
#include "postgres.h"

#include "node/functions.h"
#include "node/window.h"

CustomScanMethods prefix_scan_methods = {.CustomName = PREFIX_SCAN_NAME};

const CustomScan *
prefix_scan_of_plan(const Plan *plan)
{
	if (!IsA(plan, CustomScan) || ((const CustomScan *) plan)->methods != &prefix_scan_methods)
		return NULL;
	return (const CustomScan *) plan;
}

Lookahead
window_function_lookahead(const WindowFunc *wfunc, int frame_options)
{
	WindowFunctionKind kind = window_function_kind(wfunc);

	switch (kind)
	{
		case FUNCTION_PERCENT_RANK:
		case FUNCTION_CUME_DIST:
		case FUNCTION_NTILE:
			return LOOKAHEAD_PARTITION;
		case FUNCTION_AGGREGATE:
		case FUNCTION_LAST_VALUE:
		case FUNCTION_NTH_VALUE:
			if (frame_options & FRAMEOPTION_END_UNBOUNDED_FOLLOWING)
				return LOOKAHEAD_PARTITION;
			return frame_options & FRAMEOPTION_ROWS ? LOOKAHEAD_NONE : LOOKAHEAD_PEERS;
		default:
			return LOOKAHEAD_NONE;
	}
}

void
window_function_offsets(const WindowFunc *wfunc, int64 *before, int64 *after)
{
	WindowFunctionKind kind = window_function_kind(wfunc);
	int64			   offset = 1;

	*before = *after = 0;
	if (kind != FUNCTION_LAG && kind != FUNCTION_LEAD)
		return;
	if (list_length(wfunc->args) > 1)
		offset = DatumGetInt32(((const Const *) lsecond(wfunc->args))->constvalue);
	*(kind == FUNCTION_LAG ? before : after) = offset;
}
