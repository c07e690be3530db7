/*
 * question.c: whether a kept scan has the answer to what a query level asks.
 *
 * find.c finds the table of a level and its kept scans; the rewrites (totals.c, windows.c) ask here about each of them.
 *
 * Conditions and aggregates of the query are brought into the form that a definition's have.  An aggregate of the query
 * has to be equal to one of the definition then; for cells, the state of one has to give its result.  The conditions of
 * the definition have to follow from those of the query, by the proofs that core has for partial indexes; and a
 * condition of the query from those of the definition, unless it is a value for a column of the partition or a bound of
 * the first key.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "guc.h"
#include "kept/catalogs.h"
#include "kept/planner.h"
#include "kept/reading.h"

/* ---- conditions ---- */

/* True if an expression, in the form of the definition's, is a constant or a column of the table that is never NULL. */
static bool
cannot_be_null(const KeptQuestion *q, Node *node)
{
	const Var *column = (const Var *) node;

	return IsA(node, Const) ? !((const Const *) node)->constisnull
							: IsA(column, Var) && column->varno == 1 && column->varlevelsup == 0 &&
								  column->varattno > 0 && kept_column_is_not_null(q->kept->table, column->varattno);
}

/*
 * Takes a lower or an upper bound of the first key.  One of another type becomes the nearest value of the key's type,
 * and inclusive.  A side may have several bounds: all of them become inclusive, and the last or the first one holds.
 * Rejected: GREATEST, which leaves a NULL out where a condition lets no row through; the functions of max() are strict.
 */
static void
take_side(const KeptQuestion *q, Expr **bound, bool *inclusive, Node *value, int strategy)
{
	static const Oid  chosen[][3] = {{INT2OID, F_INT2SMALLER, F_INT2LARGER},
									 {INT4OID, F_INT4SMALLER, F_INT4LARGER},
									 {INT8OID, F_INT8SMALLER, F_INT8LARGER},
									 {DATEOID, F_DATE_SMALLER, F_DATE_LARGER},
									 {TIMESTAMPOID, F_TIMESTAMP_SMALLER, F_TIMESTAMP_LARGER},
									 {TIMESTAMPTZOID, F_TIMESTAMPTZ_SMALLER, F_TIMESTAMPTZ_LARGER}};
	const KeptColumn *key = &q->kept->key[0];
	bool			  is_lower = strategy > BTEqualStrategyNumber, is_second = *bound != NULL;
	int				  excludes = is_lower ? BTGreaterStrategyNumber : BTLessStrategyNumber, i = 0;

	if (is_second && !*inclusive)
		*bound = kept_question_nearest(q, key, (Node *) *bound, excludes);
	*inclusive = is_second || strategy != excludes || exprType(value) != key->type;
	value = (Node *) (is_second && strategy == excludes ? kept_question_nearest(q, key, value, strategy)
														: kept_question_value(q, key, value, strategy));
	while (chosen[i][0] != key->type)
		i++;
	*bound = is_second && *bound != NULL && value != NULL
				 ? (Expr *) makeFuncExpr(chosen[i][1 + is_lower], key->type, list_make2(*bound, value), InvalidOid,
										 InvalidOid, COERCE_EXPLICIT_CALL)
				 : (Expr *) value;
}

bool
kept_question_take_bound(KeptQuestion *q, Node *condition)
{
	KeptQuestion before = *q;
	Node		*value = NULL;
	int	 comparison = kept_question_comparison(q, condition, &q->kept->key[0], &value), strategy = Abs(comparison);
	bool is_from = strategy >= BTEqualStrategyNumber, is_to = strategy != 0 && strategy <= BTEqualStrategyNumber;

	if (is_from)
		take_side(q, &q->from, &q->from_inclusive, value, Max(strategy, BTGreaterEqualStrategyNumber));
	if (is_to)
		take_side(q, &q->to, &q->to_inclusive, value, Min(strategy, BTLessEqualStrategyNumber));
	if (strategy != 0 && (!is_from || q->from != NULL) && (!is_to || q->to != NULL))
		return comparison > 0;
	/* the bounds that were taken before hold */
	*q = before;
	return false;
}

bool
kept_question_defines(KeptQuestion *q, Node *condition)
{
	Node		   *same = kept_question_normal(q, condition);
	const NullTest *test = (const NullTest *) same;

	return (IsA(test, NullTest) && !test->argisrow && test->nulltesttype == IS_NOT_NULL &&
			cannot_be_null(q, (Node *) test->arg)) ||
		   predicate_implied_by(list_make1(same), (List *) kept_question_normal(NULL, (Node *) q->kept->where), false);
}

bool
kept_question_has_definition(KeptQuestion *q, List *conditions)
{
	Node *asked = kept_question_normal(q, (Node *) conditions);

	foreach_ptr (Node, condition, q->kept->where)
		if (!predicate_implied_by(list_make1(kept_question_normal(NULL, condition)), (List *) asked, false))
		{
			Node *lacking = (Node *) copyObject(condition);

			ChangeVarNodes(lacking, 1, q->varno, 0);
			return kept_question_fails(q, "the query lacks the condition %s of the definition", lacking);
		}
	return true;
}

bool
kept_question_take_value(KeptQuestion *q, Node *condition)
{
	for (int p = 0; p < q->kept->partitions; p++)
	{
		const KeptColumn *column = &q->kept->partition[p];
		Node			 *value;

		if (q->partition[p] == NULL &&
			kept_question_comparison(q, condition, column, &value) == BTEqualStrategyNumber &&
			(q->partition[p] = kept_question_value(q, column, value, BTEqualStrategyNumber)) != NULL)
			return true;
	}
	return false;
}

/* ---- aggregates ---- */

/* True for count(*), and for count() of what is never NULL, in the form of the definition's. */
static bool
counts_rows_of(const KeptQuestion *q, Oid function, const List *arguments)
{
	return function == F_COUNT_ || (function == F_COUNT_ANY && cannot_be_null(q, linitial(arguments)));
}

/*
 * Returns which aggregate of the definition has a function, arguments and a filter; -1 if none.  For cells, an
 * aggregate whose state gives the function's result will do, and count(*) is the number behind them: that of the rows.
 */
static int
find_aggregate(const KeptQuestion *q, Oid function, Oid collation, List *arguments, const Expr *condition)
{
	Node		 *filter = condition == NULL ? NULL : kept_question_normal(q, (Node *) condition);
	List		 *same = (List *) kept_question_normal(q, (Node *) arguments);
	KeptAggregate other;

	bool counts_rows = counts_rows_of(q, function, same);

	for (int a = 0; a < q->kept->aggregates; a++)
	{
		const KeptAggregate *aggregate = &q->kept->aggregate[a];
		bool				 is_same = (aggregate->called == function ||
						(q->has_cells && kept_aggregate_gives(aggregate, function, &other))) &&
					   aggregate->collation == collation && kept_question_is_same(aggregate->arguments, (Node *) same);

		if ((is_same || (counts_rows && counts_rows_of(q, aggregate->called, aggregate->arguments))) &&
			kept_question_is_same(aggregate->filter, filter))
			return a;
	}
	return q->has_cells && counts_rows && filter == NULL ? q->kept->aggregates : -1;
}

/* For cells, the conditions of a FILTER that have one value in a cell remain conditions of the cells. */
int
kept_question_aggregate(const KeptQuestion *q, const Aggref *call, List **remain)
{
	List *own = NIL;

	*remain = NIL;
	if (call->agglevelsup != 0 || call->aggorder != NIL || call->aggdistinct != NIL || call->aggdirectargs != NIL)
		return -1;
	foreach_ptr (Node, condition, kept_question_conditions(q->query, (Node *) call->aggfilter))
		if (q->has_cells && kept_question_is_of_partition(q, condition))
			*remain = lappend(*remain, condition);
		else
			own = lappend(own, condition);
	/* cells may have no row that meets the definition's conditions, which may be what keeps the others from failing */
	if (own != NIL && kept_question_may_fail((Node *) *remain, q->step_nodes))
		return -1;
	return find_aggregate(q, call->aggfnoid, call->inputcollid, get_tlist_exprs(call->args, true),
						  own == NIL ? NULL : make_ands_explicit(own));
}

int
kept_question_window_aggregate(const KeptQuestion *q, const WindowFunc *call)
{
	return call->winagg ? find_aggregate(q, call->winfnoid, call->inputcollid, call->args, call->aggfilter) : -1;
}

static bool
has_other_aggregate(Node *node, void *question)
{
	List *remain;

	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
		return kept_question_aggregate((const KeptQuestion *) question, (Aggref *) node, &remain) < 0;
	if (IsA(node, Query))
		return contain_vars_of_level(node, 1);
	/* without GROUP BY, a column outside of an aggregate is nothing that the parser lets through */
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		return true;
	return expression_tree_walker(node, has_other_aggregate, question);
}

/* ---- the answer ---- */

void
kept_question_begin(KeptQuestion *q)
{
	*q = (KeptQuestion){.query = q->query,
						.varno = q->varno,
						.caller = q->caller,
						.kept = q->kept,
						.largest_partition = q->largest_partition,
						.average_partition = q->average_partition,
						.rows = q->rows,
						.parameters = q->parameters,
						.partition = (Expr **) palloc0(Max(q->kept->partitions, 1) * sizeof(Expr *)),
						.steps = pstrdup(""),
						.list = (Expr **) palloc0(Max(q->kept->partitions, 1) * sizeof(Expr *))};
}

bool
kept_question_has_partitions(const KeptQuestion *q, const List *clauses, bool shown)
{
	Bitmapset *found = NULL;

	foreach_node (SortGroupClause, clause, clauses)
	{
		int p = kept_question_partition(q, get_sortgroupclause_expr(clause, q->query->targetList));

		if (p < 0 || !op_in_opfamily(clause->eqop, q->kept->partition[p].family) ||
			(shown && !kept_question_is_exact(&q->kept->partition[p])))
			return false;
		found = bms_add_member(found, p);
	}
	for (int p = 0; p < q->kept->partitions; p++)
		if (q->partition[p] == NULL && !bms_is_member(p, found))
			return false;
	return true;
}

/* No reason is noted: cells are asked next (totals.c), and give theirs. */
bool
kept_question_has_answer(KeptQuestion *q)
{
	List *conditions = kept_question_conditions(q->query, q->query->jointree->quals);

	kept_question_begin(q);
	foreach_ptr (Node, condition, conditions)
		if (!kept_question_defines(q, condition) && !kept_question_take_value(q, condition) &&
			!kept_question_take_bound(q, condition))
			return false;
	for (int p = 0; p < q->kept->partitions; p++)
		if (q->partition[p] == NULL)
			return false;
	return kept_question_has_definition(q, conditions) && !has_other_aggregate((Node *) q->query->targetList, q) &&
		   !has_other_aggregate(q->query->havingQual, q);
}
