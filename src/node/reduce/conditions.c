/*
 * conditions.c: conditions on the columns of rows, evaluated over many rows at a time.
 *
 * offer.c asks which conditions may be evaluated here, exec.c evaluates them: those of WHERE above a window, and those
 * of an aggregate's FILTER.  A comparison of integers, floats, dates or timestamps with a value, or with another
 * column, is a loop over the column.  Everything else is evaluated by the executor, for the rows that the conditions
 * before it have left.
 *
 * The value of a comparison may be a parameter that core computes when it is first read (an InitPlan), which may raise
 * an error.  So the value is asked for at the first row that reaches the comparison, as core does.
 */
#include "postgres.h"

#include <math.h>

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/typcache.h"

#include "column/stretch.h"
#include "node/error_timing/error_timing.h"
#include "node/reduce/conditions.h"
#include "number/decimal.h"

/* ---- what a condition is ---- */

static KeyFormat
format_of_type(Oid type)
{
	switch (type)
	{
		case INT2OID:
			return KEY_INT16;
		case INT4OID:
		case DATEOID:
			return KEY_INT32;
		case INT8OID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return KEY_INT64;
		case FLOAT4OID:
			return KEY_FLOAT4;
		case FLOAT8OID:
			return KEY_FLOAT8;
		case NUMERICOID:
			return KEY_NUMERIC;
		default:
			return KEY_NONE;
	}
}

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

/* True if values of two types are compared by their keys.  A date and a timestamp are not: core converts one of them.
 */
static bool
types_share_keys(Oid left, Oid right)
{
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

/* Makes a condition the comparison that an expression is; returns false if the expression is none. */
static bool
is_comparison(const OpExpr *expr, Condition *condition)
{
	Node *left, *right;
	Oid	  left_type, right_type;

	if (!IsA(expr, OpExpr) || list_length(expr->args) != 2)
		return false;
	left = (Node *) linitial(expr->args);
	right = (Node *) lsecond(expr->args);
	left_type = exprType(left);
	right_type = exprType(right);
	if (format_of_type(left_type) == KEY_NONE || !types_share_keys(left_type, right_type))
		return false;
	condition->op = compare_op_of(expr->opno, left_type);
	if (condition->op == COMPARE_NONE)
		return false;
	if (!is_plain_column(left))
	{
		Node *swapped = left;

		condition->op = commuted(condition->op);
		left = right;
		right = swapped;
	}
	if (!is_plain_column(left) || !(is_plain_column(right) || is_value(right)))
		return false;
	condition->attno = ((const Var *) left)->varattno;
	condition->format = format_of_type(exprType(left));
	condition->value_format = format_of_type(exprType(right));
	condition->function = expr->opfuncid;
	condition->kind = is_plain_column(right) ? CONDITION_COLUMNS : CONDITION_COMPARE;
	if (condition->kind == CONDITION_COLUMNS)
		condition->other = ((const Var *) right)->varattno;
	else
		condition->expr = (Expr *) right;
	return true;
}

Condition
condition_of(Expr *expr)
{
	const NullTest *test = (const NullTest *) expr;
	Condition		condition = {0};

	if (IsA(expr, NullTest) && !test->argisrow && is_plain_column((const Node *) test->arg))
	{
		condition.kind = test->nulltesttype == IS_NULL ? CONDITION_NULL : CONDITION_NOT_NULL;
		condition.attno = ((const Var *) test->arg)->varattno;
		return condition;
	}
	if (is_comparison((const OpExpr *) expr, &condition))
		return condition;
	return (Condition){.kind = CONDITION_EXPRESSION, .expr = expr};
}

bool
condition_may_error_or_side_effect(const Condition *condition)
{
	return condition->kind == CONDITION_EXPRESSION &&
		   expression_may_error_or_side_effect((const Node *) condition->expr);
}

/* ---- keys ---- */

/* NaNs are equal, and greater than all other floats; -0 equals 0. */
static inline int64
key_of_float(float8 value)
{
	int64 bits;

	if (unlikely(isnan(value)))
		return PG_INT64_MAX;
	value += 0.0; /* makes -0 of it 0 */
	memcpy(&bits, &value, sizeof(bits));
	return bits < 0 ? bits ^ PG_INT64_MAX : bits;
}

static pg_attribute_always_inline int64
key_at(const Column *column, KeyFormat format, int64 i)
{
	const char *at = column->value + i * column->stride;

	switch (format)
	{
		case KEY_INT16:
			return *(const int16 *) at;
		case KEY_INT32:
			return *(const int32 *) at;
		case KEY_INT64:
			return *(const int64 *) at;
		case KEY_FLOAT4:
			return key_of_float(*(const float4 *) at);
		default:
			return key_of_float(*(const float8 *) at);
	}
}

static int64
key_of_datum(KeyFormat format, Datum value)
{
	switch (format)
	{
		case KEY_INT16:
			return DatumGetInt16(value);
		case KEY_INT32:
			return DatumGetInt32(value);
		case KEY_INT64:
			return DatumGetInt64(value);
		case KEY_FLOAT4:
			return key_of_float(DatumGetFloat4(value));
		default:
			return key_of_float(DatumGetFloat8(value));
	}
}

static pg_attribute_always_inline bool
keys_compare(CompareOp op, int64 left, int64 right)
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

/* ---- loops ---- */

/* Compares a column with a key.  Both `format` and `op` are constants where this is compiled. */
static pg_attribute_always_inline void
compare_with_key(const Column *column, KeyFormat format, CompareOp op, int64 key, int64 from, int64 end, bool *keep)
{
	FOR_INTERRUPTIBLE (i, from, end)
		keep[i] = keep[i] & keys_compare(op, key_at(column, format, i), key);
}

#define COMPARE_CASE(FORMAT, OP)                                               \
	case OP:                                                                   \
		compare_with_key(column, FORMAT, OP, condition->key, from, end, keep); \
		break;

#define FORMAT_CASE(FORMAT)                                                                           \
	case FORMAT:                                                                                      \
		switch (condition->op)                                                                        \
		{                                                                                             \
			COMPARE_CASE(FORMAT, COMPARE_LESS)                                                        \
			COMPARE_CASE(FORMAT, COMPARE_LESS_EQUAL)                                                  \
			COMPARE_CASE(FORMAT, COMPARE_EQUAL)                                                       \
			COMPARE_CASE(FORMAT, COMPARE_GREATER_EQUAL)                                               \
			COMPARE_CASE(FORMAT, COMPARE_GREATER)                                                     \
			default:                                                                                  \
				compare_with_key(column, FORMAT, COMPARE_NOT_EQUAL, condition->key, from, end, keep); \
				break;                                                                                \
		}                                                                                             \
		break;

static void
apply_key(const Condition *condition, const Column *column, int64 from, int64 end, bool *keep)
{
	switch (condition->format)
	{
		FORMAT_CASE(KEY_INT16)
		FORMAT_CASE(KEY_INT32)
		FORMAT_CASE(KEY_INT64)
		FORMAT_CASE(KEY_FLOAT4)
		FORMAT_CASE(KEY_FLOAT8)
		default:
			pg_unreachable();
	}
}

static void
apply_columns(const Condition *condition, const Column *left, const Column *right, int64 from, int64 end, bool *keep)
{
	FOR_INTERRUPTIBLE (i, from, end)
		keep[i] = keep[i] & keys_compare(condition->op, key_at(left, condition->format, i),
										 key_at(right, condition->value_format, i));
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
	return keys_compare(op, order, 0);
}

/* Compares a column of numerics with a value or, if `other` is given, with another column. */
static void
apply_numerics(const Condition *condition, const Column *column, const Column *other, int64 from, int64 end, bool *keep)
{
	DecimalParts parts;

	if (other == NULL)
		decimal_read(&parts, (const struct varlena *) DatumGetPointer(condition->value));
	FOR_INTERRUPTIBLE (i, from, end)
		if (keep[i])
			keep[i] = other != NULL
						  ? numerics_compare(condition->op, column_datum(column, i), column_datum(other, i), NULL)
						  : numerics_compare(condition->op, column_datum(column, i), condition->value, &parts);
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
		if (condition->isnull)
			condition->key = 0;
		else if (condition->value_format != KEY_NUMERIC)
			condition->key = key_of_datum(condition->value_format, value);
		else
		{
			MemoryContext old = MemoryContextSwitchTo(late->econtext->ecxt_per_query_memory);

			condition->value = PointerGetDatum(DatumGetNumericCopy(value));
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
	if (condition->known && !condition->isnull && condition->value_format == KEY_NUMERIC)
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
			if (condition->format == KEY_NUMERIC)
				apply_numerics(condition, column, NULL, from, end, keep);
			else
				apply_key(condition, column, from, end, keep);
			break;
		case CONDITION_COLUMNS:
			apply_nulls(column, false, from, end, keep);
			apply_nulls(other, false, from, end, keep);
			if (condition->format == KEY_NUMERIC)
				apply_numerics(condition, column, other, from, end, keep);
			else
				apply_columns(condition, column, other, from, end, keep);
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
