/*
 * loops.c: the loops of which arithmetic.c makes expressions: core's functions of numbers and times, and COALESCE,
 * NULLIF, CASE and IS NULL.
 *
 * To add a function of core's, add a line to FUNCTIONS.  A loop computes the values of all rows, NULL or not, and
 * returns false if core might raise an error at one of them.
 */
#include "postgres.h"

#include <math.h>

#include "common/int.h"
#include "datatype/timestamp.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/fmgroids.h"

#include "node/reduce/internal.h"

typedef struct Function
{
	Oid		 oid;
	StepLoop loop;
} Function;

/* ---- core's functions ---- */

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
#define MAKE_bool BoolGetDatum
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

/* Comparisons of numbers in C. */
#define COMPARISONS(F, NAME, LEFT, RIGHT)         \
	F(NAME##LT, LEFT, RIGHT, bool, NEVER(a < b))  \
	F(NAME##LE, LEFT, RIGHT, bool, NEVER(a <= b)) \
	F(NAME##EQ, LEFT, RIGHT, bool, NEVER(a == b)) \
	F(NAME##GE, LEFT, RIGHT, bool, NEVER(a >= b)) \
	F(NAME##GT, LEFT, RIGHT, bool, NEVER(a > b))  \
	F(NAME##NE, LEFT, RIGHT, bool, NEVER(a != b))

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
	F(TIMESTAMPTZ_MI, int64, int64, int64, TIMES_APART)                                      \
	COMPARISONS(F, INT4, int32, int32)                                                       \
	COMPARISONS(F, INT8, int64, int64)                                                       \
	COMPARISONS(F, INT84, int64, int32)                                                      \
	COMPARISONS(F, INT48, int32, int64)                                                      \
	COMPARISONS(F, DATE_, int32, int32)                                                      \
	COMPARISONS(F, INTERVAL_, int64, int64)                                                  \
	COMPARISONS(F, TIMESTAMP_, int64, int64)                                                 \
	COMPARISONS(F, TIMESTAMPTZ_, int64, int64)                                               \
	F(FLOAT8LT, float8, float8, bool, NEVER(float8_lt(a, b)))                                \
	F(FLOAT8LE, float8, float8, bool, NEVER(float8_le(a, b)))                                \
	F(FLOAT8EQ, float8, float8, bool, NEVER(float8_eq(a, b)))                                \
	F(FLOAT8GE, float8, float8, bool, NEVER(float8_ge(a, b)))                                \
	F(FLOAT8GT, float8, float8, bool, NEVER(float8_gt(a, b)))                                \
	F(FLOAT8NE, float8, float8, bool, NEVER(float8_ne(a, b)))

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
			fails |= failed & !step->isnull[i] & !step->out[i];                             \
		}                                                                                   \
		return !fails;                                                                      \
	}
#define FUNCTION_LINE(NAME, LEFT, RIGHT, RESULT, FAILS) {F_##NAME, loop_##NAME},

FUNCTIONS(DEFINE_LOOP)
static const Function functions[] = {FUNCTIONS(FUNCTION_LINE)};

StepLoop
loop_of_function(Oid function)
{
	for (int i = 0; i < lengthof(functions); i++)
		if (functions[i].oid == function)
			return functions[i].loop;
	return NULL;
}

/* ---- other expressions ---- */

bool
loop_coalesce(const Step *step, const Step *left, const Step *right, int64 n)
{
	for (int64 i = 0; i < n; i++)
	{
		step->value[i] = left->isnull[i] ? right->value[i] : left->value[i];
		step->isnull[i] = left->isnull[i] & right->isnull[i];
	}
	return true;
}

bool
loop_nullif(const Step *step, const Step *left, const Step *right, int64 n)
{
	for (int64 i = 0; i < n; i++)
	{
		step->isnull[i] = left->isnull[i] | (!right->isnull[i] & DatumGetBool(right->value[i]));
		step->value[i] = step->isnull[i] ? (Datum) 0 : left->value[i];
	}
	return true;
}

bool
loop_case(const Step *step, const Step *left, const Step *right, int64 n)
{
	for (int64 i = 0; i < n; i++)
	{
		step->value[i] = step->out[i] ? right->value[i] : left->value[i];
		step->isnull[i] = step->out[i] ? right->isnull[i] : left->isnull[i];
	}
	return true;
}

bool
loop_is_null(const Step *step, const Step *left, const Step *right, int64 n)
{
	memset(step->isnull, false, n * sizeof(bool));
	for (int64 i = 0; i < n; i++)
		step->value[i] = BoolGetDatum(left->isnull[i]);
	return true;
}

bool
loop_is_not_null(const Step *step, const Step *left, const Step *right, int64 n)
{
	memset(step->isnull, false, n * sizeof(bool));
	for (int64 i = 0; i < n; i++)
		step->value[i] = BoolGetDatum(!left->isnull[i]);
	return true;
}

bool
loop_and(const Step *step, const Step *left, const Step *right, int64 n)
{
	for (int64 i = 0; i < n; i++)
	{
		bool no = (!left->isnull[i] & !DatumGetBool(left->value[i])) |
				  (!right->isnull[i] & !DatumGetBool(right->value[i]));

		step->isnull[i] = (left->isnull[i] | right->isnull[i]) & !no;
		step->value[i] = BoolGetDatum(!(no | step->isnull[i]));
	}
	return true;
}

bool
loop_or(const Step *step, const Step *left, const Step *right, int64 n)
{
	for (int64 i = 0; i < n; i++)
	{
		bool yes = (!left->isnull[i] & DatumGetBool(left->value[i])) |
				   (!right->isnull[i] & DatumGetBool(right->value[i]));

		step->isnull[i] = (left->isnull[i] | right->isnull[i]) & !yes;
		step->value[i] = BoolGetDatum(yes);
	}
	return true;
}

bool
loop_not(const Step *step, const Step *left, const Step *right, int64 n)
{
	for (int64 i = 0; i < n; i++)
	{
		step->isnull[i] = left->isnull[i];
		step->value[i] = BoolGetDatum(!(left->isnull[i] | DatumGetBool(left->value[i])));
	}
	return true;
}

bool
loop_out_unless_true(const Step *step, const Step *left, const Step *right, int64 n)
{
	for (int64 i = 0; i < n; i++)
		step->isnull[i] = step->out[i] | left->isnull[i] | !DatumGetBool(left->value[i]);
	return true;
}

bool
loop_out_if_true(const Step *step, const Step *left, const Step *right, int64 n)
{
	for (int64 i = 0; i < n; i++)
		step->isnull[i] = step->out[i] | (!left->isnull[i] & DatumGetBool(left->value[i]));
	return true;
}

bool
loop_out_unless_null(const Step *step, const Step *left, const Step *right, int64 n)
{
	for (int64 i = 0; i < n; i++)
		step->isnull[i] = step->out[i] | !left->isnull[i];
	return true;
}
