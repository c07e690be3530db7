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
	result_column_init(&f->result, node_info(f)->wfunc->wintype, f->query, f->needs & NEEDS_BOUNDS);
	switch (node_info(f)->kind)
	{
		case FUNCTION_AGGREGATE:
			node_aggregate_start(f);
			break;
		case FUNCTION_SCAN:
			node_call_start(f);
			break;
		case FUNCTION_AHEAD:
			node_ahead_start(f);
			break;
		case FUNCTION_COMPACT:
		case FUNCTION_SPLIT_INDEX:
			node_compaction_start(f);
			break;
		case FUNCTION_LAG:
		case FUNCTION_LEAD:
		case FUNCTION_FIRST_VALUE:
		case FUNCTION_LAST_VALUE:
		case FUNCTION_NTH_VALUE:
			node_value_start(f);
			break;
		case FUNCTION_ROW_NUMBER:
		case FUNCTION_RANK:
		case FUNCTION_DENSE_RANK:
		case FUNCTION_PERCENT_RANK:
		case FUNCTION_CUME_DIST:
		case FUNCTION_NTILE:
			node_rank_start(f);
			break;
		case FUNCTION_NONE:
			elog(ERROR, "function %u has no kind", node_info(f)->wfunc->winfnoid);
	}
}
