/*
 * arithmetic.c: expressions over numbers and times, computed by loops over many rows.
 *
 * computed.c asks for them: columns that a subquery computes of the results of a window, such as v - lag(v).  Core's
 * functions of arithmetic raise errors, at overflow or a division by zero.  A loop raises none: it tells that core
 * might, and computed.c has core's functions compute these rows, one after the other.
 *
 * To add a function of core's, add a line to FUNCTIONS.  Each expression is a list of steps, the parts of an expression
 * before it.  A step has the values of up to REDUCE_ROWS rows as Datums, and where they are NULL.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/int.h"
#include "datatype/timestamp.h"
#include "nodes/nodeFuncs.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "column/type.h"
#include "node/reduce/arithmetic.h"

typedef struct Step Step;

/* Computes a step of its operands for n rows.  Returns false if core might raise an error. */
typedef bool (*StepLoop)(const Step *step, const Step *left, const Step *right, int64 n);

typedef struct Function
{
	Oid		 oid;
	StepLoop loop;
} Function;

struct Step
{
	StepLoop loop;		  /* NULL: the step is a column or a constant */
	int		 left, right; /* its operands: numbers of earlier steps; equal if there is one */
	int		 column;	  /* of the rows; -1: a constant, whose values are set once */
	Datum	*value;
	bool	*isnull;
};

struct Arithmetic
{
	int	  n;
	Step *step;		/* the last one is the result */
	bool  interval; /* the result's type is interval: the values are microseconds */

	/* while it is made */
	ColumnOfVar column_of;
	void	   *context;
};

/* ---- functions ---- */

static pg_attribute_always_inline bool
float_is_odd(float8 a, float8 b, float8 result)
{
	return isinf(result) && !isinf(a) && !isinf(b);
}

static pg_attribute_always_inline bool
product_is_odd(float8 a, float8 b, float8 result)
{
	return float_is_odd(a, b, result) || (result == 0 && a != 0 && b != 0);
}

static pg_attribute_always_inline bool
quotient_is_odd(float8 a, float8 b, float8 result)
{
	return b == 0 || float_is_odd(a, b, result) || (result == 0 && a != 0 && !isinf(b));
}

#define GET_int16 DatumGetInt16
#define GET_int32 DatumGetInt32
#define GET_int64 DatumGetInt64
#define GET_float4 DatumGetFloat4
#define GET_float8 DatumGetFloat8
#define MAKE_int32 Int32GetDatum
#define MAKE_int64 Int64GetDatum
#define MAKE_float8 Float8GetDatum

/* The conditions under which core might raise an error; each computes the result r of a and b. */
#define NEVER(VALUE) (r = (VALUE), false)
#define ONE(VALUE) ((void) a, NEVER(VALUE))
#define FLOAT(VALUE, IS_ODD) (r = (VALUE), IS_ODD(a, b, r))
#define DIVIDED(OPERATOR, LEAST) (b == 0 || (b == -1 && a == (LEAST)) || NEVER(a OPERATOR b))

#define DAYS_APART (DATE_NOT_FINITE(a) || DATE_NOT_FINITE(b) || pg_sub_s32_overflow(a, b, &r))
#define TIMES_APART (TIMESTAMP_NOT_FINITE(a) || TIMESTAMP_NOT_FINITE(b) || pg_sub_s64_overflow(a, b, &r))

/* name in fmgroids.h, types of the operands and of the result, condition; one with one operand has it twice */
#define FUNCTIONS(F)                                                                         \
	F(INT4PL, int32, int32, int32, pg_add_s32_overflow(a, b, &r))                            \
	F(INT4MI, int32, int32, int32, pg_sub_s32_overflow(a, b, &r))                            \
	F(INT4MUL, int32, int32, int32, pg_mul_s32_overflow(a, b, &r))                           \
	F(INT4DIV, int32, int32, int32, DIVIDED(/, PG_INT32_MIN))                                \
	F(INT4MOD, int32, int32, int32, DIVIDED(%, PG_INT32_MIN))                                \
	F(INT8PL, int64, int64, int64, pg_add_s64_overflow(a, b, &r))                            \
	F(INT8MI, int64, int64, int64, pg_sub_s64_overflow(a, b, &r))                            \
	F(INT8MUL, int64, int64, int64, pg_mul_s64_overflow(a, b, &r))                           \
	F(INT8DIV, int64, int64, int64, DIVIDED(/, PG_INT64_MIN))                                \
	F(INT8MOD, int64, int64, int64, DIVIDED(%, PG_INT64_MIN))                                \
	F(INT84PL, int64, int32, int64, pg_add_s64_overflow(a, b, &r))                           \
	F(INT84MI, int64, int32, int64, pg_sub_s64_overflow(a, b, &r))                           \
	F(INT84MUL, int64, int32, int64, pg_mul_s64_overflow(a, b, &r))                          \
	F(INT84DIV, int64, int32, int64, DIVIDED(/, PG_INT64_MIN))                               \
	F(INT48PL, int32, int64, int64, pg_add_s64_overflow(a, b, &r))                           \
	F(INT48MI, int32, int64, int64, pg_sub_s64_overflow(a, b, &r))                           \
	F(INT48MUL, int32, int64, int64, pg_mul_s64_overflow(a, b, &r))                          \
	F(INT48DIV, int32, int64, int64, b == 0 || NEVER(a / b))                                 \
	F(INT4UM, int32, int32, int32, a == PG_INT32_MIN || NEVER(-b))                           \
	F(INT8UM, int64, int64, int64, a == PG_INT64_MIN || NEVER(-b))                           \
	F(INT4ABS, int32, int32, int32, a == PG_INT32_MIN || NEVER(b < 0 ? -b : b))              \
	F(ABS_INT4, int32, int32, int32, a == PG_INT32_MIN || NEVER(b < 0 ? -b : b))             \
	F(INT8ABS, int64, int64, int64, a == PG_INT64_MIN || NEVER(b < 0 ? -b : b))              \
	F(ABS_INT8, int64, int64, int64, a == PG_INT64_MIN || NEVER(b < 0 ? -b : b))             \
	F(INT4_INT2, int16, int16, int32, ONE(b))                                                \
	F(INT8_INT2, int16, int16, int64, ONE(b))                                                \
	F(INT8_INT4, int32, int32, int64, ONE(b))                                                \
	F(INT4_INT8, int64, int64, int32, a<PG_INT32_MIN || a> PG_INT32_MAX || NEVER((int32) b)) \
	F(FLOAT8PL, float8, float8, float8, FLOAT(a + b, float_is_odd))                          \
	F(FLOAT8MI, float8, float8, float8, FLOAT(a - b, float_is_odd))                          \
	F(FLOAT8MUL, float8, float8, float8, FLOAT(a *b, product_is_odd))                        \
	F(FLOAT8DIV, float8, float8, float8, FLOAT(a / b, quotient_is_odd))                      \
	F(FLOAT8_INT2, int16, int16, float8, ONE(b))                                             \
	F(FLOAT8_FLOAT4, float4, float4, float8, ONE(b))                                         \
	F(FLOAT8_INT4, int32, int32, float8, ONE(b))                                             \
	F(FLOAT8_INT8, int64, int64, float8, ONE((float8) b))                                    \
	F(DATE_MI, int32, int32, int32, DAYS_APART)                                              \
	F(TIMESTAMP_MI, int64, int64, int64, TIMES_APART)                                        \
	F(TIMESTAMPTZ_MI, int64, int64, int64, TIMES_APART)

/* A NULL has the value 0, so no loop has to leave out rows. */
#define DEFINE_LOOP(NAME, LEFT, RIGHT, RESULT, FAILS)                                       \
	static bool loop_##NAME(const Step *step, const Step *left, const Step *right, int64 n) \
	{                                                                                       \
		bool fails = false;                                                                 \
                                                                                            \
		for (int64 i = 0; i < n; i++)                                                       \
		{                                                                                   \
			LEFT   a = GET_##LEFT(left->value[i]);                                          \
			RIGHT  b = GET_##RIGHT(right->value[i]);                                        \
			RESULT r = 0;                                                                   \
			bool   failed = (FAILS);                                                        \
                                                                                            \
			step->isnull[i] = left->isnull[i] | right->isnull[i];                           \
			step->value[i] = step->isnull[i] ? (Datum) 0 : MAKE_##RESULT(r);                \
			fails |= failed & !step->isnull[i];                                             \
		}                                                                                   \
		return !fails;                                                                      \
	}
#define FUNCTION_LINE(NAME, LEFT, RIGHT, RESULT, FAILS) {F_##NAME, loop_##NAME},

FUNCTIONS(DEFINE_LOOP)
static const Function functions[] = {FUNCTIONS(FUNCTION_LINE)};

/* COALESCE of two values.  The second one is computed for all rows: where it fails, core has the last word. */
static bool
loop_coalesce(const Step *step, const Step *left, const Step *right, int64 n)
{
	for (int64 i = 0; i < n; i++)
	{
		step->value[i] = left->isnull[i] ? right->value[i] : left->value[i];
		step->isnull[i] = left->isnull[i] & right->isnull[i];
	}
	return true;
}

/* NULLIF of two values that are equal if and only if their Datums are. */
static bool
loop_nullif(const Step *step, const Step *left, const Step *right, int64 n)
{
	for (int64 i = 0; i < n; i++)
	{
		step->isnull[i] = left->isnull[i] | (!right->isnull[i] & (left->value[i] == right->value[i]));
		step->value[i] = step->isnull[i] ? (Datum) 0 : left->value[i];
	}
	return true;
}

/* ---- steps ---- */

static StepLoop
loop_of_function(Oid function)
{
	for (int i = 0; i < lengthof(functions); i++)
		if (functions[i].oid == function)
			return functions[i].loop;
	return NULL;
}

/* True if a type is passed by value, so that a step can have its values. */
static bool
has_values(Oid type)
{
	int16 length;
	bool  by_value;

	get_typlenbyval(type, &length, &by_value);
	return by_value;
}

/* Adds a step, and returns its number. */
static int
add_step(Arithmetic *arithmetic, Step step)
{
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
	int			number = add_step(arithmetic, (Step){.column = -1});
	const Step *step = &arithmetic->step[number];

	for (int64 i = 0; i < REDUCE_ROWS; i++)
		step->value[i] = constant->constisnull ? (Datum) 0 : constant->constvalue;
	memset(step->isnull, constant->constisnull, REDUCE_ROWS * sizeof(bool));
	return number;
}

static int add_expression(Arithmetic *arithmetic, const Expr *expr);

/* Adds a loop over the operands, from the first one on; returns its number, or -1 if there is no loop for an operand.
 */
static int
add_loop(Arithmetic *arithmetic, StepLoop loop, const List *operands)
{
	int left = loop == NULL ? -1 : add_expression(arithmetic, (const Expr *) linitial(operands));

	for (int i = 1; i < list_length(operands) && left >= 0; i++)
	{
		int right = add_expression(arithmetic, (const Expr *) list_nth(operands, i));

		left = right < 0 ? -1 : add_step(arithmetic, (Step){.loop = loop, .left = left, .right = right});
	}
	if (left >= 0 && list_length(operands) == 1)
		left = add_step(arithmetic, (Step){.loop = loop, .left = left, .right = left});
	return left;
}

/* Adds the steps of an expression; returns the number of the last one, or -1 if there is no loop for a part of it. */
static int
add_expression(Arithmetic *arithmetic, const Expr *expr)
{
	switch (nodeTag(expr))
	{
		case T_Var:
			return !has_values(((const Var *) expr)->vartype)
					   ? -1
					   : add_step(arithmetic,
								  (Step){.column = arithmetic->column_of(arithmetic->context, (const Var *) expr)});
		case T_Const:
			return !((const Const *) expr)->constbyval ? -1 : add_constant(arithmetic, (const Const *) expr);
		case T_RelabelType:
			return add_expression(arithmetic, ((const RelabelType *) expr)->arg);
		case T_OpExpr:
			return add_loop(arithmetic, loop_of_function(((const OpExpr *) expr)->opfuncid),
							((const OpExpr *) expr)->args);
		case T_FuncExpr:
			return add_loop(arithmetic, loop_of_function(((const FuncExpr *) expr)->funcid),
							((const FuncExpr *) expr)->args);
		case T_CoalesceExpr:
			return add_loop(arithmetic, loop_coalesce, ((const CoalesceExpr *) expr)->args);
		case T_NullIfExpr:
			return !type_equal_is_by_datum(((const NullIfExpr *) expr)->opfuncid)
					   ? -1
					   : add_loop(arithmetic, loop_nullif, ((const NullIfExpr *) expr)->args);
		default:
			return -1;
	}
}

Arithmetic *
arithmetic_of(const Expr *expr, ColumnOfVar column_of, void *context)
{
	Arithmetic *arithmetic = (Arithmetic *) palloc0(sizeof(Arithmetic));

	arithmetic->column_of = column_of;
	arithmetic->context = context;
	arithmetic->interval = exprType((const Node *) expr) == INTERVALOID;
	return add_expression(arithmetic, expr) < 0 ? NULL : arithmetic;
}

/* ---- rows ---- */

/* Reads the values of a column. */
static void
read_column(const Step *step, const Column *column, int64 from, int64 n)
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

bool
arithmetic_run(Arithmetic *arithmetic, const Rows *rows, int64 from, int64 n, Rows *results, int to, int64 at)
{
	for (int s = 0; s < arithmetic->n; s++)
	{
		const Step *step = &arithmetic->step[s];

		if (step->loop == NULL && step->column >= 0)
			read_column(step, &rows->column[step->column].data, from, n);
		if (step->loop != NULL && !step->loop(step, &arithmetic->step[step->left], &arithmetic->step[step->right], n))
			return false;
	}
	store_results(arithmetic, n, results, to, at);
	return true;
}
