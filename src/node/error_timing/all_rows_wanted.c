/*
 * all_rows_wanted.c: tells whether all rows of a query level are certainly asked for.
 *
 * parallel_blocker.c asks if a row may raise an error: several processes answer rows before they are asked for, and
 * an error at a row that is never asked for would be one that WindowAgg does not raise.  read_ahead.c asks if rows
 * below a window, or frames there, may raise errors.
 *
 * The search goes from the level upwards.  An aggregate without groups asks for all rows of its input, whatever is
 * above it, and so does INSERT.  A level that only selects, groups or sorts asks for as many rows as are asked of it.
 * Everything else may stop early: a LIMIT, a join (a merge join that ends, the inner side of a semi-join), a subquery
 * of an expression, a WITH query, a set operation.  Rejected: the planner's tuple_fraction alone, which is 0 below each
 * of these.
 */
#include "postgres.h"

#include "node/error_timing/all_rows_wanted.h"

/* True if a level reads nothing but one subquery or relation.  *by_conditions: it has conditions on the rows. */
static bool
reads_one(const Query *parse, bool *by_conditions)
{
	const Node *from = (const Node *) parse->jointree;

	*by_conditions = false;
	/* a subquery that was merged into the level has left its FromExpr behind */
	while (IsA(from, FromExpr) && list_length(((const FromExpr *) from)->fromlist) == 1)
	{
		*by_conditions |= ((const FromExpr *) from)->quals != NULL;
		from = (const Node *) linitial(((const FromExpr *) from)->fromlist);
	}
	return parse->setOperations == NULL && IsA(from, RangeTblRef);
}

static bool
is_plain_aggregate(const Query *parse)
{
	return parse->hasAggs && parse->groupClause == NIL && parse->groupingSets == NIL;
}

static RowsWanted
rows_asked_for(const PlannerInfo *root)
{
	bool is_asked = false; /* true for the levels above the one in question */

	for (; root->parse->limitCount == NULL; root = root->parent_root, is_asked = true)
	{
		const PlannerInfo *parent = root->parent_root;
		bool			   by_conditions;

		if (parent == NULL && root->parse->commandType == CMD_INSERT)
			return ROWS_WANTED_ALL;
		if (parent == NULL)
			return root->tuple_fraction == 0 ? ROWS_WANTED_BY_CALLER : ROWS_WANTED_SOME;
		/* subqueries of expressions and WITH queries are planned before the parent knows its relations */
		if (parent->simple_rel_array == NULL || !reads_one(parent->parse, &by_conditions))
			return ROWS_WANTED_SOME;
		/* a WindowAgg may stop at a condition on its results */
		if (is_asked && root->parse->hasWindowFuncs && by_conditions)
			return ROWS_WANTED_SOME;
		if (is_plain_aggregate(parent->parse))
			return ROWS_WANTED_ALL;
	}
	return ROWS_WANTED_SOME;
}

RowsWanted
rows_wanted(QueryLevel *level)
{
	if (level->rows_wanted == ROWS_WANTED_NOT_ASKED)
		level->rows_wanted = rows_asked_for(level->root);
	return level->rows_wanted;
}

bool
rows_are_wanted(QueryLevel *level)
{
	return rows_wanted(level) >= ROWS_WANTED_BY_CALLER;
}

bool
rows_are_limited(const QueryLevel *level)
{
	for (const PlannerInfo *root = level->root; root != NULL; root = root->parent_root)
	{
		if (root->parse->limitCount != NULL)
			return true;
		if (root->parent_root != NULL && is_plain_aggregate(root->parent_root->parse))
			return false;
	}
	return false;
}
