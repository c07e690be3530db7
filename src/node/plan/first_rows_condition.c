/*
 * first_rows_condition.c: tells whether the conditions on a window's results let only the first rows of each partition
 * pass.
 *
 * create_plan.c and cost.c ask about a node that sorts its input, which then keeps no other rows (input/filter.c);
 * verdict.c asks before it offers such a node.  The answer is yes if a condition on the window itself limits
 * row_number(), rank() or dense_rank() to a constant, and no function reaches further than the rows that pass.  Core
 * has found the conditions: it passes on those that hold for no later row once they fail for one.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_opfamily_d.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "column/type.h"
#include "compat.h"
#include "node/level.h"
#include "node/plan/planning.h"

/* Returns the constant of `result <comparison> constant` as an inclusive upper limit; 0 if it is none. */
static int64
upper_limit_of(Oid comparison, const Const *constant)
{
	const TypeInfo *type;
	int64			limit;

	if (!IsA(constant, Const) || constant->constisnull)
		return 0;
	type = type_info(constant->consttype);
	if (!type_order_is_integer(type->order))
		return 0;
	limit = type_integer(type, constant->constvalue);
	switch (get_op_opfamily_strategy(comparison, INTEGER_BTREE_FAM_OID))
	{
		case BTLessEqualStrategyNumber:
		case BTEqualStrategyNumber:
			return limit;
		case BTLessStrategyNumber:
			return limit - (limit > 0);
		default:
			return 0;
	}
}

/*
 * Returns how many rows of a partition a condition on one of the window's functions lets pass at most, and how they are
 * counted; limit 0: all.
 */
static TopRows
top_of_condition(const List *functions, const Node *condition)
{
	const OpExpr			 *expr = (const OpExpr *) condition;
	const TopRows			  none = {0};
	const Node				 *left, *right;
	const WindowFunctionInfo *info;
	Oid						  comparison;
	int64					  limit;

	if (!IsA(condition, OpExpr) || list_length(expr->args) != 2)
		return none;
	left = (const Node *) linitial(expr->args);
	right = (const Node *) lsecond(expr->args);
	comparison = expr->opno;
	if (IsA(right, WindowFunc))
	{
		left = (const Node *) lsecond(expr->args);
		right = (const Node *) linitial(expr->args);
		comparison = get_commutator(comparison);
	}
	info = IsA(left, WindowFunc) ? info_of_function(functions, (const WindowFunc *) left) : NULL;
	if (info == NULL || !OidIsValid(comparison))
		return none;
	limit = upper_limit_of(comparison, (const Const *) right);
	if (limit < 1 || limit > PG_INT32_MAX ||
		(info->kind != FUNCTION_ROW_NUMBER && info->kind != FUNCTION_RANK && info->kind != FUNCTION_DENSE_RANK))
		return none;
	return (TopRows){.limit = (int) limit,
					 .unit = info->kind == FUNCTION_ROW_NUMBER ? TOP_ROWS
							 : info->kind == FUNCTION_RANK	   ? TOP_RANKS
															   : TOP_DENSE_RANKS};
}

/* True if a function can be evaluated for the rows that pass without those that do not. */
static bool
is_within(const WindowFunctionInfo *info, TopUnit unit)
{
	/* a limit on a rank ends with a whole peer group, one on row_number() within a group */
	return info->after == 0 &&
		   !(info->needs & (NEEDS_BOUNDS | LOOKAHEAD_PARTITION | (unit == TOP_ROWS ? LOOKAHEAD_PEERS : 0)));
}

TopRows
top_of_conditions(const List *functions, const List *conditions)
{
	TopRows top = {0};

	foreach_ptr (const Node, condition, conditions)
	{
		TopRows another = top_of_condition(functions, condition);

		if (another.limit > 0 && (top.limit == 0 || another.limit < top.limit))
			top = another;
	}
	return top;
}

TopRows
top_of_window(const List *functions, const List *conditions)
{
	TopRows top = top_of_conditions(functions, conditions);

	foreach_ptr (const WindowFunctionInfo, info, functions)
		if (top.limit > 0 && !is_within(info, top.unit))
			top.limit = 0;
	return top;
}

TopRows
prefix_scan_top(const PrefixScanPath *path, const List *functions)
{
	const WindowClause *window = path->window;

	if (functions == NIL)
		return (TopRows){.limit = 1, .unit = TOP_ROWS};
	return path->sorts && path->presorted <= list_length(window->partitionClause)
			   ? top_of_window(functions, path->conditions)
			   : (TopRows){0};
}
