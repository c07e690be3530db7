/*
 * origin.c: where the columns of the rows come from, traced down the plan.
 *
 * pull.c skips nodes that only pass columns on, add constants or change the order of columns: a Result over an Append,
 * and each arm of UNION ALL, are such nodes.  This file finds the columns in the row below.  A target list with any
 * other expression is not looked through, even if nothing reads the expression: core computes it for each row, and it
 * may fail or call nextval().
 */
#include "postgres.h"

#include "nodes/primnodes.h"

#include "column/stretch.h"
#include "compat.h"
#include "node/input/sources.h"

bool
origins_are_plain(const List *targetlist)
{
	foreach_node (TargetEntry, entry, targetlist)
	{
		const Expr *expr = entry->expr;

		if (!IsA(expr, Const) && !(IsA(expr, Var) && ((const Var *) expr)->varattno > 0))
			return false;
	}
	return true;
}

Origin *
origins_below(const List *targetlist, const Origin *origin, int columns)
{
	Origin *below = (Origin *) palloc0(Max(columns, 1) * sizeof(Origin));

	for (int c = 0; c < columns; c++)
	{
		const Expr *expr;

		below[c] = origin[c];
		if (origin[c].attno == 0)
			continue;
		expr = list_nth_node(TargetEntry, targetlist, origin[c].attno - 1)->expr;
		if (IsA(expr, Var))
			below[c].attno = ((const Var *) expr)->varattno;
		else
			below[c] = (Origin){.constant = true,
								.isnull = castNode(Const, expr)->constisnull,
								.value = castNode(Const, expr)->constvalue};
	}
	return below;
}

AttrNumber
origins_last_attno(const Origin *origin, int columns)
{
	AttrNumber last = 0;

	for (int c = 0; c < columns; c++)
		last = Max(last, origin[c].attno);
	return last;
}

void
origins_put_constants(const Origin *origin, Rows *rows, int64 at, int64 n)
{
	for (int c = 0; c < rows->columns; c++)
		if (origin[c].constant)
			FOR_INTERRUPTIBLE (i, at, at + n)
				rows_put(rows, c, i, origin[c].value, origin[c].isnull);
}
