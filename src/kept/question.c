/*
 * question.c: see question.h.
 *
 * Conditions and aggregates of the query are brought into the form that a definition's have, and have to be equal then.
 * What is left of WHERE has to be a value for each column of the partition, and bounds of the first key.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "guc.h"
#include "kept/explain.h"
#include "kept/question.h"

/* ---- columns ---- */

bool
kept_question_is_exact(const KeptColumn *column)
{
	Oid function = get_opfamily_proc(column->family, column->opclass_type, column->opclass_type, BTEQUALIMAGE_PROC);

	/* a value of character(n) in a query need not have the blanks that those of the column have */
	return OidIsValid(function) && column->opclass_type != BPCHAROID &&
		   DatumGetBool(OidFunctionCall1Coll(function, column->collation, ObjectIdGetDatum(column->opclass_type)));
}

/* True if values of a column that are equal under its own collation are those that are equal under another one. */
static bool
has_equality_of(const KeptColumn *column, Oid collation)
{
	return collation == column->collation ||
		   (OidIsValid(collation) && get_collation_isdeterministic(collation) && kept_question_is_exact(column));
}

bool
kept_question_is_column(const KeptQuestion *q, Node *node, const KeptColumn *column)
{
	if (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return IsA(node, Var) && ((Var *) node)->varlevelsup == 0 && ((Var *) node)->varno == q->varno &&
		   ((Var *) node)->varattno == column->attribute;
}

int
kept_question_comparison(const KeptQuestion *q, Node *condition, const KeptColumn *column, Expr **value)
{
	const OpExpr *comparison = (const OpExpr *) condition;
	Node		 *left, *right;
	Oid			  operator;

	if (!IsA(comparison, OpExpr) || list_length(comparison->args) != 2)
		return 0;
	operator= comparison->opno;
	left = (Node *) linitial(comparison->args);
	right = (Node *) lsecond(comparison->args);
	if (kept_question_is_column(q, right, column))
	{
		Node *other = left;

		left = right;
		right = other;
		operator= get_commutator(operator);
	}
	if (!kept_question_is_column(q, left, column) || !OidIsValid(operator) || !kept_question_is_value(right) ||
		!has_equality_of(column, comparison->inputcollid))
		return 0;
	*value = kept_question_value(column, right);
	return get_op_opfamily_strategy(operator, column->family);
}

int
kept_question_partition(const KeptQuestion *q, Node *node)
{
	for (int p = 0; p < q->kept->partitions; p++)
		if (kept_question_is_column(q, node, &q->kept->partition[p]))
			return p;
	return -1;
}

Oid
kept_question_operator(Node *node, List **operands, Oid *collation)
{
	if (IsA(node, ScalarArrayOpExpr))
	{
		*operands = ((ScalarArrayOpExpr *) node)->args;
		*collation = ((ScalarArrayOpExpr *) node)->inputcollid;
		return ((ScalarArrayOpExpr *) node)->opno;
	}
	if (!IsA(node, OpExpr) && !IsA(node, DistinctExpr))
		return InvalidOid;
	*operands = ((OpExpr *) node)->args;
	*collation = ((OpExpr *) node)->inputcollid;
	return ((OpExpr *) node)->opno;
}

/* True if an operator has the same result for all equal values of a column. */
static bool
operator_is_of(const KeptColumn *column, Oid operator, Oid collation)
{
	return kept_question_is_exact(column) ||
		   (collation == column->collation &&
			(op_in_opfamily(operator, column->family) || op_in_opfamily(get_negator(operator), column->family)));
}

bool
kept_question_tells_apart(Node *node, void *question)
{
	const KeptQuestion *q = (const KeptQuestion *) question;
	List			   *operands;
	ListCell		   *cell;
	Oid					operator, collation;
	int					p = node == NULL ? -1 : kept_question_partition(q, node);

	if (node == NULL || p >= 0)
		return p >= 0 && !kept_question_is_exact(&q->kept->partition[p]);
	if (IsA(node, NullTest) && !((NullTest *) node)->argisrow &&
		kept_question_partition(q, (Node *) ((NullTest *) node)->arg) >= 0)
		return false;
	/* a correlated subquery: core may make a join of it */
	if (IsA(node, Query))
		return contain_vars_of_level(node, 1);
	operator= kept_question_operator(node, &operands, &collation);
	if (!OidIsValid(operator))
		return expression_tree_walker(node, kept_question_tells_apart, question);
	foreach (cell, operands)
	{
		p = kept_question_partition(q, lfirst(cell));
		if (p >= 0 ? !operator_is_of(&q->kept->partition[p], operator, collation)
				   : kept_question_tells_apart(lfirst(cell), question))
			return true;
	}
	return false;
}

static bool
has_other_column(Node *node, void *question)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		return kept_question_partition((const KeptQuestion *) question, node) < 0;
	return expression_tree_walker(node, has_other_column, question);
}

bool
kept_question_is_of_partition(const KeptQuestion *q, Node *node)
{
	return !contain_volatile_functions(node) && !contain_subplans(node) && !contain_window_function(node) &&
		   !has_other_column(node, (void *) q) && !kept_question_tells_apart(node, (void *) q);
}

/* ---- conditions ---- */

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

bool
kept_question_defines(KeptQuestion *q, Node *condition)
{
	Node	 *same = kept_question_normal(q, condition);
	ListCell *cell;

	foreach (cell, q->kept->where)
		if (equal(lfirst(cell), same))
		{
			q->conditions |= UINT64CONST(1) << Min(foreach_current_index(cell), 63);
			return true;
		}
	return false;
}

bool
kept_question_has_definition(KeptQuestion *q)
{
	int n = list_length(q->kept->where);

	for (int i = 0; i < n && i < 64; i++)
		if ((q->conditions >> i & 1) == 0)
		{
			Node *lacking = (Node *) copyObject(list_nth(q->kept->where, i));

			ChangeVarNodes(lacking, 1, q->varno, 0);
			return kept_question_fails(q, "the query lacks the condition %s of the definition", lacking);
		}
	return n < 64;
}

/* Takes a condition of the query.  False: the rows that the kept scan has do not answer it. */
static bool
take_condition(KeptQuestion *q, Node *condition)
{
	Expr *value;
	int	  strategy;

	if (kept_question_defines(q, condition))
		return true;
	for (int p = 0; p < q->kept->partitions; p++)
	{
		strategy = kept_question_comparison(q, condition, &q->kept->partition[p], &value);
		if (strategy == BTEqualStrategyNumber && q->partition[p] == NULL && value != NULL)
		{
			q->partition[p] = value;
			return true;
		}
	}
	strategy = kept_question_comparison(q, condition, &q->kept->key[0], &value);
	return (strategy != 0 && value != NULL && take_bound(q, strategy, value)) ||
		   kept_question_fails(q, "the definition lacks the condition %s", condition);
}

/* Returns an array of one value, NULL if there is none of the type. */
static Expr *
array_of_value(const KeptColumn *column, Expr *value)
{
	Oid		   type = get_array_type(column->type);
	ArrayExpr *array = makeNode(ArrayExpr);

	if (!OidIsValid(type))
		return NULL;
	array->array_typeid = type;
	array->array_collid = column->collation;
	array->element_typeid = column->type;
	array->elements = list_make1(value);
	array->location = -1;
	return (Expr *) array;
}

/* Returns an array as one of the column's type, NULL if it is of another type. */
static Expr *
array_for_column(const KeptColumn *column, Expr *array)
{
	Oid element = get_element_type(exprType((Node *) array));
	Oid list = get_array_type(column->type);

	if (element == column->type)
		return array;
	if (element != column->opclass_type || !OidIsValid(list))
		return NULL;
	return (Expr *) makeRelabelType(array, list, -1, column->collation, COERCE_IMPLICIT_CAST);
}

/* Takes the list of `column = ANY (list)`, or of `column = value`, for a column of the partition. */
static void
take_list(KeptQuestion *q, int p, Node *condition)
{
	const KeptColumn		*column = &q->kept->partition[p];
	const ScalarArrayOpExpr *any = (const ScalarArrayOpExpr *) condition;
	Expr					*value, *list = NULL;

	if (IsA(any, ScalarArrayOpExpr) && any->useOr && kept_question_is_column(q, linitial(any->args), column) &&
		get_op_opfamily_strategy(any->opno, column->family) == BTEqualStrategyNumber &&
		has_equality_of(column, any->inputcollid) && kept_question_is_value(lsecond(any->args)))
		list = array_for_column(column, (Expr *) lsecond(any->args));
	else if (kept_question_comparison(q, condition, column, &value) == BTEqualStrategyNumber)
	{
		q->fixed = bms_add_member(q->fixed, p);
		list = value == NULL ? NULL : array_of_value(column, value);
	}
	if (q->list[p] == NULL)
		q->list[p] = list;
}

/* Takes a condition of a query with GROUP BY. */
static bool
take_group_condition(KeptQuestion *q, Node *condition)
{
	Expr *value;
	int	  strategy;

	if (kept_question_defines(q, condition))
		return true;
	if (kept_question_is_of_partition(q, condition))
	{
		for (int p = 0; p < q->kept->partitions; p++)
			take_list(q, p, condition);
		q->remain = lappend(q->remain, condition);
		return true;
	}
	strategy = kept_question_comparison(q, condition, &q->kept->key[0], &value);
	return (strategy != 0 && value != NULL && take_bound(q, strategy, value)) ||
		   kept_question_fails(q, "the definition lacks the condition %s", condition);
}

static bool
take_conditions(KeptQuestion *q, Node *node, bool (*take)(KeptQuestion *q, Node *condition))
{
	ListCell *cell;

	foreach (cell, make_ands_implicit((Expr *) node))
	{
		Node *condition = (Node *) lfirst(cell);

		if (is_andclause(condition) ? !take_conditions(q, condition, take) : !take(q, condition))
			return false;
	}
	return true;
}

/* ---- aggregates ---- */

/* True if an expression, in the form of the definition's, is a column of the table that is never NULL. */
static bool
is_never_null(const KeptQuestion *q, Node *node)
{
	const Var *column = (const Var *) node;
	Relation   table;
	bool	   never;

	if (!IsA(column, Var) || column->varlevelsup != 0 || column->varattno <= 0)
		return false;
	table = table_open(q->kept->table, NoLock);
	never = compat_is_not_null(RelationGetDescr(table), column->varattno);
	table_close(table, NoLock);
	return never;
}

/* Returns which aggregate of the definition has a function, arguments and a filter, -1 if none. */
static int
find_aggregate(const KeptQuestion *q, Oid function, Oid collation, List *arguments, const Expr *condition)
{
	Node	 *filter = condition == NULL ? NULL : kept_question_normal(q, (Node *) condition);
	List	 *same = NIL;
	ListCell *cell;

	foreach (cell, arguments)
		same = lappend(same, kept_question_normal(q, (Node *) lfirst(cell)));
	/* as many as rows */
	if (function == F_COUNT_ANY && is_never_null(q, linitial(same)))
	{
		function = F_COUNT_;
		same = NIL;
	}
	for (int a = 0; a < q->kept->aggregates; a++)
	{
		const KeptAggregate *aggregate = &q->kept->aggregate[a];

		if (aggregate->called == function && aggregate->collation == collation && equal(aggregate->arguments, same) &&
			equal(aggregate->filter, filter))
			return a;
	}
	return -1;
}

int
kept_question_aggregate(const KeptQuestion *q, const Aggref *call)
{
	List	 *arguments = NIL;
	ListCell *cell;

	if (call->agglevelsup != 0 || call->aggorder != NIL || call->aggdistinct != NIL || call->aggdirectargs != NIL)
		return -1;
	foreach (cell, call->args)
		arguments = lappend(arguments, lfirst_node(TargetEntry, cell)->expr);
	return find_aggregate(q, call->aggfnoid, call->inputcollid, arguments, call->aggfilter);
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
	if (IsA(node, GroupingFunc))
		return true;
	/* without GROUP BY, a column outside of an aggregate is nothing that the parser lets through */
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		return q->query->groupClause == NIL || kept_question_partition(q, node) < 0 ||
			   kept_question_tells_apart(node, question);
	return expression_tree_walker(node, has_other_aggregate, question);
}

/* ---- the answer ---- */

static void
begin(KeptQuestion *q)
{
	q->partition = (Expr **) palloc0(Max(q->kept->partitions, 1) * sizeof(Expr *));
	q->list = (Expr **) palloc0(Max(q->kept->partitions, 1) * sizeof(Expr *));
	q->fixed = NULL;
	q->from = q->to = NULL;
	q->remain = NIL;
	q->conditions = 0;
	q->reason = NULL;
}

static bool
has_aggregates(KeptQuestion *q)
{
	return kept_question_has_definition(q) && !has_other_aggregate((Node *) q->query->targetList, q) &&
		   !has_other_aggregate(q->query->havingQual, q);
}

bool
kept_question_has_answer(KeptQuestion *q)
{
	begin(q);
	if (!take_conditions(q, q->query->jointree->quals, take_condition))
		return false;
	for (int p = 0; p < q->kept->partitions; p++)
		if (q->partition[p] == NULL)
			return kept_question_fails(
				q, psprintf("the query has no condition %s = ...", quote_identifier(q->kept->partition[p].name)), NULL);
	return has_aggregates(q);
}

/* True if the groups are partitions: each column of the partition is grouped by, or has one value in all rows. */
static bool
groups_are_partitions(const KeptQuestion *q)
{
	Bitmapset *found = bms_copy(q->fixed);
	ListCell  *cell;

	foreach (cell, q->query->groupClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, cell);
		int				 p = kept_question_partition(q, get_sortgroupclause_expr(clause, q->query->targetList));

		if (p < 0 || !op_in_opfamily(clause->eqop, q->kept->partition[p].family) ||
			!kept_question_is_exact(&q->kept->partition[p]))
			return false;
		found = bms_add_member(found, p);
	}
	return q->kept->partitions > 0 && bms_num_members(found) == q->kept->partitions;
}

/* A bound lies in a leaf of each partition, whose rows are read.  That costs as much as reading so many other rows. */
#define ROWS_OF_BOUND 2048

/* True if the partitions have so many rows that reading a state of each one is faster than reading the table. */
static bool
groups_pay(const KeptQuestion *q)
{
	bool all_listed = true;

	for (int p = 0; p < q->kept->partitions; p++)
		all_listed = all_listed && q->list[p] != NULL;
	if (guc_kept == KEPT_FORCE || all_listed || q->average_partition < 0)
		return true;
	return q->average_partition > (q->from == NULL && q->to == NULL ? KEPT_LEAF_ROWS : ROWS_OF_BOUND);
}

bool
kept_question_has_groups(KeptQuestion *q)
{
	begin(q);
	if (!take_conditions(q, q->query->jointree->quals, take_group_condition))
		return false;
	if (!groups_are_partitions(q))
		return kept_question_fails(q, "GROUP BY has other columns than the definition's PARTITION BY", NULL);
	return has_aggregates(q) && (groups_pay(q) || kept_question_fails(q, "partitions have too few rows", NULL));
}
