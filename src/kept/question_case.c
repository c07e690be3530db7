/*
 * question_case.c: aggregates of a CASE, as aggregates with FILTER, which cells have.
 *
 *   count(CASE WHEN c THEN x END)        count(x) FILTER (WHERE c), and so each aggregate of one argument
 *   sum(CASE WHEN c THEN 1 ELSE 0 END)   CASE WHEN count(*) > 0 THEN count(*) FILTER (WHERE c) END
 *   sum(CASE WHEN c THEN x ELSE 0 END)   coalesce(sum(x) FILTER (WHERE c),
 *                                          CASE WHEN count(*) FILTER (WHERE c IS NOT TRUE) > 0 THEN 0 END)
 *
 * Dashboards and people write such sums for totals of several months, or of several kinds, side by side.  A sum that
 * has no row is NULL, and one of zeros is 0: hence the counts.  An aggregate that the definition has as it is stays so.
 */
#include "postgres.h"

#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"

#include "compat.h"
#include "kept/catalogs.h"
#include "kept/planner.h"

/* Returns an aggregate with another argument, for the rows of it that meet a condition. */
static Aggref *
filtered(const Aggref *call, Node *argument, Node *condition)
{
	Aggref *copy = (Aggref *) copyObject(call);

	((TargetEntry *) linitial(copy->args))->expr = (Expr *) copyObject(argument);
	copy->aggfilter = (Expr *) make_and_qual((Node *) copy->aggfilter, (Node *) copyObject(condition));
	return copy;
}

/* Returns count(*) over the rows of an aggregate, or over those that meet a condition. */
static Aggref *
count_of(const Aggref *call, Node *condition)
{
	Aggref *count = (Aggref *) copyObject(call);

	count->aggfnoid = F_COUNT_;
	count->aggtype = INT8OID;
	count->aggcollid = count->inputcollid = InvalidOid;
	count->aggargtypes = count->args = NIL;
	count->aggstar = true;
	count->aggfilter = (Expr *) make_and_qual((Node *) count->aggfilter, (Node *) copyObject(condition));
	return count;
}

/* Returns an expression where a count is not 0, and else NULL. */
static Node *
if_any(Aggref *count, Node *result)
{
	CaseExpr *node = makeNode(CaseExpr);
	CaseWhen *when = makeNode(CaseWhen);
	Const	 *zero = makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(0), false, FLOAT8PASSBYVAL);

	when->expr = make_opclause(Int8LessOperator, BOOLOID, false, (Expr *) zero, (Expr *) count, InvalidOid, InvalidOid);
	when->result = (Expr *) result;
	node->casetype = exprType(result);
	node->args = list_make1(when);
	node->defresult = (Expr *) makeNullConst(node->casetype, -1, InvalidOid);
	return (Node *) node;
}

/* Returns 0 as a sum of zeros with others shows it, NULL if a constant is none, or makes the sum show more digits. */
static Node *
zero_of_sum(const Aggref *sum, const Const *constant, Node *argument)
{
	int	  typmod = exprTypmod(argument), scale = typmod < 0 ? 0 : (typmod - VARHDRSZ) & 0x7ff;
	Datum value;

	if (!IsA(constant, Const))
		return NULL;
	if (sum->aggfnoid == F_SUM_NUMERIC)
		return DatumGetBool(DirectFunctionCall2(numeric_eq, constant->constvalue,
												DirectFunctionCall1(int4_numeric, Int32GetDatum(0)))) &&
					   DatumGetInt32(DirectFunctionCall1(numeric_scale, constant->constvalue)) <=
						   (scale < 1024 ? scale : 0)
				   ? (Node *) constant
				   : NULL;
	if ((sum->aggfnoid != F_SUM_INT2 && sum->aggfnoid != F_SUM_INT4 && sum->aggfnoid != F_SUM_INT8) ||
		constant->constvalue != 0)
		return NULL;
	value = sum->aggtype == INT8OID ? Int64GetDatum(0) : DirectFunctionCall1(int4_numeric, Int32GetDatum(0));
	return (Node *) makeConst(sum->aggtype, -1, InvalidOid, sum->aggtype == INT8OID ? (int) sizeof(int64) : -1, value,
							  false, sum->aggtype == INT8OID && FLOAT8PASSBYVAL);
}

/* Returns the expression that takes the place of an aggregate of a CASE; NULL: it stays as it is. */
static Node *
without_case(const KeptQuestion *q, const Aggref *call)
{
	const CaseExpr *node = list_length(call->args) == 1
							   ? (const CaseExpr *) linitial_node(TargetEntry, call->args)->expr
							   : NULL;
	List		   *remain;
	const Const	   *otherwise;
	Node		   *argument, *condition, *zero;
	BooleanTest	   *test = makeNode(BooleanTest);
	CoalesceExpr   *coalesce = makeNode(CoalesceExpr);

	if (node == NULL || !IsA(node, CaseExpr) || node->arg != NULL || list_length(node->args) != 1 ||
		call->aggfnoid >= FirstUnpinnedObjectId || call->agglevelsup > 0 || call->aggorder != NIL ||
		call->aggdistinct != NIL || (q->kept != NULL && kept_question_aggregate(q, call, &remain) >= 0))
		return NULL;
	condition = (Node *) linitial_node(CaseWhen, node->args)->expr;
	argument = (Node *) linitial_node(CaseWhen, node->args)->result;
	otherwise = (const Const *) eval_const_expressions(NULL, (Node *) node->defresult);
	if (IsA(otherwise, Const) && otherwise->constisnull)
		return (Node *) filtered(call, argument, condition);
	zero = zero_of_sum(call, otherwise, argument);
	if (zero == NULL)
		return NULL;
	if (call->aggfnoid == F_SUM_INT4 && IsA(argument, Const) && !((Const *) argument)->constisnull &&
		DatumGetInt32(((Const *) argument)->constvalue) == 1)
		return if_any(count_of(call, NULL), (Node *) count_of(call, condition));
	test->arg = (Expr *) copyObject(condition);
	test->booltesttype = IS_NOT_TRUE;
	test->location = -1;
	coalesce->coalescetype = call->aggtype;
	coalesce->location = -1;
	coalesce->args = list_make2(filtered(call, argument, condition), if_any(count_of(call, (Node *) test), zero));
	return (Node *) coalesce;
}

Node *
kept_question_without_case(Node *node, void *question)
{
	Node *other = node != NULL && IsA(node, Aggref) ? without_case((const KeptQuestion *) question, (Aggref *) node)
													: NULL;

	if (other != NULL || node == NULL || IsA(node, Aggref) || IsA(node, Query))
		return other != NULL ? other : node;
	return expression_tree_mutator(node, kept_question_without_case, question);
}
