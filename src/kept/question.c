/*
 * question.c: whether a kept scan has the answer to what a query level asks.
 *
 * find.c finds the table of a level and its kept scans; the rewrites (totals.c, windows.c) ask here about each of them.
 *
 * Conditions and aggregates of the query are brought into the form that a definition's have.  Aggregates have to be
 * equal then.  The conditions of the definition have to follow from those of the query, by the proofs that core has for
 * partial indexes; and a condition of the query from those of the definition, unless it is a value for a column of the
 * partition or a bound of the first key.
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
#include "kept/planner.h"
#include "kept/reading.h"

/* ---- conditions ---- */

/* True if an expression, in the form of the definition's, is a column of the table that is never NULL. */
static bool
column_is_never_null(const KeptQuestion *q, Node *node)
{
	const Var *column = (const Var *) node;

	return IsA(column, Var) && column->varlevelsup == 0 && column->varattno > 0 &&
		   kept_column_is_not_null(q->kept->table, column->varattno);
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

/* Takes a bound of the first key. */
static bool
take_bound(KeptQuestion *q, int strategy, Node *value)
{
	bool is_from = strategy >= BTEqualStrategyNumber, is_to = strategy != 0 && strategy <= BTEqualStrategyNumber;

	if (is_from)
		take_side(q, &q->from, &q->from_inclusive, value, Max(strategy, BTGreaterEqualStrategyNumber));
	if (is_to)
		take_side(q, &q->to, &q->to_inclusive, value, Min(strategy, BTLessEqualStrategyNumber));
	return strategy != 0 && (!is_from || q->from != NULL) && (!is_to || q->to != NULL);
}

bool
kept_question_defines(KeptQuestion *q, Node *condition)
{
	Node		   *same = kept_question_normal(q, condition);
	const NullTest *test = (const NullTest *) same;

	return (IsA(test, NullTest) && !test->argisrow && test->nulltesttype == IS_NOT_NULL &&
			column_is_never_null(q, (Node *) test->arg)) ||
		   predicate_implied_by(list_make1(same), (List *) kept_question_normal(q, (Node *) q->kept->where), false);
}

bool
kept_question_has_definition(KeptQuestion *q)
{
	Node	 *asked = (Node *) kept_question_conditions(q->query, q->query->jointree->quals);
	ListCell *cell;

	asked = kept_question_normal(q, asked);
	foreach (cell, q->kept->where)
		if (!predicate_implied_by(list_make1(kept_question_normal(q, lfirst(cell))), (List *) asked, false))
		{
			Node *lacking = (Node *) copyObject(lfirst(cell));

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

/* Takes the lists of `column = ANY (list)` of a query with GROUP BY, and any other condition of the partitions. */
static bool
take_group_condition(KeptQuestion *q, Node *condition)
{
	const ScalarArrayOpExpr *any = (const ScalarArrayOpExpr *) condition;

	if (!kept_question_is_of_partition(q, condition))
		return false;
	for (int p = 0; p < q->kept->partitions && IsA(any, ScalarArrayOpExpr); p++)
	{
		const KeptColumn *column = &q->kept->partition[p];

		if (q->list[p] == NULL && any->useOr && kept_question_is_column(q, linitial(any->args), column) &&
			kept_question_equals(column, any->opno, any->inputcollid) && kept_question_is_value(lsecond(any->args)))
			q->list[p] = kept_question_array(column, (Expr *) lsecond(any->args));
	}
	q->remain = lappend(q->remain, condition);
	return true;
}

/* Takes a condition of the query.  False: the rows that the kept scan has do not answer it. */
static bool
take_condition(KeptQuestion *q, Node *condition)
{
	Node *value = NULL;
	int	  strategy = kept_question_comparison(q, condition, &q->kept->key[0], &value);

	return kept_question_defines(q, condition) || kept_question_take_value(q, condition) ||
		   (q->query->groupClause != NIL && take_group_condition(q, condition)) || take_bound(q, strategy, value) ||
		   kept_question_fails(q, "the definition lacks the condition %s", condition);
}

/* ---- aggregates ---- */

/* Returns which aggregate of the definition has a function, arguments and a filter, -1 if none. */
static int
find_aggregate(const KeptQuestion *q, Oid function, Oid collation, List *arguments, const Expr *condition)
{
	Node *filter = condition == NULL ? NULL : kept_question_normal(q, (Node *) condition);
	List *same = (List *) kept_question_normal(q, (Node *) arguments);

	/* as many as rows */
	if (function == F_COUNT_ANY && column_is_never_null(q, linitial(same)))
	{
		function = F_COUNT_;
		same = NIL;
	}
	for (int a = 0; a < q->kept->aggregates; a++)
	{
		const KeptAggregate *aggregate = &q->kept->aggregate[a];

		if (aggregate->called == function && aggregate->collation == collation &&
			kept_question_is_same(aggregate->arguments, (Node *) same) &&
			kept_question_is_same(aggregate->filter, filter))
			return a;
	}
	return -1;
}

int
kept_question_aggregate(const KeptQuestion *q, const Aggref *call)
{
	if (call->agglevelsup != 0 || call->aggorder != NIL || call->aggdistinct != NIL || call->aggdirectargs != NIL)
		return -1;
	return find_aggregate(q, call->aggfnoid, call->inputcollid, get_tlist_exprs(call->args, true), call->aggfilter);
}

int
kept_question_window_aggregate(const KeptQuestion *q, const WindowFunc *call)
{
	return call->winagg ? find_aggregate(q, call->winfnoid, call->inputcollid, call->args, call->aggfilter) : -1;
}

static bool
has_other_aggregate(Node *node, void *question)
{
	KeptQuestion *q = (KeptQuestion *) question;

	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
		return kept_question_aggregate(q, (Aggref *) node) < 0 &&
			   !kept_question_fails(q, "the definition lacks %s", node);
	if (IsA(node, GroupingFunc) || IsA(node, Query))
		return IsA(node, GroupingFunc) || contain_vars_of_level(node, 1);
	/* without GROUP BY, a column outside of an aggregate is nothing that the parser lets through */
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		return q->query->groupClause == NIL || kept_question_partition(q, node) < 0 ||
			   kept_question_tells_apart(node, question);
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
						.partition = (Expr **) palloc0(Max(q->kept->partitions, 1) * sizeof(Expr *)),
						.list = (Expr **) palloc0(Max(q->kept->partitions, 1) * sizeof(Expr *))};
}

bool
kept_question_has_partitions(const KeptQuestion *q, const List *clauses, bool shown)
{
	Bitmapset *found = NULL;
	ListCell  *cell;

	foreach (cell, clauses)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, cell);
		int				 p = kept_question_partition(q, get_sortgroupclause_expr(clause, q->query->targetList));

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

/* A bound lies in a leaf of each partition, whose rows are read.  That costs as much as reading so many other rows. */
#define ROWS_OF_BOUND 2048

/* True if the partitions have so many rows that reading a state of each one is faster than reading the table. */
static bool
groups_pay(const KeptQuestion *q)
{
	bool all_listed = true;

	for (int p = 0; p < q->kept->partitions; p++)
		all_listed = all_listed && (q->list[p] != NULL || q->partition[p] != NULL);
	return guc_kept == KEPT_FORCE || all_listed || q->average_partition < 0 ||
		   q->average_partition > (q->from == NULL && q->to == NULL ? KEPT_LEAF_ROWS : ROWS_OF_BOUND);
}

bool
kept_question_has_answer(KeptQuestion *q)
{
	bool	  has_groups = q->query->groupClause != NIL;
	ListCell *cell;

	kept_question_begin(q);
	foreach (cell, kept_question_conditions(q->query, q->query->jointree->quals))
		if (!take_condition(q, (Node *) lfirst(cell)))
			return false;
	for (int p = 0; p < q->kept->partitions && !has_groups; p++)
		if (q->partition[p] == NULL)
			return kept_question_fails(
				q, psprintf("the query has no condition %s = ...", quote_identifier(q->kept->partition[p].name)), NULL);
	if (has_groups && (q->kept->partitions == 0 || !kept_question_has_partitions(q, q->query->groupClause, true)))
		return kept_question_fails(q, "GROUP BY has other columns than the definition's PARTITION BY", NULL);
	return kept_question_has_definition(q) && !has_other_aggregate((Node *) q->query->targetList, q) &&
		   !has_other_aggregate(q->query->havingQual, q) &&
		   (!has_groups || groups_pay(q) || kept_question_fails(q, "partitions have too few rows", NULL));
}
