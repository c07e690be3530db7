/*
 * question.c: see question.h.
 *
 * Conditions and aggregates of the query are brought into the form that a definition's have, and have to be equal then.
 * What is left of WHERE has to be a value for each column of the partition, and bounds of the first key.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "kept/question.h"

/* ---- expressions ---- */

/* Brings an expression over the table into the form in which definitions have theirs. */
static Node *
as_in_definition(const KeptQuestion *q, Node *node)
{
	node = (Node *) copyObject(node);
	ChangeVarNodes(node, q->varno, 1, 0);
	return (Node *) expression_planner((Expr *) node);
}

/*
 * True for a function that may raise an error for some value.  Core computes the value of an index condition even if no
 * row is read, but that of a filter at each row.  So an error in a table without rows would be new; arithmetic of dates
 * is let through, since its errors lie beyond the year 290000.
 */
static bool
may_raise_error(Oid function, void *unused)
{
	Oid type = get_func_rettype(function);

	return function >= FirstUnpinnedObjectId ||
		   (type != DATEOID && type != TIMESTAMPOID && type != TIMESTAMPTZOID && type != INTERVALOID);
}

static bool
has_unsafe_part(Node *node, void *unused)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup == 0;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind != PARAM_EXTERN;
	if (check_functions_in_node(node, may_raise_error, NULL))
		return true;
	if (!(IsA(node, Const) || IsA(node, FuncExpr) || IsA(node, OpExpr) || IsA(node, RelabelType) ||
		  IsA(node, SQLValueFunction)))
		return true;
	return expression_tree_walker(node, has_unsafe_part, NULL);
}

/* True if an expression has the same value in all rows of the table and may be computed once, and first. */
static bool
is_value(Node *node)
{
	return !contain_volatile_functions(node) && !has_unsafe_part(node, NULL);
}

static int
integer_width(Oid type)
{
	return type == INT2OID ? 2 : type == INT4OID ? 4 : type == INT8OID ? 8 : 0;
}

/* Returns an integer constant as one of a narrower type, NULL if it is none, or beyond that type. */
static Expr *
narrow_constant(const Const *value, Oid type)
{
	int64 number;

	if (!IsA(value, Const) || value->constisnull)
		return NULL;
	number = value->consttype == INT4OID ? DatumGetInt32(value->constvalue) : DatumGetInt64(value->constvalue);
	if (type == INT2OID && number >= PG_INT16_MIN && number <= PG_INT16_MAX)
		return (Expr *) makeConst(type, -1, InvalidOid, 2, Int16GetDatum((int16) number), false, true);
	if (type == INT4OID && number >= PG_INT32_MIN && number <= PG_INT32_MAX)
		return (Expr *) makeConst(type, -1, InvalidOid, 4, Int32GetDatum((int32) number), false, true);
	return NULL;
}

/* Returns a value as one of the column's type, NULL if it may have none. */
static Expr *
value_for_column(const KeptColumn *column, Node *value)
{
	Oid type = exprType(value);
	int from = integer_width(type), to = integer_width(column->type);

	if (type == column->type)
		return (Expr *) value;
	if (type == column->opclass_type)
		return (Expr *) makeRelabelType((Expr *) value, column->type, -1, column->collation, COERCE_IMPLICIT_CAST);
	if (from > 0 && from < to)
		return (Expr *) coerce_type(NULL, value, type, column->type, -1, COERCION_IMPLICIT, COERCE_IMPLICIT_CAST, -1);
	return to > 0 && from > to ? narrow_constant((const Const *) eval_const_expressions(NULL, value), column->type)
							   : NULL;
}

/* ---- conditions ---- */

static bool
is_column(const KeptQuestion *q, Node *node, const KeptColumn *column)
{
	if (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return IsA(node, Var) && ((Var *) node)->varlevelsup == 0 && ((Var *) node)->varno == q->varno &&
		   ((Var *) node)->varattno == column->attribute;
}

/*
 * Reads a comparison of a column with a value.  Returns its strategy, as that of a btree in which the column is on the
 * left, and the value; 0 if it is another condition.
 */
static int
read_comparison(const KeptQuestion *q, const OpExpr *condition, const KeptColumn *column, Expr **value)
{
	Node *left, *right;
	Oid	  operator= condition->opno;

	if (!IsA(condition, OpExpr) || list_length(condition->args) != 2)
		return 0;
	left = (Node *) linitial(condition->args);
	right = (Node *) lsecond(condition->args);
	if (is_column(q, right, column))
	{
		Node *other = left;

		left = right;
		right = other;
		operator= get_commutator(operator);
	}
	if (!is_column(q, left, column) || !OidIsValid(operator) || !is_value(right) ||
		(OidIsValid(condition->inputcollid) && !get_collation_isdeterministic(condition->inputcollid)))
		return 0;
	*value = value_for_column(column, right);
	return *value == NULL ? 0 : get_op_opfamily_strategy(operator, column->family);
}

static bool
take_bound(KeptQuestion *q, int strategy, Expr *value)
{
	bool is_from = strategy >= BTEqualStrategyNumber, is_to = strategy <= BTEqualStrategyNumber;

	if ((is_from && q->from != NULL) || (is_to && q->to != NULL))
		return false;
	if (is_from)
	{
		q->from = value;
		q->from_inclusive = strategy != BTGreaterStrategyNumber;
	}
	if (is_to)
	{
		q->to = value;
		q->to_inclusive = strategy != BTLessStrategyNumber;
	}
	return true;
}

/* Takes a condition of the query.  False: the rows that the kept scan has do not answer it. */
static bool
take_condition(KeptQuestion *q, Node *condition)
{
	Expr	 *value;
	int		  strategy;
	ListCell *cell;
	Node	 *same = as_in_definition(q, condition);

	foreach (cell, q->kept->where)
		if (equal(lfirst(cell), same))
		{
			q->conditions |= 1 << foreach_current_index(cell);
			return true;
		}
	for (int p = 0; p < q->kept->partitions; p++)
	{
		strategy = read_comparison(q, (const OpExpr *) condition, &q->kept->partition[p], &value);
		if (strategy == BTEqualStrategyNumber && q->partition[p] == NULL)
		{
			q->partition[p] = value;
			return true;
		}
	}
	strategy = read_comparison(q, (const OpExpr *) condition, &q->kept->key[0], &value);
	return strategy != 0 && take_bound(q, strategy, value);
}

static bool
take_conditions(KeptQuestion *q, Node *node)
{
	ListCell *cell;

	if (node == NULL)
		return true;
	if (IsA(node, List))
	{
		foreach (cell, (List *) node)
			if (!take_conditions(q, lfirst(cell)))
				return false;
		return true;
	}
	if (is_andclause(node))
		return take_conditions(q, (Node *) ((BoolExpr *) node)->args);
	return take_condition(q, node);
}

/* ---- aggregates ---- */

int
kept_question_aggregate(const KeptQuestion *q, const Aggref *call)
{
	List	 *arguments = NIL;
	Node	 *filter = call->aggfilter == NULL ? NULL : as_in_definition(q, (Node *) call->aggfilter);
	ListCell *cell;

	if (call->agglevelsup != 0 || call->aggorder != NIL || call->aggdistinct != NIL || call->aggdirectargs != NIL)
		return -1;
	foreach (cell, call->args)
		arguments = lappend(arguments, as_in_definition(q, (Node *) lfirst_node(TargetEntry, cell)->expr));
	for (int a = 0; a < q->kept->aggregates; a++)
	{
		const KeptAggregate *aggregate = &q->kept->aggregate[a];

		if (aggregate->called == call->aggfnoid && aggregate->collation == call->inputcollid &&
			equal(aggregate->arguments, arguments) && equal(aggregate->filter, filter))
			return a;
	}
	return -1;
}

static bool
has_other_aggregate(Node *node, void *question)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
		return kept_question_aggregate((KeptQuestion *) question, (Aggref *) node) < 0;
	/* GROUPING(), or a column without GROUP BY: nothing that the parser lets through */
	if (IsA(node, GroupingFunc) || (IsA(node, Var) && ((Var *) node)->varlevelsup == 0))
		return true;
	return expression_tree_walker(node, has_other_aggregate, question);
}

/* ---- the answer ---- */

bool
kept_question_has_answer(KeptQuestion *q)
{
	const Query *query = q->query;

	q->partition = (Expr **) palloc0(Max(q->kept->partitions, 1) * sizeof(Expr *));
	q->from = q->to = NULL;
	q->conditions = 0;
	if (list_length(q->kept->where) > 31 || !take_conditions(q, query->jointree->quals))
		return false;
	for (int p = 0; p < q->kept->partitions; p++)
		if (q->partition[p] == NULL)
			return false;
	return q->conditions == (1 << list_length(q->kept->where)) - 1 &&
		   !has_other_aggregate((Node *) query->targetList, q) && !has_other_aggregate(query->havingQual, q);
}
