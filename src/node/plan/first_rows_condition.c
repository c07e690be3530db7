/*
 * first_rows_condition.c: whether the conditions on a window's results let only the first rows of each partition pass.
 *
 * plan.c asks it about a node that sorts its input: input/first_rows.c then keeps no others.  That is so
 * where a condition on the window itself says that row_number(), rank() or dense_rank() is at
 * most a constant, and no function looks further than the rows that pass.  Core has found
 * the conditions: it passes on those that hold for no later row once they fail for one.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "node/functions.h"
#include "node/plan/plan.h"

/* The constant of `function(constant)` as a limit from above, exclusive ones made inclusive; 0: it is none. */
static int64
limit_of(Oid function, const Const *constant)
{
	int64 limit;

	if (!IsA(constant, Const) || constant->constisnull)
		return 0;
	switch (constant->consttype)
	{
		case INT8OID:
			limit = DatumGetInt64(constant->constvalue);
			break;
		case INT4OID:
			limit = DatumGetInt32(constant->constvalue);
			break;
		case INT2OID:
			limit = DatumGetInt16(constant->constvalue);
			break;
		default:
			return 0;
	}
	switch (function)
	{
		case F_INT8LE:
		case F_INT84LE:
		case F_INT82LE:
		case F_INT8EQ:
		case F_INT84EQ:
		case F_INT82EQ:
			return limit;
		case F_INT8LT:
		case F_INT84LT:
		case F_INT82LT:
			return limit - (limit > 0);
		default:
			return 0;
	}
}

/* How many rows of a partition a condition lets pass at most, and by what they are counted. */
static TopRows
top_of_condition(const WindowClause *window, const Node *condition)
{
	const OpExpr *expr = (const OpExpr *) condition;
	TopRows		  top = {0};
	const Node	 *left, *right;
	Oid			  comparison;
	int64		  limit;

	if (!IsA(condition, OpExpr) || list_length(expr->args) != 2)
		return top;
	left = (const Node *) linitial(expr->args);
	right = (const Node *) lsecond(expr->args);
	comparison = expr->opno;
	if (IsA(right, WindowFunc))
	{
		const Node *swap = left;

		left = right;
		right = swap;
		comparison = get_commutator(comparison);
	}
	if (!IsA(left, WindowFunc) || ((const WindowFunc *) left)->winref != window->winref || !OidIsValid(comparison))
		return top;
	limit = limit_of(get_opcode(comparison), (const Const *) right);
	if (limit < 1 || limit > PG_INT32_MAX)
		return top;
	switch (window_function_kind((const WindowFunc *) left))
	{
		case FUNCTION_ROW_NUMBER:
			top.unit = TOP_ROWS;
			break;
		case FUNCTION_RANK:
			top.unit = TOP_RANKS;
			break;
		case FUNCTION_DENSE_RANK:
			top.unit = TOP_DENSE_RANKS;
			break;
		default:
			return top;
	}
	top.limit = (int) limit;
	return top;
}

/* Whether a function can be evaluated for the rows that pass without those that do not. */
static bool
is_within(const WindowFunc *wfunc, const WindowClause *window, TopUnit unit)
{
	WindowFunctionKind kind = window_function_kind(wfunc);
	Lookahead		   lookahead = window_function_lookahead(kind, wfunc, window->frameOptions);
	int64			   before, after;

	window_function_offsets(kind, wfunc, &before, &after);
	if (window_function_is_framed(kind) && !frame_is_prefix(window->frameOptions))
		return false;
	/* ranks end with a group of peers, row numbers within one */
	return after == 0 && lookahead <= (unit == TOP_ROWS ? LOOKAHEAD_NONE : LOOKAHEAD_PEERS);
}

TopRows
top_of_window(PlannerInfo *root, const WindowClause *window, const List *functions, const List *conditions, double rows)
{
	TopRows			top = {0};
	const ListCell *cell;

	foreach (cell, conditions)
	{
		TopRows another = top_of_condition(window, (const Node *) lfirst(cell));

		if (another.limit > 0 && (top.limit == 0 || another.limit < top.limit))
			top = another;
	}
	foreach (cell, functions)
		if (top.limit > 0 && !is_within(lfirst_node(WindowFunc, cell), window, top.unit))
			top.limit = 0;
	if (top.limit > 0)
		top.partitions = (int) Min(prefix_scan_groups(root, window->partitionClause, rows), (double) PG_INT32_MAX);
	return top;
}
