/*
 * conditions.c: conditions on the columns of rows, evaluated over many rows at a time.
 *
 * begin.c finds out what each condition is, and chunk.c has it evaluated: the conditions of WHERE above a window, and
 * those of an aggregate's FILTER.  Where the order of a type is that of numbers (column/type.h), a comparison with a
 * value, or with another column, compares the numbers by which a sort orders the values (sort/bit_pack.h).  Numerics
 * are compared by their digits, and intervals by core's function.  Every other condition is evaluated by the executor,
 * for the rows that the conditions before it have left.
 *
 * The value of a comparison may be a parameter that core computes when it is first read (an InitPlan), which may raise
 * an error.  So the value is asked for at the first row that reaches the comparison, as core does.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/typcache.h"

#include "column/stretch.h"
#include "column/type.h"
#include "node/reduce/internal.h"
#include "number/decimal.h"
#include "sort/bit_pack.h"

/* Rows whose numbers are compared at a time: they are in the processor's cache. */
#define NUMBERS_AT_ONCE 512

/* ---- what a condition is ---- */

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

static bool
is_float(Oid type)
{
	return type == FLOAT4OID || type == FLOAT8OID;
}

/*
 * True if values of two types are numerics or intervals, or have numbers that can be compared with each other.  A date
 * and a timestamp have not: core converts one of them.
 */
static bool
types_can_be_compared(Oid left, Oid right)
{
	TypeOrder order = type_info(left)->order;

	if (order != ORDER_NUMERIC && !type_order_is_number(order))
		return left == INTERVALOID && right == INTERVALOID;
	return left == right || (is_integer(left) && is_integer(right)) || (is_float(left) && is_float(right));
}

/* Returns what an operator of two such types compares; COMPARE_NONE: it is no comparison in the default order. */
static CompareOp
compare_op_of(Oid operator, Oid left)
{
	static const CompareOp by_strategy[] = {COMPARE_NONE,  COMPARE_LESS,		  COMPARE_LESS_EQUAL,
											COMPARE_EQUAL, COMPARE_GREATER_EQUAL, COMPARE_GREATER};

	Oid family = lookup_type_cache(left, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	int strategy = get_op_opfamily_strategy(operator, family);

	if (strategy > 0)
		return by_strategy[strategy];
	operator= get_negator(operator);
	if (OidIsValid(operator) && get_op_opfamily_strategy(operator, family) == BTEqualStrategyNumber)
		return COMPARE_NOT_EQUAL;
	return COMPARE_NONE;
}

static CompareOp
commuted(CompareOp op)
{
	switch (op)
	{
		case COMPARE_LESS:
			return COMPARE_GREATER;
		case COMPARE_LESS_EQUAL:
			return COMPARE_GREATER_EQUAL;
		case COMPARE_GREATER_EQUAL:
			return COMPARE_LESS_EQUAL;
		case COMPARE_GREATER:
			return COMPARE_LESS;
		default:
			return op;
	}
}

static bool
is_plain_column(const Node *node)
{
	return IsA(node, Var) && ((const Var *) node)->varattno > 0 && ((const Var *) node)->varlevelsup == 0;
}

static bool
is_value(const Node *node)
{
	return IsA(node, Const) || IsA(node, Param);
}

/* Makes a condition the comparison that an expression is.  If the expression is none, *condition stays as it is. */
static void
read_comparison(const OpExpr *expr, Condition *condition)
{
	Node	 *left, *right;
	Oid		  left_type, right_type;
	CompareOp op;
	bool	  by_value, columns;

	if (!IsA(expr, OpExpr) || list_length(expr->args) != 2)
		return;
	left = (Node *) linitial(expr->args);
	right = (Node *) lsecond(expr->args);
	left_type = exprType(left);
	right_type = exprType(right);
	if (!types_can_be_compared(left_type, right_type))
		return;
	op = compare_op_of(expr->opno, left_type);
	if (op == COMPARE_NONE)
		return;
	if (!is_plain_column(left))
	{
		op = commuted(op);
		left = (Node *) lsecond(expr->args);
		right = (Node *) linitial(expr->args);
	}
	if (!is_plain_column(left) || !(is_plain_column(right) || is_value(right)))
		return;
	columns = is_plain_column(right);
	*condition = (Condition){.kind = columns ? CONDITION_COLUMNS : CONDITION_COMPARE,
							 .op = op,
							 .attno = ((const Var *) left)->varattno,
							 .order = type_info(exprType(left))->order,
							 .other = columns ? ((const Var *) right)->varattno : 0,
							 .other_order = type_info(exprType(right))->order,
							 .function = expr->opfuncid,
							 .expr = columns ? NULL : (Expr *) right};
	get_typlenbyval(exprType(right), &condition->length, &by_value);
}

Condition
condition_of(Expr *expr)
{
	const NullTest *test = (const NullTest *) expr;
	Condition		condition = {.kind = CONDITION_EXPRESSION, .expr = expr};

	if (IsA(expr, NullTest) && !test->argisrow && is_plain_column((const Node *) test->arg))
		return (Condition){.kind = test->nulltesttype == IS_NULL ? CONDITION_NULL : CONDITION_NOT_NULL,
						   .attno = ((const Var *) test->arg)->varattno};
	read_comparison((const OpExpr *) expr, &condition);
	return condition;
}

/* ---- comparisons ---- */

static pg_attribute_always_inline bool
numbers_compare(CompareOp op, uint64 left, uint64 right)
{
	switch (op)
	{
		case COMPARE_LESS:
			return left < right;
		case COMPARE_LESS_EQUAL:
			return left <= right;
		case COMPARE_EQUAL:
			return left == right;
		case COMPARE_GREATER_EQUAL:
			return left >= right;
		case COMPARE_GREATER:
			return left > right;
		default:
			return left != right;
	}
}

/* Compares n numbers with as many others or, if `stride` is 0, all with the first one. */
static pg_attribute_always_inline void
compare_in_loop(CompareOp op, const uint64 *left, const uint64 *right, int stride, int64 n, bool *keep)
{
	for (int64 i = 0; i < n; i++)
		keep[i] = keep[i] & numbers_compare(op, left[i], right[i * stride]);
}

#define COMPARE_CASE(OP)                                   \
	case OP:                                               \
		compare_in_loop(OP, left, right, stride, n, keep); \
		break;

/* The same by a loop that is compiled for the operator. */
static void
compare_by_operator(CompareOp op, const uint64 *left, const uint64 *right, int stride, int64 n, bool *keep)
{
	switch (op)
	{
		COMPARE_CASE(COMPARE_LESS)
		COMPARE_CASE(COMPARE_LESS_EQUAL)
		COMPARE_CASE(COMPARE_EQUAL)
		COMPARE_CASE(COMPARE_GREATER_EQUAL)
		COMPARE_CASE(COMPARE_GREATER)
		COMPARE_CASE(COMPARE_NOT_EQUAL)
		default:
			pg_unreachable();
	}
}

/* Compares a column with a value or, if `other` is given, with another column, by the numbers of a sort's keys. */
static void
apply_numbers(const Condition *condition, const Column *column, const Column *other, int64 from, int64 end, bool *keep)
{
	uint64 left[NUMBERS_AT_ONCE], right[NUMBERS_AT_ONCE];

	/* no initializer, which would set all numbers: there may be one row only */
	right[0] = condition->number;
	for (int64 n; from < end; from += n)
	{
		CHECK_FOR_INTERRUPTS();
		n = Min(end - from, NUMBERS_AT_ONCE);
		pack_numbers((PackKind) condition->order, column, from, n, left);
		if (other != NULL)
			pack_numbers((PackKind) condition->other_order, other, from, n, right);
		compare_by_operator(condition->op, left, right, other != NULL, n, keep + from);
	}
}

/*
 * Compares two numerics, of which the parts of the right one are known (NULL: they are not).  Core's function compares
 * what decimal_compare() does not, and raises no error.
 */
static bool
numerics_compare(CompareOp op, Datum left, Datum right, const DecimalParts *right_parts)
{
	struct varlena *plain = decimal_plain(left);
	DecimalParts	left_parts;
	int				order;

	decimal_read(&left_parts, plain);
	if (right_parts == NULL || !decimal_compare(&left_parts, right_parts, &order))
		order = DatumGetInt32(DirectFunctionCall2(numeric_cmp, left, right));
	decimal_free_plain(plain, left);
	return numbers_compare(op, (uint64) (1 + (order > 0) - (order < 0)), 1);
}

static bool
intervals_compare(CompareOp op, Datum left, Datum right)
{
	int order = DatumGetInt32(DirectFunctionCall2(interval_cmp, left, right));

	return numbers_compare(op, (uint64) (1 + (order > 0) - (order < 0)), 1);
}

/*
 * Compares a column of numerics or intervals with a value or, if `other` is given, with another column.
 */
static void
apply_values(const Condition *condition, const Column *column, const Column *other, int64 from, int64 end, bool *keep)
{
	bool		 numeric = condition->order == ORDER_NUMERIC;
	DecimalParts parts;

	if (numeric && other == NULL)
		decimal_read(&parts, (const struct varlena *) DatumGetPointer(condition->value));
	FOR_INTERRUPTIBLE (i, from, end)
	{
		Datum right;

		if (!keep[i])
			continue;
		right = other != NULL ? column_datum(other, i) : condition->value;
		keep[i] = numeric
					  ? numerics_compare(condition->op, column_datum(column, i), right, other == NULL ? &parts : NULL)
					  : intervals_compare(condition->op, column_datum(column, i), right);
	}
}

static void
apply_comparison(const Condition *condition, const Column *column, const Column *other, int64 from, int64 end,
				 bool *keep)
{
	if (type_order_is_number(condition->order))
		apply_numbers(condition, column, other, from, end, keep);
	else
		apply_values(condition, column, other, from, end, keep);
}

/* Leaves out the rows that are NULL in a column, or those that are not. */
static void
apply_nulls(const Column *column, bool null, int64 from, int64 end, bool *keep)
{
	if (!column->has_nulls && !null)
		return;
	FOR_INTERRUPTIBLE (i, from, end)
		keep[i] = keep[i] & (column_is_null(column, i) == null);
}

static void
apply_expression(const Condition *condition, LateRow *late, const Rows *rows, int64 from, int64 end, bool *keep)
{
	FOR_INTERRUPTIBLE (i, from, end)
	{
		bool  isnull;
		Datum value;

		if (!keep[i])
			continue;
		value = late_value(late, condition->state, rows, i, &isnull);
		keep[i] = !isnull && DatumGetBool(value);
	}
}

/* Returns the number of a value of a type of so many bytes, as pack_numbers() makes those of a column. */
static uint64
number_of_value(TypeOrder order, int16 length, Datum value)
{
	char   bytes[sizeof(Datum)];
	Column column = {.format = column_format(length, true), .value = bytes};
	uint64 number;

	column_store(&column, 0, value);
	pack_numbers((PackKind) order, &column, 0, 1, &number);
	return number;
}

/* Has a comparison know its value, if a row reaches it.  Returns false if no row is left: none was, or it is NULL. */
static bool
know_value(Condition *condition, LateRow *late, int64 from, int64 end, bool *keep)
{
	if (!condition->known)
	{
		Datum value;

		if (memchr(keep + from, true, end - from) == NULL)
			return false;
		value = ExecEvalExprSwitchContext(condition->state, late->econtext, &condition->isnull);
		if (!condition->isnull && type_order_is_number(condition->order))
			condition->number = number_of_value(condition->other_order, condition->length, value);
		else if (!condition->isnull)
		{
			MemoryContext old = MemoryContextSwitchTo(late->econtext->ecxt_per_query_memory);

			condition->value = condition->order == ORDER_NUMERIC ? PointerGetDatum(DatumGetNumericCopy(value))
																 : datumCopy(value, false, condition->length);
			MemoryContextSwitchTo(old);
		}
		condition->known = true;
	}
	if (condition->isnull)
		memset(keep + from, false, end - from);
	return !condition->isnull;
}

void
condition_forget(Condition *condition)
{
	if (condition->known && !condition->isnull && !type_order_is_number(condition->order))
		pfree(DatumGetPointer(condition->value));
	condition->known = false;
}

void
condition_apply(Condition *condition, LateRow *late, const Rows *rows, int64 from, int64 end, bool *keep)
{
	const Column *column = &rows->column[condition->column].data;
	const Column *other = &rows->column[condition->other_column].data;

	switch (condition->kind)
	{
		case CONDITION_COMPARE:
			/* core evaluates both sides before it looks for NULLs */
			if (!know_value(condition, late, from, end, keep))
				break;
			apply_nulls(column, false, from, end, keep);
			apply_comparison(condition, column, NULL, from, end, keep);
			break;
		case CONDITION_COLUMNS:
			apply_nulls(column, false, from, end, keep);
			apply_nulls(other, false, from, end, keep);
			apply_comparison(condition, column, other, from, end, keep);
			break;
		case CONDITION_NULL:
		case CONDITION_NOT_NULL:
			apply_nulls(column, condition->kind == CONDITION_NULL, from, end, keep);
			break;
		default:
			apply_expression(condition, late, rows, from, end, keep);
			break;
	}
}
