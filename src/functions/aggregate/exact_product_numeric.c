/*
 * exact_product_numeric.c: the aggregate exact_product of integers and numerics, which loses no digit.
 *
 * Core multiplies numerics without a loss, so any order of the multiplications gives the same product, display scale,
 * NaN and infinities included.  The transition value of a group is its product, which core's numeric_mul combines with
 * that of another process.  Over frames that rows leave, the state is a queue of two stacks, as in exact_product.c.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "column/deque.h"
#include "column/memory.h"
#include "compat.h"
#include "functions/aggregate/aggregate_functions.h"

/* The transition value, in the aggregate's memory.  The first row creates it, even if its value is NULL. */
typedef struct NumericProduct
{
	MemoryContext memory;
	Deque		  value; /* of Datum: the values behind the older ones */
	Deque		  older; /* of Datum: the products of each older value and all older values after it */
	Datum		  newer; /* the product of the values behind the older ones */
	bool		  has_newer;
} NumericProduct;

static Datum *
numeric_entry(const Deque *deque, int64 i)
{
	return (Datum *) deque_entry(deque, i, sizeof(Datum));
}

/* *product := *product x, in the state's memory; x if there is no product yet. */
static void
multiply_newer(NumericProduct *state, Datum x)
{
	Datum product = state->has_newer ? DirectFunctionCall2(numeric_mul, state->newer, x) : x;

	product = datum_copy_to(state->memory, product, false, -1);
	if (state->has_newer)
		pfree(DatumGetPointer(state->newer));
	state->newer = product;
	state->has_newer = true;
}

static Datum
numeric_product_enter(FunctionCallInfo fcinfo, NullableDatum x)
{
	NumericProduct *state = PG_ARGISNULL(0) ? NULL : (NumericProduct *) PG_GETARG_POINTER(0);
	MemoryContext	memory = aggregate_memory(fcinfo);

	if (state == NULL)
	{
		state = (NumericProduct *) MemoryContextAllocZero(memory, sizeof(NumericProduct));
		state->memory = state->value.memory = state->older.memory = memory;
	}
	if (x.isnull)
		PG_RETURN_POINTER(state);
	multiply_newer(state, x.value);
	*(Datum *) deque_append(&state->value, sizeof(Datum)) = datum_copy_to(memory, x.value, false, -1);
	PG_RETURN_POINTER(state);
}

#define ENTER(NAME, VALUE)                             \
	PG_FUNCTION_INFO_V1(exact_enter_##NAME);           \
	Datum exact_enter_##NAME(PG_FUNCTION_ARGS)         \
	{                                                  \
		NullableDatum x = {.isnull = PG_ARGISNULL(1)}; \
                                                       \
		if (!x.isnull)                                 \
			x.value = NumericGetDatum(VALUE(1));       \
		return numeric_product_enter(fcinfo, x);       \
	}

#define NUMERIC_OF_INT2(i) int64_to_numeric(PG_GETARG_INT16(i))
#define NUMERIC_OF_INT4(i) int64_to_numeric(PG_GETARG_INT32(i))
#define NUMERIC_OF_INT8(i) int64_to_numeric(PG_GETARG_INT64(i))

ENTER(int2, NUMERIC_OF_INT2)
ENTER(int4, NUMERIC_OF_INT4)
ENTER(int8, NUMERIC_OF_INT8)
ENTER(numeric, PG_GETARG_NUMERIC)

/* ---- groups of integers: f(product, value), where the product is NULL before the first value ---- */

#define MULTIPLY(NAME, VALUE)                                                                   \
	PG_FUNCTION_INFO_V1(exact_multiply_##NAME);                                                 \
	Datum exact_multiply_##NAME(PG_FUNCTION_ARGS)                                               \
	{                                                                                           \
		if (PG_ARGISNULL(1) && PG_ARGISNULL(0))                                                 \
			PG_RETURN_NULL();                                                                   \
		if (PG_ARGISNULL(1))                                                                    \
			PG_RETURN_DATUM(PG_GETARG_DATUM(0));                                                \
		if (PG_ARGISNULL(0))                                                                    \
			PG_RETURN_NUMERIC(VALUE(1));                                                        \
		return DirectFunctionCall2(numeric_mul, PG_GETARG_DATUM(0), NumericGetDatum(VALUE(1))); \
	}

MULTIPLY(int2, NUMERIC_OF_INT2)
MULTIPLY(int4, NUMERIC_OF_INT4)
MULTIPLY(int8, NUMERIC_OF_INT8)

/* ---- values that leave ---- */

/* Makes all values older ones. */
static void
make_all_older(NumericProduct *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->memory);
	int64		  n = state->value.n;

	for (int64 i = 0; i < n; i++)
		*(Datum *) deque_append(&state->older, sizeof(Datum)) = *numeric_entry(&state->value, i);
	state->value.n = state->value.first = 0;
	for (int64 i = n - 2; i >= 0; i--)
	{
		Datum *product = numeric_entry(&state->older, i), factor = *product;

		CHECK_FOR_INTERRUPTS();
		*product = DirectFunctionCall2(numeric_mul, factor, *numeric_entry(&state->older, i + 1));
		pfree(DatumGetPointer(factor));
	}
	pfree(DatumGetPointer(state->newer));
	state->has_newer = false;
	MemoryContextSwitchTo(old);
}

/* Values leave in the order in which they came.  NULL, for which core computes the frame anew: more leave than came. */
PG_FUNCTION_INFO_V1(exact_unmultiply_numeric);
Datum
exact_unmultiply_numeric(PG_FUNCTION_ARGS)
{
	NumericProduct *state = (NumericProduct *) PG_GETARG_POINTER(0);

	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(state);
	if (state->older.n == 0 && state->value.n == 0)
		PG_RETURN_NULL();
	if (state->older.n == 0)
		make_all_older(state);
	pfree(DatumGetPointer(*numeric_entry(&state->older, 0)));
	deque_remove_first(&state->older);
	PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(exact_product_final_numeric);
Datum
exact_product_final_numeric(PG_FUNCTION_ARGS)
{
	const NumericProduct *state = PG_ARGISNULL(0) ? NULL : (const NumericProduct *) PG_GETARG_POINTER(0);

	if (state == NULL || (!state->has_newer && state->older.n == 0))
		PG_RETURN_NULL();
	if (state->older.n == 0)
		PG_RETURN_DATUM(state->newer);
	if (!state->has_newer)
		PG_RETURN_DATUM(*numeric_entry(&state->older, 0));
	PG_RETURN_DATUM(DirectFunctionCall2(numeric_mul, *numeric_entry(&state->older, 0), state->newer));
}
