/*
 * expression.c: makes loops over many rows of an expression over columns; expression_rows.c runs them.
 *
 * All that a WindowReduce evaluates of rows but for arguments is such an expression: a column that the subquery
 * computes of the results of a window, such as v - lag(v), a condition, such as s % 1000 < 500, and a FILTER.  Core's
 * functions raise an error at an overflow or a division by zero.  A loop (loops.c) raises none: it tells that core
 * might, and then the executor computes the rows, one after the other.  The executor also computes an expression that
 * has a part for which there is no loop.
 *
 * An expression is a list of steps; the operands of a step are steps before it.  A step has the values of up to
 * REDUCE_ROWS rows as Datums, and where they are NULL.  Differences of timestamps, and intervals that are compared, are
 * microseconds.  Core does not compute all branches of CASE and COALESCE at all rows, nor a condition at the rows that
 * conditions before it have left out.  The loops do, and the rows at which core would not are out: there, no loop tells
 * of an error.
 *
 * A parameter is a value that is computed when the first row reaches it, as in core: a subquery (InitPlan) is run then,
 * which may raise an error.  It does so at the row at which core does if the condition is one of WHERE that compares
 * with the parameter itself, since no row is kept before.  For all other expressions the executor asks for it.
 *
 * Rejected: one list of steps for all expressions of a node, so that equal parts are computed once.  Core computes a
 * part at other rows in another expression, so a loop would have to know for whom it tells of an error.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "node/error_timing/error_timing.h"
#include "node/reduce/internal.h"

/* An expression of more steps is left to the executor, which need not compute all branches. */
#define MOST_STEPS 32

/* ---- loops ---- */

#define IS_TRUE(operand) (!operand->isnull[i] & DatumGetBool(operand->value[i]))
#define IS_FALSE(operand) (!operand->isnull[i] & !DatumGetBool(operand->value[i]))

/*
 * The loops of what is no function.  CASE has the value on the left, but where the step is out the one on the right;
 * the right side of NULLIF tells where the value is left out.  Core does not look at the right side of AND and OR at
 * all rows, which no loop here knows.
 */
#define LOOPS(F)                                                                                                \
	F(coalesce, left->isnull[i] & right->isnull[i], left->isnull[i] ? right->value[i] : left->value[i])         \
	F(nullif, left->isnull[i] | IS_TRUE(right), is_null ? (Datum) 0 : left->value[i])                           \
	F(case, step->out[i] ? right->isnull[i] : left->isnull[i], step->out[i] ? right->value[i] : left->value[i]) \
	F(is_null, false, BoolGetDatum(left->isnull[i]))                                                            \
	F(is_not_null, false, BoolGetDatum(!left->isnull[i]))                                                       \
	F(and, (left->isnull[i] | right->isnull[i]) & !(IS_FALSE(left) | IS_FALSE(right)),                          \
	  BoolGetDatum(IS_TRUE(left) & IS_TRUE(right)))                                                             \
	F(or, (left->isnull[i] | right->isnull[i]) & !(IS_TRUE(left) | IS_TRUE(right)),                             \
	  BoolGetDatum(IS_TRUE(left) | IS_TRUE(right)))                                                             \
	F(not, left->isnull[i], BoolGetDatum(IS_FALSE(left)))

#define DEFINE_LOOP(NAME, IS_NULL, VALUE)                                             \
	static bool loop_##NAME(Step *step, const Step *left, const Step *right, int64 n) \
	{                                                                                 \
		for (int64 i = 0; i < n; i++)                                                 \
		{                                                                             \
			bool  is_null = (IS_NULL);                                                \
			Datum value = (VALUE);                                                    \
                                                                                      \
			step->isnull[i] = is_null;                                                \
			step->value[i] = value;                                                   \
		}                                                                             \
		return true;                                                                  \
	}
LOOPS(DEFINE_LOOP)

/* The branches of CASE and COALESCE: each loop sets `isnull` at the rows at which the steps of a branch are out. */
#define DEFINE_OUT_LOOP(NAME, IS_OUT)                                                     \
	static bool loop_out_##NAME(Step *step, const Step *left, const Step *right, int64 n) \
	{                                                                                     \
		for (int64 i = 0; i < n; i++)                                                     \
			step->isnull[i] = step->out[i] | (IS_OUT);                                    \
		return true;                                                                      \
	}
DEFINE_OUT_LOOP(unless_true, !IS_TRUE(left))
DEFINE_OUT_LOOP(if_true, IS_TRUE(left))
DEFINE_OUT_LOOP(unless_null, !left->isnull[i])

/* ---- steps ---- */

/* True if a step can have values of a type: those that are passed by value, numerics, and intervals to be compared. */
static bool
fits_in_step(const Loops *loops, Oid type)
{
	return get_typbyval(type) || type == NUMERICOID || (type == INTERVALOID && loops->compares);
}

/* Adds a step, and returns its number. */
static int
new_step(Loops *loops, Step step)
{
	step.out = step.out == NULL ? loops->out : step.out;
	step.own = step.value = (Datum *) palloc0(REDUCE_ROWS * sizeof(Datum));
	step.isnull = (bool *) palloc0(REDUCE_ROWS * sizeof(bool));
	loops->step = (Step *) (loops->n == 0 ? palloc(sizeof(Step))
										  : repalloc(loops->step, (loops->n + 1) * sizeof(Step)));
	loops->step[loops->n] = step;
	return loops->n++;
}

static int
add_constant(Loops *loops, const Const *constant)
{
	int number;

	if (!fits_in_step(loops, constant->consttype) && !constant->constisnull)
		return -1;
	number = new_step(loops, (Step){.column = -1, .span = constant->consttype == INTERVALOID});
	return expression_fill(&loops->step[number], constant->constvalue, constant->constisnull) ? number : -1;
}

static int
add_parameter(Loops *loops, const Param *param)
{
	if (!fits_in_step(loops, param->paramtype))
		return -1;
	if (param->paramkind != PARAM_EXTERN)
	{
		if (loops->use == USE_COLUMN || !IsA(loops->top, OpExpr) ||
			!list_member_ptr(((const OpExpr *) loops->top)->args, param))
			return -1;
		loops->asks = true;
	}
	loops->heeds = true;
	return new_step(loops, (Step){.column = -1,
								  .span = param->paramtype == INTERVALOID,
								  .numeric = param->paramtype == NUMERICOID,
								  .param = ExecInitExpr((Expr *) unconstify(Param *, param), loops->node)});
}

static int
add_var(Loops *loops, const Var *var)
{
	loops->heeds = loops->heeds || var->vartype == NUMERICOID;
	return new_step(loops,
					(Step){.column = loops->column_of(loops->context, var), .span = var->vartype == INTERVALOID});
}

static int add_expression(Loops *loops, const Expr *expr);

/* Adds a loop over some operands; returns its number, or -1 if there is no such loop, or none for an operand. */
static int
add_loop(Loops *loops, StepLoop loop, const List *operands)
{
	int step = loop == NULL ? -1 : add_expression(loops, (const Expr *) linitial(operands));

	if (step >= 0 && list_length(operands) == 1)
		return new_step(loops, (Step){.loop = loop, .left = step, .right = step});
	for (int i = 1; i < list_length(operands) && step >= 0; i++)
	{
		int right = add_expression(loops, (const Expr *) list_nth(operands, i));

		step = right < 0 ? -1 : new_step(loops, (Step){.loop = loop, .left = step, .right = right});
	}
	return step;
}

/* Has the steps that are added next left out where a loop over a step tells. */
static void
leave_out(Loops *loops, StepLoop loop, int step)
{
	int out = new_step(loops, (Step){.loop = loop, .left = step, .right = step});

	loops->out = loops->step[out].isnull;
}

/* COALESCE from its i-th value on. */
static int
add_coalesce(Loops *loops, const List *args, int i)
{
	int			left = add_expression(loops, (const Expr *) list_nth(args, i)), right;
	const bool *out = loops->out;

	if (left < 0 || i + 1 == list_length(args))
		return left;
	leave_out(loops, loop_out_unless_null, left);
	right = add_coalesce(loops, args, i + 1);
	loops->out = out;
	return right < 0 ? -1 : new_step(loops, (Step){.loop = loop_coalesce, .left = left, .right = right});
}

/* CASE from its i-th condition on. */
static int
add_case(Loops *loops, const CaseExpr *expr, int i)
{
	const CaseWhen *when;
	const bool	   *out = loops->out, *out_of_then;
	int				condition, left, right;

	if (i == list_length(expr->args))
		return expr->defresult == NULL ? -1 : add_expression(loops, expr->defresult);
	when = list_nth_node(CaseWhen, expr->args, i);
	condition = expr->arg != NULL ? -1 : add_expression(loops, when->expr);
	if (condition < 0)
		return -1;
	leave_out(loops, loop_out_unless_true, condition);
	out_of_then = loops->out;
	left = add_expression(loops, when->result);
	loops->out = out;
	leave_out(loops, loop_out_if_true, condition);
	right = left < 0 ? -1 : add_case(loops, expr, i + 1);
	loops->out = out;
	return right < 0 ? -1
					 : new_step(loops, (Step){.loop = loop_case, .left = left, .right = right, .out = out_of_then});
}

static int
add_operator(Loops *loops, const OpExpr *expr)
{
	bool compares = loops->compares;
	int	 step;

	loops->compares = exprType((const Node *) linitial(expr->args)) == INTERVALOID && expr->opresulttype == BOOLOID;
	step = add_loop(loops, loop_of_function(expr->opfuncid), expr->args);
	loops->compares = compares;
	return step;
}

static int
add_nullif(Loops *loops, const NullIfExpr *expr)
{
	int equal = add_loop(loops, loop_of_function(expr->opfuncid), expr->args);

	if (equal < 0)
		return -1;
	return new_step(loops, (Step){.loop = loop_nullif, .left = loops->step[equal].left, .right = equal});
}

/* IS NULL; of a column of any type, but rows. */
static int
add_null_test(Loops *loops, const NullTest *test)
{
	StepLoop loop = test->nulltesttype == IS_NULL ? loop_is_null : loop_is_not_null;
	int		 column;

	if (!IsA(test->arg, Var) || test->argisrow)
		return add_loop(loops, test->argisrow ? NULL : loop, list_make1(test->arg));
	column = add_var(loops, (const Var *) test->arg);
	loops->step[column].span = false;
	return new_step(loops, (Step){.loop = loop, .left = column, .right = column});
}

/* Adds the steps of an expression; returns the number of the last one, or -1 if there is no loop for a part of it. */
static int
add_expression(Loops *loops, const Expr *expr)
{
	static const StepLoop loop_of_bool[] = {[AND_EXPR] = loop_and, [OR_EXPR] = loop_or, [NOT_EXPR] = loop_not};

	check_stack_depth();
	if (loops->n > MOST_STEPS)
		return -1;
	switch (nodeTag(expr))
	{
		case T_Var:
			return fits_in_step(loops, ((const Var *) expr)->vartype) ? add_var(loops, (const Var *) expr) : -1;
		case T_Const:
			return add_constant(loops, (const Const *) expr);
		case T_Param:
			return add_parameter(loops, (const Param *) expr);
		case T_RelabelType:
			return add_expression(loops, ((const RelabelType *) expr)->arg);
		case T_OpExpr:
			return add_operator(loops, (const OpExpr *) expr);
		case T_FuncExpr:
			return add_loop(loops, loop_of_function(((const FuncExpr *) expr)->funcid),
							((const FuncExpr *) expr)->args);
		case T_CoalesceExpr:
			return add_coalesce(loops, ((const CoalesceExpr *) expr)->args, 0);
		case T_CaseExpr:
			return add_case(loops, (const CaseExpr *) expr, 0);
		case T_NullTest:
			return add_null_test(loops, (const NullTest *) expr);
		case T_BoolExpr:
			return add_loop(loops, loop_of_bool[((const BoolExpr *) expr)->boolop], ((const BoolExpr *) expr)->args);
		case T_NullIfExpr:
			return add_nullif(loops, (const NullIfExpr *) expr);
		default:
			return -1;
	}
}

/* Returns an expression as loops; NULL if there are none for one of its parts. */
static Loops *
loops_of(const Expr *expr, RowErrors errors, PlanState *node, ExpressionUse use, ColumnOfVar column_of, void *context)
{
	Loops *loops = (Loops *) palloc(sizeof(Loops));
	Oid	   type = exprType((const Node *) expr);

	*loops = (Loops){.top = expr,
					 .use = use,
					 .node = node,
					 .column_of = column_of,
					 .context = context,
					 .skipped = (bool *) palloc0(REDUCE_ROWS * sizeof(bool)),
					 .heeds = errors != ERRORS_NEVER,
					 .interval = type == INTERVALOID};
	loops->out = loops->skipped;
	if (use == USE_ARGUMENT || !(loops->interval || get_typbyval(type)) || add_expression(loops, expr) < 0)
		return NULL;
	return loops;
}

/* ---- errors ---- */

/* Returns when core raises an error of an expression. */
static RowErrors
errors_of(const Expr *expr, ExpressionUse use)
{
	OpExpr *comparison;

	if (!expression_may_error_or_side_effect((const Node *) expr))
		return ERRORS_NEVER;
	if (use != USE_WHERE || !IsA(expr, OpExpr))
		return ERRORS_AT_ROWS;
	/* would it, if the values were the user's parameters? */
	comparison = (OpExpr *) copyObject(expr);
	foreach_ptr (Param, param, comparison->args)
		if (IsA(param, Param))
			param->paramkind = PARAM_EXTERN;
	return expression_may_error_or_side_effect((const Node *) comparison) ? ERRORS_AT_ROWS : ERRORS_ONCE;
}

void
expression_begin(RowExpression *expression, Expr *expr, PlanState *node, ExpressionUse use, LateRow *late,
				 ColumnOfVar column_of, void *context)
{
	RowErrors errors = errors_of(expr, use);

	*expression = (RowExpression){.expr = expr,
								  .errors = errors,
								  .state = ExecInitExpr(expr, node),
								  .loops = loops_of(expr, errors, node, use, column_of, context)};
	foreach_node (Var, var, pull_var_clause((Node *) expr, 0))
		late_row_read(late, var->varattno, column_of(context, var));
}

bool
expression_can_be_tried(const RowExpression *expression)
{
	return expression->errors != ERRORS_AT_ROWS || (expression->loops != NULL && !expression->loops->asks);
}
