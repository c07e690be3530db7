/*
 * late.c: arguments that are computed when their row is answered.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "utils/lsyscache.h"

#include "node/late.h"

static bool
is_not_leakproof(Oid function, void *context)
{
	return !get_func_leakproof(function);
}

/* Functions without columns, and parameters: that of a subquery is computed when somebody looks at it. */
static bool
may_fail_without_columns(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return IsA(node, Param) || check_functions_in_node(node, is_not_leakproof, NULL) ||
		   expression_tree_walker(node, may_fail_without_columns, context);
}

/*
 * Functions that cannot fail are those that the catalog calls leakproof: an error is a
 * leak.  The planner's test looks at functions of columns only; the others come to this
 * by themselves: current_setting('no.such') fails without any.
 */
bool
late_is_needed(const Node *expr)
{
	if (expr == NULL || IsA(expr, Var) || IsA(expr, Const) || IsA(expr, Aggref)) /* which is computed below */
		return false;
	if (IsA(expr, Param) && ((const Param *) expr)->paramkind == PARAM_EXTERN)
		return false;
	return contain_leaked_vars((Node *) expr) || may_fail_without_columns((Node *) expr, NULL);
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
