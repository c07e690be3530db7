/*
 * question_value.c: what a query level asks of a kept scan; its expressions as values, and as text for EXPLAIN.
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
#include "utils/selfuncs.h"

#include "compat.h"
#include "kept/planner.h"
#include "kept/reading.h"

/* ---- expressions ---- */

/* Puts constants behind the operators that they stand before: `0 < amount` becomes `amount > 0`. */
static Node *
constants_last(Node *node, void *unused)
{
	OpExpr *call = (OpExpr *) expression_tree_mutator(node, constants_last, unused);

	if (call != NULL && IsA(call, OpExpr) && list_length(call->args) == 2 && IsA(linitial(call->args), Const) &&
		!IsA(lsecond(call->args), Const) && OidIsValid(get_commutator(call->opno)))
		CommuteOpExpr(call);
	return (Node *) call;
}

Node *
kept_question_normal(const KeptQuestion *q, Node *node)
{
	node = (Node *) copyObject(node);
	/* another table of the level may be the first one */
	if (q != NULL && q->varno != 1)
		ChangeVarNodes(node, 1, list_length(q->query->rtable) + 1, 0);
	if (q != NULL)
		ChangeVarNodes(node, q->varno, 1, 0);
	return constants_last((Node *) expression_planner((Expr *) node), NULL);
}

bool
kept_question_is_same(const void *of_definition, const Node *normal)
{
	return equal(constants_last(unconstify(void *, of_definition), NULL), normal);
}

/*
 * Constants are folded as core folds them.  A function of a user that core would inline is left alone, because then a
 * plan has to be made anew when the function changes, and nothing of the plan would say so.
 */
List *
kept_question_conditions(const Query *query, Node *quals)
{
	PlannerGlobal global = {.type = T_PlannerGlobal};
	/* from 19 on, core looks up in the query whether a column may be NULL */
	PlannerInfo root = {.type = T_PlannerInfo, .glob = &global, .parse = unconstify(Query *, query)};
	Node	   *folded = eval_const_expressions(&root, quals);
	List	   *conditions = NIL;

	foreach_ptr (Node, condition, make_ands_implicit((Expr *) (global.invalItems == NIL ? folded : quals)))
		conditions = is_andclause(condition) ? list_concat(conditions, kept_question_conditions(query, condition))
											 : lappend(conditions, condition);
	return conditions;
}

/* True if an expression has a part of which the planner knows no value. */
static bool
is_unknown(Node *node, void *unused)
{
	return node != NULL && (IsA(node, Var) || IsA(node, Param) || IsA(node, SubLink) ||
							expression_tree_walker(node, is_unknown, unused));
}

/*
 * True for a function that may raise an error for some value.  Core computes the value of an index condition even if no
 * row is read, but that of a filter at each row.  So an error in a table without rows would be new; arithmetic of dates
 * is let through, since its errors lie beyond the year 290000.
 *
 * What has no parameter and no subquery is computed by the planner, which estimates how many rows meet a condition, so
 * `to_timestamp('2026-13', 'YYYY-MM')` is an error in any table.  With a parameter it is not, if the plan is generic.
 */
static bool
may_raise_error(Oid function, void *unknown)
{
	Oid	 type = get_func_rettype(function);
	bool is_date = type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID || type == INTERVALOID;

	if (function >= FirstUnpinnedObjectId)
		return true;
	if (unknown == NULL)
		return !is_date && type != INT2OID && type != INT4OID && type != INT8OID && type != NUMERICOID &&
			   type != FLOAT8OID;
	/* some of other numbers, of an interval of 0, and of two infinite ones */
	if (function == F_MAKE_DATE || function == F_MAKE_TIMESTAMP ||
		function == F_MAKE_TIMESTAMPTZ_INT4_INT4_INT4_INT4_INT4_FLOAT8 ||
		function == F_MAKE_TIMESTAMPTZ_INT4_INT4_INT4_INT4_INT4_FLOAT8_TEXT ||
		function == F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP ||
		function == F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ || function == F_TIMESTAMP_MI ||
		function == F_TIMESTAMPTZ_MI || function == F_AGE_TIMESTAMP_TIMESTAMP ||
		function == F_AGE_TIMESTAMPTZ_TIMESTAMPTZ)
		return true;
	/* but for casts that every value survives, such as that of a number that is compared with a numeric column */
	return !(is_date || function == F_NUMERIC_INT2 || function == F_NUMERIC_INT4 || function == F_NUMERIC_INT8 ||
			 function == F_INT4_INT2 || function == F_INT8_INT2 || function == F_INT8_INT4 ||
			 function == F_FLOAT8_INT4 || function == F_FLOAT8_INT8);
}

/* The second argument is the innermost function or operator that the node is an argument of. */
static bool
has_unsafe_part(Node *node, void *call)
{
	if (node == NULL)
		return false;
	/* a function may refuse a text: a format, a unit or a time zone */
	if (call != NULL && (IsA(node, Var) || IsA(node, Param) || IsA(node, SubLink)) &&
		TypeCategory(exprType(node)) == TYPCATEGORY_STRING)
		return true;
	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup == 0;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind != PARAM_EXTERN;
	/* a subquery is asked once, if it does not depend on the row */
	if (IsA(node, SubLink))
		return ((SubLink *) node)->subLinkType != EXPR_SUBLINK ||
			   contain_vars_of_level(((SubLink *) node)->subselect, 1);
	if (check_functions_in_node(node, may_raise_error, is_unknown(node, NULL) ? node : NULL) ||
		!(IsA(node, Const) || IsA(node, FuncExpr) || IsA(node, OpExpr) || IsA(node, RelabelType) ||
		  IsA(node, SQLValueFunction) || IsA(node, CoalesceExpr) || IsA(node, ArrayExpr) || IsA(node, List) ||
		  (IsA(node, MinMaxExpr) && ((MinMaxExpr *) node)->minmaxtype < FirstUnpinnedObjectId)))
		return true;
	return expression_tree_walker(node, has_unsafe_part, IsA(node, FuncExpr) || IsA(node, OpExpr) ? node : call);
}

bool
kept_question_is_value(Node *node)
{
	return !contain_volatile_functions(node) && !has_unsafe_part(node, NULL);
}

double
kept_question_length(Node *array)
{
	return IsA(array, Const) ? compat_array_length(array) : KEPT_LENGTH_OF_ARRAY;
}

/* ---- reasons ---- */

bool
kept_question_has_outer(Node *node, void *unused)
{
	return node != NULL && ((IsA(node, Var) && ((Var *) node)->varlevelsup > 0) ||
							expression_tree_walker(node, kept_question_has_outer, unused));
}

char *
kept_question_text(const KeptQuestion *q, Oid table, const void *node)
{
	Node *copy = (Node *) copyObject(node);

	ChangeVarNodes(copy, q->varno, 1, 0);
	return deparse_expression(copy, deparse_context_for(get_rel_name(table), table), false, false);
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
	if (table == NULL || kept_question_has_outer(node, NULL) || contain_subplans(node) ||
		!bms_is_subset(pull_varnos(NULL, node), bms_make_singleton(q->varno)))
		return pstrdup("...");
	return kept_question_text(q, q->kept->table, node);
}

bool
kept_question_fails(KeptQuestion *q, const char *what, Node *node)
{
	if (q->reason == NULL && kept_notes_wanted())
		q->reason = node == NULL ? pstrdup(what) : psprintf(what, text_of(q, node));
	return false;
}
