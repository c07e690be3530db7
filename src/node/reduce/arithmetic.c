/*
 * arithmetic.c: expressions over numbers and times, computed by loops over many rows.
 *
 * computed.c asks for columns that a subquery computes of the results of a window, such as v - lag(v), and chunk.c for
 * conditions, such as v % 10 < 3.  Core's
 * functions raise an error at an overflow or a division by zero.  A loop (loops.c) raises none: it tells that core
 * might, and then core's functions compute the rows, one after the other.
 *
 * An expression is a list of steps; the operands of a step are steps before it.  A step has the values of up to
 * REDUCE_ROWS rows as Datums, and where they are NULL.  Differences of timestamps are microseconds until they are
 * stored as intervals.  Core does not compute all branches of CASE and COALESCE at all rows, nor a condition at the
 * rows that conditions before it have left out.  The loops do, and the rows at which core would not are out: there, no
 * loop tells of an error.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "node/reduce/internal.h"
#include "op/fn.h"

/* An expression of more steps is left to the executor, which need not compute all branches. */
#define MOST_STEPS 32

struct Arithmetic
{
	int	  n;
	Step *step;		/* the last one is the result */
	bool  interval; /* the result's type is interval: the values are microseconds */
	bool *skipped;	/* for each row: core does not compute the expression there */

	/* while it is made */
	const bool *out;	  /* of the steps that are added next */
	bool		compares; /* intervals are compared, so that constants are good enough as microseconds */
	ColumnOfVar column_of;
	void	   *context;
};

/* ---- steps ---- */

/* True if a type is passed by value, so that a step can have its values. */
static bool
is_in_datum(Oid type)
{
	int16 length;
	bool  by_value;

	get_typlenbyval(type, &length, &by_value);
	return by_value;
}

/* Adds a step, and returns its number. */
static int
new_step(Arithmetic *arithmetic, Step step)
{
	step.out = step.out == NULL ? arithmetic->out : step.out;
	step.value = (Datum *) palloc0(REDUCE_ROWS * sizeof(Datum));
	step.isnull = (bool *) palloc0(REDUCE_ROWS * sizeof(bool));
	arithmetic->step = (Step *) (arithmetic->n == 0 ? palloc(sizeof(Step))
													: repalloc(arithmetic->step, (arithmetic->n + 1) * sizeof(Step)));
	arithmetic->step[arithmetic->n] = step;
	return arithmetic->n++;
}

static int
add_constant(Arithmetic *arithmetic, const Const *constant)
{
	const Step *step;
	int			number;

	if (!constant->constbyval && !constant->constisnull)
		return -1;
	number = new_step(arithmetic, (Step){.column = -1});
	step = &arithmetic->step[number];
	for (int64 i = 0; i < REDUCE_ROWS; i++)
		step->value[i] = constant->constisnull ? (Datum) 0 : constant->constvalue;
	memset(step->isnull, constant->constisnull, REDUCE_ROWS * sizeof(bool));
	return number;
}

/*
 * Adds a constant interval as microseconds: core compares intervals as if a day had 24 hours and a month 30 days.
 */
static int
add_interval(Arithmetic *arithmetic, const Const *constant)
{
	const Interval *interval = DatumGetIntervalP(constant->constvalue);
	scan_int128		span = ((scan_int128) interval->month * DAYS_PER_MONTH + interval->day) * USECS_PER_DAY +
					   interval->time;
	Const microseconds = *constant;

	if (!arithmetic->compares || span < PG_INT64_MIN || span > PG_INT64_MAX)
		return -1;
	microseconds.constvalue = Int64GetDatum((int64) span);
	microseconds.constbyval = true;
	return add_constant(arithmetic, &microseconds);
}

static int add_expression(Arithmetic *arithmetic, const Expr *expr);

/* Adds a loop over some operands; returns its number, or -1 if there is no such loop, or none for an operand. */
static int
add_loop(Arithmetic *arithmetic, StepLoop loop, const List *operands)
{
	int step = loop == NULL ? -1 : add_expression(arithmetic, (const Expr *) linitial(operands));

	if (step >= 0 && list_length(operands) == 1)
		return new_step(arithmetic, (Step){.loop = loop, .left = step, .right = step});
	for (int i = 1; i < list_length(operands) && step >= 0; i++)
	{
		int right = add_expression(arithmetic, (const Expr *) list_nth(operands, i));

		step = right < 0 ? -1 : new_step(arithmetic, (Step){.loop = loop, .left = step, .right = right});
	}
	return step;
}

/* Has the steps that are added next left out where a loop over a step tells. */
static void
leave_out(Arithmetic *arithmetic, StepLoop loop, int step)
{
	int out = new_step(arithmetic, (Step){.loop = loop, .left = step, .right = step});

	arithmetic->out = arithmetic->step[out].isnull;
}

/* COALESCE from its i-th value on. */
static int
add_coalesce(Arithmetic *arithmetic, const List *args, int i)
{
	int			left = add_expression(arithmetic, (const Expr *) list_nth(args, i)), right;
	const bool *out = arithmetic->out;

	if (left < 0 || i + 1 == list_length(args))
		return left;
	leave_out(arithmetic, loop_out_unless_null, left);
	right = add_coalesce(arithmetic, args, i + 1);
	arithmetic->out = out;
	return right < 0 ? -1 : new_step(arithmetic, (Step){.loop = loop_coalesce, .left = left, .right = right});
}

/* CASE from its i-th condition on. */
static int
add_case(Arithmetic *arithmetic, const CaseExpr *expr, int i)
{
	const CaseWhen *when;
	const bool	   *out = arithmetic->out, *out_of_then;
	int				condition, left, right;

	if (i == list_length(expr->args))
		return expr->defresult == NULL ? -1 : add_expression(arithmetic, expr->defresult);
	when = list_nth_node(CaseWhen, expr->args, i);
	condition = expr->arg != NULL ? -1 : add_expression(arithmetic, when->expr);
	if (condition < 0)
		return -1;
	leave_out(arithmetic, loop_out_unless_true, condition);
	out_of_then = arithmetic->out;
	left = add_expression(arithmetic, when->result);
	arithmetic->out = out;
	leave_out(arithmetic, loop_out_if_true, condition);
	right = left < 0 ? -1 : add_case(arithmetic, expr, i + 1);
	arithmetic->out = out;
	return right < 0
			   ? -1
			   : new_step(arithmetic, (Step){.loop = loop_case, .left = left, .right = right, .out = out_of_then});
}

static int
add_operator(Arithmetic *arithmetic, const OpExpr *expr)
{
	bool compares = arithmetic->compares;
	int	 step;

	arithmetic->compares = exprType((const Node *) linitial(expr->args)) == INTERVALOID &&
						   expr->opresulttype == BOOLOID;
	step = add_loop(arithmetic, loop_of_function(expr->opfuncid), expr->args);
	arithmetic->compares = compares;
	return step;
}

static int
add_nullif(Arithmetic *arithmetic, const NullIfExpr *expr)
{
	int equal = add_loop(arithmetic, loop_of_function(expr->opfuncid), expr->args);

	if (equal < 0)
		return -1;
	return new_step(arithmetic, (Step){.loop = loop_nullif, .left = arithmetic->step[equal].left, .right = equal});
}

/* Adds the steps of an expression; returns the number of the last one, or -1 if there is no loop for a part of it. */
static int
add_expression(Arithmetic *arithmetic, const Expr *expr)
{
	static const StepLoop loop_of_bool[] = {[AND_EXPR] = loop_and, [OR_EXPR] = loop_or, [NOT_EXPR] = loop_not};

	check_stack_depth();
	if (arithmetic->n > MOST_STEPS)
		return -1;
	switch (nodeTag(expr))
	{
		case T_Var:
			return !is_in_datum(((const Var *) expr)->vartype)
					   ? -1
					   : new_step(arithmetic,
								  (Step){.column = arithmetic->column_of(arithmetic->context, (const Var *) expr)});
		case T_Const:
			if (((const Const *) expr)->consttype == INTERVALOID && !((const Const *) expr)->constisnull)
				return add_interval(arithmetic, (const Const *) expr);
			return add_constant(arithmetic, (const Const *) expr);
		case T_RelabelType:
			return add_expression(arithmetic, ((const RelabelType *) expr)->arg);
		case T_OpExpr:
			return add_operator(arithmetic, (const OpExpr *) expr);
		case T_FuncExpr:
			return add_loop(arithmetic, loop_of_function(((const FuncExpr *) expr)->funcid),
							((const FuncExpr *) expr)->args);
		case T_CoalesceExpr:
			return add_coalesce(arithmetic, ((const CoalesceExpr *) expr)->args, 0);
		case T_CaseExpr:
			return add_case(arithmetic, (const CaseExpr *) expr, 0);
		case T_NullTest:
			return add_loop(arithmetic,
							((const NullTest *) expr)->nulltesttype == IS_NULL ? loop_is_null : loop_is_not_null,
							list_make1(((const NullTest *) expr)->arg));
		case T_BoolExpr:
			return add_loop(arithmetic, loop_of_bool[((const BoolExpr *) expr)->boolop],
							((const BoolExpr *) expr)->args);
		case T_NullIfExpr:
			return add_nullif(arithmetic, (const NullIfExpr *) expr);
		default:
			return -1;
	}
}

Arithmetic *
arithmetic_of(const Expr *expr, ColumnOfVar column_of, void *context)
{
	Arithmetic *arithmetic = (Arithmetic *) palloc(sizeof(Arithmetic));

	*arithmetic = (Arithmetic){.column_of = column_of,
							   .context = context,
							   .skipped = (bool *) palloc0(REDUCE_ROWS * sizeof(bool)),
							   .interval = exprType((const Node *) expr) == INTERVALOID};
	arithmetic->out = arithmetic->skipped;
	return add_expression(arithmetic, expr) < 0 ? NULL : arithmetic;
}

/* ---- rows ---- */

/* Reads the values of a column. */
static void
load_column(const Step *step, const Column *column, int64 from, int64 n)
{
	if (column->has_nulls)
		for (int64 i = 0; i < n; i++)
			step->value[i] = column_get(column, from + i, &step->isnull[i]);
	else
	{
		memset(step->isnull, false, n * sizeof(bool));
		for (int64 i = 0; i < n; i++)
			step->value[i] = column_datum(column, from + i);
	}
}

/* Returns the place of an interval of so many microseconds, as timestamp - timestamp makes it: in days and a rest. */
static uint64
store_interval(Rows *results, int64 microseconds)
{
	Interval *interval = (Interval *) arena_reserve(&results->arena, results->arrays, sizeof(Interval));

	interval->time = microseconds % USECS_PER_DAY;
	interval->day = (int32) (microseconds / USECS_PER_DAY);
	interval->month = 0;
	return arena_keep(&results->arena, sizeof(Interval));
}

/* Stores the values of the last step. */
static void
store_results(const Arithmetic *arithmetic, int64 n, Rows *results, int to, int64 at)
{
	const Step *last = &arithmetic->step[arithmetic->n - 1];
	Column		column = results->column[to].data;

	for (int64 i = 0; i < n; i++)
		column_store(&column, at + i,
					 arithmetic->interval ? store_interval(results, DatumGetInt64(last->value[i])) : last->value[i]);
	if (memchr(last->isnull, true, n) == NULL)
		return;
	for (int64 i = 0; i < n; i++)
		if (last->isnull[i])
			rows_put_null(results, to, at + i);
}

/* Runs the loops.  Returns false if core might raise an error. */
static bool
run_steps(const Arithmetic *arithmetic, const Rows *rows, int64 from, int64 n)
{
	for (int s = 0; s < arithmetic->n; s++)
	{
		const Step *step = &arithmetic->step[s];

		if (step->loop == NULL && step->column >= 0)
			load_column(step, &rows->column[step->column].data, from, n);
		if (step->loop != NULL && !step->loop(step, &arithmetic->step[step->left], &arithmetic->step[step->right], n))
			return false;
	}
	return true;
}

bool
arithmetic_run(Arithmetic *arithmetic, const Rows *rows, int64 from, int64 n, Rows *results, int to, int64 at)
{
	if (!run_steps(arithmetic, rows, from, n))
		return false;
	store_results(arithmetic, n, results, to, at);
	return true;
}

bool
arithmetic_filter(Arithmetic *arithmetic, const Rows *rows, int64 from, int64 n, bool *keep)
{
	const Step *last = &arithmetic->step[arithmetic->n - 1];

	for (int64 i = 0; i < n; i++)
		arithmetic->skipped[i] = !keep[i];
	if (!run_steps(arithmetic, rows, from, n))
		return false;
	for (int64 i = 0; i < n; i++)
		keep[i] = keep[i] & !last->isnull[i] & DatumGetBool(last->value[i]);
	return true;
}
