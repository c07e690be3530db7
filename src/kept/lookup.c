/*
 * lookup.c: whether a level above a window shows only a few rows, because it looks them up by a unique column.
 *
 * A value, or an array of them, is one that is computed once (question_value.c).  A join looks rows up only if the
 * other side cannot have many rows, whatever the statistics say: each row that is looked up costs as much as some
 * hundred rows of a window, so a table that was thought to be short would make the query many times slower.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "guc.h"
#include "kept/planner.h"

/* The most rows of the other side of a join. */
#define MOST_LOOKUPS 1000

/* Returns the most rows that an entry of a level above can have, whatever it is; a lot if nobody knows. */
static double
rows_of_entry(const RangeTblEntry *entry)
{
	const Const			   *limit;
	const RangeTblFunction *function;

	switch (entry->rtekind)
	{
		case RTE_VALUES:
			return list_length(entry->values_lists);
		case RTE_SUBQUERY:
			/* VALUES in FROM is a query of its own */
			if (list_length(entry->subquery->rtable) == 1 &&
				linitial_node(RangeTblEntry, entry->subquery->rtable)->rtekind == RTE_VALUES)
				return rows_of_entry(linitial_node(RangeTblEntry, entry->subquery->rtable));
			limit = (const Const *) entry->subquery->limitCount;
			return limit != NULL && IsA(limit, Const) && !limit->constisnull && limit->consttype == INT8OID
					   ? (double) DatumGetInt64(limit->constvalue)
					   : get_float8_infinity();
		case RTE_FUNCTION:
			function = linitial_node(RangeTblFunction, entry->functions);
			return list_length(entry->functions) == 1 && IsA(function->funcexpr, FuncExpr) &&
						   ((FuncExpr *) function->funcexpr)->funcid == F_UNNEST_ANYARRAY &&
						   !contain_vars_of_level(function->funcexpr, 0)
					   ? KEPT_LENGTH_OF_ARRAY
					   : get_float8_infinity();
		default:
			return get_float8_infinity();
	}
}

/* Returns how many rows a unique column has that is compared with an operand, by a condition of a level above. */
static double
rows_of_operand(const WindowLevel *level, int above, Node *condition, Node *operand)
{
	const Var *column = (const Var *) operand;
	double	   rows;

	if (above < 0 && kept_question_is_value(operand))
		return IsA(condition, OpExpr) ? 1 : kept_question_length(operand);
	if (above < 0 || !IsA(column, Var) || column->varlevelsup > 0 || column->varno == level->above[above].number)
		return get_float8_infinity();
	rows = rows_of_entry(rt_fetch(column->varno, level->above[above].query->rtable));
	return rows <= MOST_LOOKUPS ? rows : get_float8_infinity();
}

/*
 * True if a condition of a level above compares a unique column by = with a column of an entry with few rows.  Level -1
 * is that of the table: its columns are compared with a value, or an array of them.  For each row, all rows of its
 * first key are read, and these must not be more than those of a partition.
 */
static bool
looks_up(const WindowLevel *level, int above, Node *condition)
{
	List *operands;
	Oid collation, operator= kept_question_operator(condition, &operands, &collation);

	for (int i = 0; i < 2 && OidIsValid(operator) && !IsA(condition, DistinctExpr) && list_length(operands) == 2; i++)
	{
		Node	  *own = list_nth(operands, i);
		const Var *column = (const Var *) window_level_translate(level, above, own, true);
		double	   rows = rows_of_operand(level, above, condition, list_nth(operands, 1 - i));

		if (column != NULL && IsA(column, Var) && column->varlevelsup == 0 && column->varattno > 0 &&
			op_mergejoinable(operator, exprType(own)) && !isinf(rows) &&
			(guc_kept >= KEPT_FORCE || rows * level->rows_of_key <= Max(level->q.average_partition, 0)) &&
			kept_columns_are_unique(level->q.kept->table, bms_make_singleton(column->varattno)))
			return true;
	}
	return false;
}

Node *
kept_lookup(const WindowLevel *level)
{
	foreach_ptr (Node, condition, level->conditions)
		if (looks_up(level, -1, condition))
			return condition;
	return NULL;
}

bool
kept_finds_rows(const WindowLevel *level)
{
	ListCell *cell, *number;

	forboth(cell, level->joins, number, level->join_level)
	{
		if (looks_up(level, lfirst_int(number), lfirst(cell)))
			return true;
	}
	return kept_lookup(level) != NULL;
}
