/*
 * dispatch.c: decides which file of evaluate/ evaluates a function, here and nowhere else.
 *
 * exec/begin.c calls it once per function when the plan starts.
 */
#include "postgres.h"

#include "node/evaluate/internal.h"

void
node_function_start(RowFunction *f)
{
	static void (*const start[])(RowFunction * f) = {
		[FUNCTION_ROW_NUMBER] = node_rank_start,	[FUNCTION_RANK] = node_rank_start,
		[FUNCTION_DENSE_RANK] = node_rank_start,	[FUNCTION_PERCENT_RANK] = node_rank_start,
		[FUNCTION_CUME_DIST] = node_rank_start,		[FUNCTION_NTILE] = node_rank_start,
		[FUNCTION_LAG] = node_value_start,			[FUNCTION_LEAD] = node_value_start,
		[FUNCTION_FIRST_VALUE] = node_value_start,	[FUNCTION_LAST_VALUE] = node_value_start,
		[FUNCTION_NTH_VALUE] = node_value_start,	[FUNCTION_AGGREGATE] = node_aggregate_start,
		[FUNCTION_SCAN] = node_call_start,			[FUNCTION_AHEAD] = node_ahead_start,
		[FUNCTION_COMPACT] = node_compaction_start, [FUNCTION_SPLIT_INDEX] = node_compaction_start,
	};
	WindowFunctionKind kind = node_info(f)->kind;

	result_column_init(&f->result, node_info(f)->wfunc->wintype, f->query, f->needs & NEEDS_BOUNDS);
	if (kind >= lengthof(start) || start[kind] == NULL)
		elog(ERROR, "function %u has no kind", node_info(f)->wfunc->winfnoid);
	start[kind](f);
}
