/*
 * lookup.c: see lookup.h.
 *
 * A value, or an array of them, is one that is computed once (question_value.h).  A join looks rows up only if the
 * other side cannot have many rows, whatever the statistics say: each row that is looked up costs as much as some
 * hundred rows of a window, so a table that was thought to be short would make the query many times slower.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "kept/lookup.h"
#include "kept/unique.h"

/* The most rows of the other side of a join. */
#define MOST_LOOKUPS 1000

static bool
column_is_unique(const WindowLevel *level, AttrNumber attribute)
{
	return attribute > 0 && kept_columns_are_unique(level->q.kept->table, bms_make_singleton(attribute));
}

/* ---- values ---- */

/* Returns the column that a condition compares by = with a value or an array of them, 0 if it is another condition. */
static AttrNumber
column_of_lookup(Node *condition)
{
	List *operands;
	Oid collation, operator= kept_question_operator(condition, &operands, &collation);

	for (int i = 0; i < 2 && OidIsValid(operator) && !IsA(condition, DistinctExpr) && list_length(operands) == 2; i++)
	{
		const Var *column = (const Var *) list_nth(operands, i);

		if (IsA(column, Var) && column->varlevelsup == 0 && column->varattno > 0 &&
			kept_question_is_value(list_nth(operands, 1 - i)) && op_mergejoinable(operator, column->vartype))
			return column->varattno;
	}
	return 0;
}

/* ---- joins ---- */

/* True if an entry of the level above has few rows, whatever they are. */
static bool
entry_is_short(const RangeTblEntry *entry)
{
	const Const			   *limit;
	const RangeTblFunction *function;

	switch (entry->rtekind)
	{
		case RTE_VALUES:
			return list_length(entry->values_lists) <= MOST_LOOKUPS;
		case RTE_SUBQUERY:
			limit = (const Const *) entry->subquery->limitCount;
			return limit != NULL && IsA(limit, Const) && !limit->constisnull && limit->consttype == INT8OID &&
				   DatumGetInt64(limit->constvalue) <= MOST_LOOKUPS;
		case RTE_FUNCTION:
			function = linitial_node(RangeTblFunction, entry->functions);
			return list_length(entry->functions) == 1 && IsA(function->funcexpr, FuncExpr) &&
				   ((FuncExpr *) function->funcexpr)->funcid == F_UNNEST_ANYARRAY &&
				   !contain_vars_of_level(function->funcexpr, 0);
		default:
			return false;
	}
}

/* Returns the column of the table that an expression of a level above is, 0 if it is none. */
static AttrNumber
column_above(const WindowLevel *level, int above, Node *node)
{
	const Var *column = (const Var *) window_level_translate(level, above, node);

	return column != NULL && IsA(column, Var) && column->varlevelsup == 0 ? column->varattno : 0;
}

/* Returns the column that a condition compares by = with a column of a short entry, 0 if it is another condition. */
static AttrNumber
column_of_join(const WindowLevel *level, int above, const OpExpr *condition)
{
	if (!IsA(condition, OpExpr) || list_length(condition->args) != 2)
		return 0;
	for (int i = 0; i < 2; i++)
	{
		Node	  *own = list_nth(condition->args, i);
		const Var *other = list_nth(condition->args, 1 - i);

		if (IsA(other, Var) && other->varlevelsup == 0 && other->varno != level->above[above].number &&
			op_mergejoinable(condition->opno, exprType(own)) &&
			entry_is_short(rt_fetch(other->varno, level->above[above].query->rtable)))
			return column_above(level, above, own);
	}
	return 0;
}

Node *
kept_lookup(const WindowLevel *level)
{
	ListCell *cell;

	foreach (cell, level->conditions)
		if (column_is_unique(level, column_of_lookup(lfirst(cell))))
			return (Node *) lfirst(cell);
	return NULL;
}

bool
kept_finds_rows(const WindowLevel *level)
{
	ListCell *cell, *number;

	if (kept_lookup(level) != NULL)
		return true;
	forboth(cell, level->joins, number, level->join_level)
	{
		if (column_is_unique(level, column_of_join(level, lfirst_int(number), (const OpExpr *) lfirst(cell))))
			return true;
	}
	return false;
}
