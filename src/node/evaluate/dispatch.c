/*
 * dispatch.c: decides which file of evaluate/ evaluates a function, here and nowhere else.
 *
 * exec/begin.c calls it once per function when the plan starts.
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "node/evaluate/dispatch.h"
#include "node/evaluate/evaluators.h"

static void
aggregate_start(NodeFunction *f)
{
	if (!f->sliding)
	{
		if (node_inlined_start(f))
			node_stock_start(f);
		else
			node_aggregate_start(f);
		return;
	}
	/* frames that only grow, and arguments that may raise errors, are left to core's transition functions */
	if ((!f->inverts && !f->excludes) || f->deferred_row != NULL)
	{
		node_aggregate_start(f);
		return;
	}
	if (!node_moments_start(f) && !node_ranks_start(f) && !node_inlined_start(f) && !node_extreme_start(f))
		node_aggregate_start(f);
}

void
node_function_start(NodeFunction *f)
{
	get_typlenbyval(f->info.wfunc->wintype, &f->result.length, &f->result.by_value);
	f->result.format = column_format(f->result.length, f->result.by_value);
	f->result.arena = &f->arena;
	f->pool = pool_create(f->query);
	if (f->sliding)
		pool_may_spill(f->pool);
	switch (f->info.kind)
	{
		case FUNCTION_AGGREGATE:
			aggregate_start(f);
			break;
		case FUNCTION_SCAN:
			node_call_start(f);
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
			elog(ERROR, "function %u has no kind", f->info.wfunc->winfnoid);
	}
}
