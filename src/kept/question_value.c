/*
 * question_value.c: see question_value.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "kept/explain.h"
#include "kept/question_value.h"

/* ---- expressions ---- */

Node *
kept_question_normal(const KeptQuestion *q, Node *node)
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

	/* casts that every value survives, such as that of a number that is compared with a numeric column */
	if (function == F_NUMERIC_INT2 || function == F_NUMERIC_INT4 || function == F_NUMERIC_INT8 ||
		function == F_INT4_INT2 || function == F_INT8_INT2 || function == F_INT8_INT4)
		return false;
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
		  IsA(node, SQLValueFunction) || IsA(node, ArrayExpr) || IsA(node, List)))
		return true;
	return expression_tree_walker(node, has_unsafe_part, NULL);
}

bool
kept_question_is_value(Node *node)
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

Expr *
kept_question_value(const KeptColumn *column, Node *value)
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

/* ---- reasons ---- */

bool
kept_question_has_outer(Node *node, void *unused)
{
	if (node == NULL)
		return false;
	return (IsA(node, Var) && ((Var *) node)->varlevelsup > 0) ||
		   expression_tree_walker(node, kept_question_has_outer, unused);
}

/* Returns an expression over the table as text; "..." where that could not be one of this table alone. */
static char *
text_of(const KeptQuestion *q, Node *node)
{
	char *table = get_rel_name(q->kept->table), *function;

	if (IsA(node, WindowFunc))
	{
		function = get_func_name(((WindowFunc *) node)->winfnoid);
		return function == NULL ? pstrdup("...") : function;
	}
	if (table == NULL || kept_question_has_outer(node, NULL) || contain_subplans(node))
		return pstrdup("...");
	node = (Node *) copyObject(node);
	ChangeVarNodes(node, q->varno, 1, 0);
	return deparse_expression(node, deparse_context_for(table, q->kept->table), false, false);
}

bool
kept_question_fails(KeptQuestion *q, const char *what, Node *node)
{
	if (q->reason == NULL && kept_notes_wanted())
		q->reason = node == NULL ? pstrdup(what) : psprintf(what, text_of(q, node));
	return false;
}
