/*
 * question_column.c: the columns of a kept scan in the expressions of a query level, and what is asked of them.
 *
 * Values of a column of PARTITION BY may be equal and look different.  An answer of a kept scan is that of a partition,
 * so a query must not ask about the look.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/stratnum.h"
#include "catalog/pg_opfamily_d.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "kept/planner.h"

bool
kept_question_is_exact(const KeptColumn *column)
{
	Oid function = get_opfamily_proc(column->family, column->opclass_type, column->opclass_type, BTEQUALIMAGE_PROC);

	/* the values of a numeric(10,2) column have two digits each behind the point: none is 1.0 where another is 1 */
	if (column->type == NUMERICOID)
		return column->typmod >= 0;
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
kept_question_equals(const KeptColumn *column, Oid operator, Oid collation)
{
	return get_op_opfamily_strategy(operator, column->family) == BTEqualStrategyNumber &&
		   has_equality_of(column, collation);
}

bool
kept_question_is_column(const KeptQuestion *q, Node *node, const KeptColumn *column)
{
	if (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return IsA(node, Var) && ((Var *) node)->varlevelsup == 0 && ((Var *) node)->varno == q->varno &&
		   ((Var *) node)->varattno == column->attribute;
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

bool
kept_question_may_fail(Node *node, void *others)
{
	List *operands;
	Oid	  collation, operator= node == NULL ? InvalidOid : kept_question_operator(node, &operands, &collation);

	if (node == NULL || list_member((List *) others, node))
		return false;
	if (OidIsValid(operator) ? !compat_compares(operator)
							 : !(IsA(node, Var) || IsA(node, Const) || IsA(node, Param) || IsA(node, RelabelType) ||
								 IsA(node, BoolExpr) || IsA(node, NullTest) || IsA(node, BooleanTest) ||
								 IsA(node, ArrayExpr) || IsA(node, List)))
		return true;
	return expression_tree_walker(node, kept_question_may_fail, others);
}

/* Returns an operand without the cast that the parser gives to an integer that is compared with a numeric. */
static Node *
without_cast(Node *node)
{
	Oid function = IsA(node, FuncExpr) ? ((FuncExpr *) node)->funcid : InvalidOid;

	return function == F_NUMERIC_INT2 || function == F_NUMERIC_INT4 || function == F_NUMERIC_INT8
			   ? (Node *) linitial(((FuncExpr *) node)->args)
			   : node;
}

int
kept_question_comparison(const KeptQuestion *q, Node *condition, const KeptColumn *column, Node **value)
{
	List *operands;
	Oid	  collation, operator= IsA(condition, OpExpr) ? kept_question_operator(condition, &operands, &collation)
													  : InvalidOid;
	Node *operand;
	int	  side, strategy;

	if (!OidIsValid(operator) || list_length(operands) != 2)
		return 0;
	side = kept_question_is_column(q, without_cast(lsecond(operands)), column);
	operator= side == 1 ? get_commutator(operator) : operator;
	operand = (Node *) list_nth(operands, side);
	*value = list_nth(operands, 1 - side);
	if (!kept_question_is_column(q, without_cast(operand), column) || !OidIsValid(operator) ||
		!kept_question_is_value(*value) || !has_equality_of(column, collation))
		return 0;
	strategy = get_op_opfamily_strategy(operator,
										operand == without_cast(operand)
											? column->family
											: lookup_type_cache(NUMERICOID, TYPECACHE_BTREE_OPFAMILY)->btree_opf);
	/*
	 * A timestamp that daylight saving time leaves out is the instant of the one an hour later, so timestamps are not
	 * in the order of these instants: 03:00 in Berlin on 2026-03-29 is before 02:30.  Dates are, in each zone.
	 */
	return column->type == TIMESTAMPOID && exprType(*value) == TIMESTAMPTZOID ? -strategy : strategy;
}

int
kept_question_partition(const KeptQuestion *q, Node *node)
{
	for (int p = 0; p < q->kept->partitions; p++)
		if (kept_question_is_column(q, node, &q->kept->partition[p]))
			return p;
	return -1;
}

bool
kept_question_tells_apart(Node *node, void *question)
{
	const KeptQuestion *q = (const KeptQuestion *) question;
	List			   *operands;
	Oid					operator, collation;
	int					p = node == NULL ? -1 : kept_question_partition(q, node);
	bool				differs;

	if (node == NULL || p >= 0)
		return p >= 0 && !kept_question_is_exact(&q->kept->partition[p]);
	if (q->has_cells && q->is_of_cells((KeptQuestion *) question, node, &differs))
		return differs;
	if (IsA(node, NullTest) && !((NullTest *) node)->argisrow &&
		kept_question_partition(q, (Node *) ((NullTest *) node)->arg) >= 0)
		return false;
	/* a correlated subquery: core may make a join of it */
	if (IsA(node, Query))
		return contain_vars_of_level(node, 1);
	operator= kept_question_operator(node, &operands, &collation);
	if (!OidIsValid(operator))
		return expression_tree_walker(node, kept_question_tells_apart, question);
	foreach_ptr (Node, operand, operands)
	{
		p = kept_question_partition(q, operand);
		/* the operators of the family, and <>, have one result for all equal values */
		if (p < 0 || collation != q->kept->partition[p].collation ||
			(!op_in_opfamily(operator, q->kept->partition[p].family) &&
			 !op_in_opfamily(get_negator(operator), q->kept->partition[p].family)))
			if (kept_question_tells_apart(operand, question))
				return true;
	}
	return false;
}

static bool
has_other_column(Node *node, void *question)
{
	if (node != NULL && IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		return kept_question_partition((const KeptQuestion *) question, node) < 0;
	return expression_tree_walker(node, has_other_column, question);
}

bool
kept_question_is_of_partition(const KeptQuestion *q, Node *node)
{
	return !contain_volatile_functions(node) && !contain_window_function(node) &&
		   (q->has_cells || !(contain_subplans(node) || has_other_column(node, (void *) q))) &&
		   !kept_question_tells_apart(node, (void *) q);
}

/* ---- values ---- */

Expr *
kept_question_nearest(const KeptQuestion *q, const KeptColumn *column, Node *value, int strategy)
{
	Oid types[] = {ANYOID, INT4OID, ANYELEMENTOID},
		function = kept_function(q, "scan_kept_bound", lengthof(types), types);
	List *arguments = list_make3(
		value, makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(strategy), false, true),
		makeNullConst(column->opclass_type, -1, InvalidOid));

	return !OidIsValid(function) ? NULL
								 : (Expr *) makeFuncExpr(function, column->opclass_type, arguments, InvalidOid,
														 InvalidOid, COERCE_EXPLICIT_CALL);
}

Expr *
kept_question_value(const KeptQuestion *q, const KeptColumn *column, Node *value, int strategy)
{
	Oid type = exprType(value);

	if (type == column->type)
		return (Expr *) value;
	if (type == column->opclass_type)
		return (Expr *) makeRelabelType((Expr *) value, column->type, -1, column->collation, COERCE_IMPLICIT_CAST);
	/* two dates may be equal to one timestamptz, so only a key may be compared with it */
	if (column->family != INTEGER_BTREE_FAM_OID && column != &q->kept->key[0])
		return NULL;
	value = (Node *) kept_question_nearest(q, column, value, strategy);
	return value == NULL ? NULL : kept_question_value(q, column, value, strategy);
}

Expr *
kept_question_array(const KeptColumn *column, Expr *value)
{
	Oid		   type = exprType((Node *) value), list = get_array_type(column->type);
	ArrayExpr *array = makeNode(ArrayExpr);

	if (!OidIsValid(list) || get_element_type(type) == column->type)
		return OidIsValid(list) ? value : NULL;
	if (get_element_type(type) == column->opclass_type)
		return (Expr *) makeRelabelType(value, list, -1, column->collation, COERCE_IMPLICIT_CAST);
	array->array_typeid = list;
	array->array_collid = column->collation;
	array->element_typeid = column->type;
	array->elements = list_make1(value);
	array->location = -1;
	return type == column->type ? (Expr *) array : NULL;
}
