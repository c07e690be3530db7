/*
 * late.c: arguments that are computed when their row is answered.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"

#include "node/late.h"

static bool
has_parameter(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return IsA(node, Param) || expression_tree_walker(node, has_parameter, context);
}

/*
 * Functions that cannot fail are those that the catalog calls leakproof: an error is a
 * leak.  The planner's test looks at functions of columns only, so that those of
 * parameters come to this by themselves.
 */
bool
late_is_needed(const Node *expr)
{
	if (expr == NULL || IsA(expr, Var) || IsA(expr, Const) || IsA(expr, Param))
		return false;
	return contain_leaked_vars((Node *) expr) || has_parameter((Node *) expr, NULL);
}

void
late_row_to(LateRow *late, const Block *block, int64 i)
{
	TupleTableSlot *slot = late->slot;

	ResetExprContext(late->econtext);
	ExecClearTuple(slot);
	for (int c = 0; c < late->columns; c++)
	{
		const RowColumn *column = &block->rows->column[late->column[c]];

		slot->tts_values[late->attno[c] - 1] = column->value[i];
		slot->tts_isnull[late->attno[c] - 1] = column->isnull[i];
	}
	ExecStoreVirtualTuple(slot);
	late->econtext->ecxt_scantuple = slot;
	late->row = i;
}
