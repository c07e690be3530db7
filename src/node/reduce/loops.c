/*
 * loops.c: the loops of which expression.c makes calls: core's functions of numbers and times, and comparisons of
 * numerics.
 *
 * To add a function of core's, add a line to FUNCTIONS.  A loop computes the values of all rows, NULL or not, and
 * returns false if core might raise an error at one of them.
 *
 * Rejected: comparisons of the numbers by which a sort orders the values, one loop for all types.  Two numbers of eight
 * bytes each had to be made for each row; a loop over the values themselves takes less.
 */
#include "postgres.h"

#include <math.h>

#include "common/int.h"
#include "datatype/timestamp.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"

#include "compat.h"
#include "node/reduce/internal.h"
#include "number/decimal.h"

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

#define GET_uint8 DatumGetUInt8
#define GET_uint32 DatumGetUInt32
#define GET_uint64 DatumGetUInt64
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

/* NaN is equal to itself, and greater than all numbers. */
#define FLOAT_COMPARISONS(F, NAME, LEFT, RIGHT)            \
	F(NAME##LT, LEFT, RIGHT, bool, NEVER(float8_lt(a, b))) \
	F(NAME##LE, LEFT, RIGHT, bool, NEVER(float8_le(a, b))) \
	F(NAME##EQ, LEFT, RIGHT, bool, NEVER(float8_eq(a, b))) \
	F(NAME##GE, LEFT, RIGHT, bool, NEVER(float8_ge(a, b))) \
	F(NAME##GT, LEFT, RIGHT, bool, NEVER(float8_gt(a, b))) \
	F(NAME##NE, LEFT, RIGHT, bool, NEVER(float8_ne(a, b)))

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
	COMPARISONS(F, BOOL, uint8, uint8)                                                       \
	COMPARISONS(F, CHAR, uint8, uint8)                                                       \
	COMPARISONS(F, OID, uint32, uint32)                                                      \
	COMPARISONS(F, PG_LSN_, uint64, uint64)                                                  \
	COMPARISONS(F, XID8, uint64, uint64)                                                     \
	COMPARISONS(F, CASH_, int64, int64)                                                      \
	COMPARISONS(F, TIME_, int64, int64)                                                      \
	COMPARISONS(F, INT2, int16, int16)                                                       \
	COMPARISONS(F, INT24, int16, int32)                                                      \
	COMPARISONS(F, INT42, int32, int16)                                                      \
	COMPARISONS(F, INT28, int16, int64)                                                      \
	COMPARISONS(F, INT82, int64, int16)                                                      \
	COMPARISONS(F, INT4, int32, int32)                                                       \
	COMPARISONS(F, INT8, int64, int64)                                                       \
	COMPARISONS(F, INT84, int64, int32)                                                      \
	COMPARISONS(F, INT48, int32, int64)                                                      \
	COMPARISONS(F, DATE_, int32, int32)                                                      \
	COMPARISONS(F, INTERVAL_, int64, int64)                                                  \
	COMPARISONS(F, TIMESTAMP_, int64, int64)                                                 \
	COMPARISONS(F, TIMESTAMPTZ_, int64, int64)                                               \
	FLOAT_COMPARISONS(F, FLOAT4, float4, float4)                                             \
	FLOAT_COMPARISONS(F, FLOAT48, float4, float8)                                            \
	FLOAT_COMPARISONS(F, FLOAT84, float8, float4)                                            \
	FLOAT_COMPARISONS(F, FLOAT8, float8, float8)

/* A NULL has the value 0, so no loop has to leave out rows.  `nulls` is known where the compiler inlines the loop. */
#define DEFINE_LOOP(NAME, LEFT, RIGHT, RESULT, FAILS)                                                                  \
	static pg_attribute_always_inline bool rows_##NAME(const Step *step, const Step *left, const Step *right, int64 n, \
													   bool nulls)                                                     \
	{                                                                                                                  \
		const Datum *x = left->value, *y = right->value;                                                               \
		const bool	*x_isnull = left->isnull, *y_isnull = right->isnull, *out = step->out;                             \
		Datum		*value = step->value;                                                                              \
		bool		*isnull = step->isnull, fails = false;                                                             \
                                                                                                                       \
		for (int64 i = 0; i < n; i++)                                                                                  \
		{                                                                                                              \
			LEFT   a = GET_##LEFT(x[i]);                                                                               \
			RIGHT  b = GET_##RIGHT(y[i]);                                                                              \
			RESULT r = 0;                                                                                              \
			bool   failed = (FAILS);                                                                                   \
			bool   is_null = nulls && (x_isnull[i] | y_isnull[i]);                                                     \
                                                                                                                       \
			value[i] = is_null ? (Datum) 0 : MAKE_##RESULT(r);                                                         \
			isnull[i] = is_null;                                                                                       \
			fails |= failed & !is_null & !out[i];                                                                      \
		}                                                                                                              \
		return !fails;                                                                                                 \
	}                                                                                                                  \
	static bool loop_##NAME(Step *step, const Step *left, const Step *right, int64 n)                                  \
	{                                                                                                                  \
		step->nulls = left->nulls || right->nulls;                                                                     \
		return step->nulls ? rows_##NAME(step, left, right, n, true) : rows_##NAME(step, left, right, n, false);       \
	}
#define FUNCTION_LINE(NAME, LEFT, RIGHT, RESULT, FAILS) {F_##NAME, loop_##NAME},

FUNCTIONS(DEFINE_LOOP)

/* ---- comparisons of numerics ---- */

/* Both sides of a comparison, with the numerics whose parts have been read. */
typedef struct NumericPair
{
	Datum		 left, right;
	DecimalParts left_parts, right_parts;
} NumericPair;

/*
 * Reads the parts of a numeric, unless it is the one before: a value that all rows are compared with is read once.
 * Returns false for one that is compressed or external.
 */
static inline bool
read_parts(DecimalParts *parts, Datum *before, Datum value)
{
	const struct varlena *bytes = (const struct varlena *) DatumGetPointer(value);

	if (VARATT_IS_EXTERNAL(bytes) || VARATT_IS_COMPRESSED(bytes))
		return false;
	if (value != *before)
		decimal_read(parts, bytes);
	*before = value;
	return true;
}

/* Core's function compares what decimal_compare() does not, and raises no error. */
static int
order_of_numerics(NumericPair *pair, Datum left, Datum right)
{
	int order;

	if (!read_parts(&pair->left_parts, &pair->left, left) || !read_parts(&pair->right_parts, &pair->right, right) ||
		!decimal_compare(&pair->left_parts, &pair->right_parts, &order))
		order = DatumGetInt32(DirectFunctionCall2(numeric_cmp, left, right));
	return order;
}

#define NUMERIC_COMPARISONS(F) \
	F(NUMERIC_LT, < 0)         \
	F(NUMERIC_LE, <= 0)        \
	F(NUMERIC_EQ, == 0)        \
	F(NUMERIC_GE, >= 0)        \
	F(NUMERIC_GT, > 0)         \
	F(NUMERIC_NE, != 0)

/* A numeric is looked at only where core does: a row that is out may have none. */
#define DEFINE_NUMERIC_LOOP(NAME, HOLDS)                                                     \
	static bool loop_##NAME(Step *step, const Step *left, const Step *right, int64 n)        \
	{                                                                                        \
		const Datum *x = left->value, *y = right->value;                                     \
		NumericPair	 pair = {0};                                                             \
                                                                                             \
		for (int64 i = 0; i < n; i++)                                                        \
		{                                                                                    \
			step->isnull[i] = left->isnull[i] | right->isnull[i];                            \
			step->value[i] = step->isnull[i] || step->out[i]                                 \
								 ? (Datum) 0                                                 \
								 : BoolGetDatum(order_of_numerics(&pair, x[i], y[i]) HOLDS); \
		}                                                                                    \
		return true;                                                                         \
	}
#define NUMERIC_LINE(NAME, HOLDS) {F_##NAME, loop_##NAME},

NUMERIC_COMPARISONS(DEFINE_NUMERIC_LOOP)

static const Function functions[] = {FUNCTIONS(FUNCTION_LINE) NUMERIC_COMPARISONS(NUMERIC_LINE)};

StepLoop
loop_of_function(Oid function)
{
	for (int i = 0; i < lengthof(functions); i++)
		if (functions[i].oid == function)
			return functions[i].loop;
	return NULL;
}
