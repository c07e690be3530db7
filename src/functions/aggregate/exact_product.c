/*
 * exact_product.c: the aggregate exact_product of floats: the real product, rounded once.
 *
 * The state has the frame's values other than 0, NaN and infinities, which are counted, so that they can leave without
 * a trace.  Products have no inverse that loses nothing, so the state is a queue of two stacks: the older values have
 * the products of each one with all later older ones, and the newer values have one product.  A result is a product of
 * the two.  When the older values have run out, all newer ones become older.  So a row takes about three
 * multiplications, however long the frame is.
 *
 * A product has 128 bits (op/wide_product.h).  If they do not prove a result, the values are multiplied again with more
 * limbs; that is why a group's values are kept, too.  A process sends them, and so at most 1 GB of them, with their
 * product: whoever combines two groups multiplies once.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/float.h"

#include "column/deque.h"
#include "column/stretch.h"
#include "compat.h"
#include "functions/aggregate/aggregate_functions.h"
#include "op/wide_product.h"

#define FIRST_LIMBS 4 /* of a product that 128 bits do not prove */

/* The transition value, in the aggregate's memory.  The first row creates it, even if its value is NULL. */
typedef struct ProductState
{
	int64		zeros, nans, infinities;
	int64		negatives; /* values below 0 */
	WideProduct newer;	   /* of the values behind the older ones */
	Deque		value;	   /* of double: the finite values other than 0 */
	Deque		older;	   /* of WideProduct: of each older value and all older values after it */
} ProductState;

/* What a process sends: so many bytes of a group's state, in which no value is an older one, and the values. */
#define PRODUCT_HEAD offsetof(ProductState, value)

/* Returns a state without values, whose memory is in the context. */
static ProductState *
product_new(MemoryContext memory)
{
	ProductState *state = (ProductState *) MemoryContextAllocZero(memory, sizeof(ProductState));

	state->value.memory = state->older.memory = memory;
	state->newer = wide_product_one;
	return state;
}

static double *
product_value(const ProductState *state, int64 i)
{
	return (double *) deque_entry(&state->value, i, sizeof(double));
}

static WideProduct *
older_product(const ProductState *state, int64 i)
{
	return (WideProduct *) deque_entry(&state->older, i, sizeof(WideProduct));
}

/* Counts a value, or discounts one that leaves.  Returns false if there is nothing to multiply. */
static bool
count_value(ProductState *state, double x, int64 one)
{
	if (isnan(x))
		state->nans += one;
	else if (x == 0.0)
		state->zeros += one;
	else
	{
		state->negatives += x < 0 ? one : 0;
		if (isinf(x))
			state->infinities += one;
		else
			return true;
	}
	return false;
}

/* Makes all values older ones. */
static void
make_older(ProductState *state)
{
	int64		n = state->value.n;
	WideProduct product = wide_product_one;

	for (int64 i = 0; i < n; i++)
		(void) deque_append(&state->older, sizeof(WideProduct));
	for (int64 i = n - 1; i >= 0; i--)
	{
		WideProduct factor = wide_product_of(*product_value(state, i));

		CHECK_FOR_INTERRUPTS();
		product = wide_product_multiply(&factor, &product);
		*older_product(state, i) = product;
	}
	state->newer = wide_product_one;
}

PG_FUNCTION_INFO_V1(exact_multiply_float8);
Datum
exact_multiply_float8(PG_FUNCTION_ARGS)
{
	MemoryContext memory = aggregate_memory(fcinfo);
	ProductState *state = PG_ARGISNULL(0) ? product_new(memory) : (ProductState *) PG_GETARG_POINTER(0);

	if (!PG_ARGISNULL(1) && count_value(state, PG_GETARG_FLOAT8(1), 1))
	{
		WideProduct factor = wide_product_of(PG_GETARG_FLOAT8(1));

		*(double *) deque_append(&state->value, sizeof(double)) = PG_GETARG_FLOAT8(1);
		state->newer = wide_product_multiply(&state->newer, &factor);
	}
	PG_RETURN_POINTER(state);
}

/* Values leave in the order in which they came.  NULL, for which core computes the frame anew: more leave than came. */
PG_FUNCTION_INFO_V1(exact_unmultiply_float8);
Datum
exact_unmultiply_float8(PG_FUNCTION_ARGS)
{
	ProductState *state = (ProductState *) PG_GETARG_POINTER(0);

	if (PG_ARGISNULL(1) || !count_value(state, PG_GETARG_FLOAT8(1), -1))
		PG_RETURN_POINTER(state);
	if (state->value.n == 0)
		PG_RETURN_NULL();
	if (state->older.n == 0)
		make_older(state);
	deque_remove_first(&state->older);
	deque_remove_first(&state->value);
	PG_RETURN_POINTER(state);
}

/* ---- groups of several processes ---- */

PG_FUNCTION_INFO_V1(exact_product_combine_float8);
Datum
exact_product_combine_float8(PG_FUNCTION_ARGS)
{
	MemoryContext		memory = aggregate_memory(fcinfo);
	ProductState	   *state = PG_ARGISNULL(0) ? product_new(memory) : (ProductState *) PG_GETARG_POINTER(0);
	const ProductState *other = (const ProductState *) PG_GETARG_POINTER(1);

	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(state);
	state->zeros += other->zeros;
	state->nans += other->nans;
	state->infinities += other->infinities;
	state->negatives += other->negatives;
	state->newer = wide_product_multiply(&state->newer, &other->newer);
	FOR_INTERRUPTIBLE (i, 0, other->value.n)
		*(double *) deque_append(&state->value, sizeof(double)) = *product_value(other, i);
	PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(exact_product_serialize_float8);
Datum
exact_product_serialize_float8(PG_FUNCTION_ARGS)
{
	const ProductState *state = (const ProductState *) PG_GETARG_POINTER(0);
	StringInfoData		message;

	(void) aggregate_memory(fcinfo);
	pq_begintypsend(&message);
	pq_sendbytes(&message, (const char *) state, PRODUCT_HEAD);
	FOR_INTERRUPTIBLE (i, 0, state->value.n)
		pq_sendbytes(&message, (const char *) product_value(state, i), sizeof(double));
	PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

PG_FUNCTION_INFO_V1(exact_product_deserialize_float8);
Datum
exact_product_deserialize_float8(PG_FUNCTION_ARGS)
{
	const bytea	 *message = PG_GETARG_BYTEA_PP(0);
	const char	 *values = VARDATA_ANY(message) + PRODUCT_HEAD;
	int64		  n = (VARSIZE_ANY_EXHDR(message) - PRODUCT_HEAD) / sizeof(double);
	ProductState *state = product_new(CurrentMemoryContext);

	(void) aggregate_memory(fcinfo);
	memcpy(state, VARDATA_ANY(message), PRODUCT_HEAD);
	FOR_INTERRUPTIBLE (i, 0, n)
		memcpy(deque_append(&state->value, sizeof(double)), values + i * sizeof(double), sizeof(double));
	PG_RETURN_POINTER(state);
}

/* ---- results ---- */

/* Multiplies all values with ever more limbs, until they prove how the product is rounded. */
static double
product_of_values(const ProductState *state)
{
	double y;

	for (int limbs = FIRST_LIMBS;; limbs *= 2)
	{
		uint64	   *limb = (uint64 *) palloc((limbs + 2) * sizeof(uint64));
		LongProduct product;
		bool		proved;

		long_product_start(&product, limb, limbs);
		for (int64 i = 0; i < state->value.n; i++)
		{
			CHECK_FOR_INTERRUPTS();
			long_product_take(&product, *product_value(state, i));
		}
		proved = long_product_round(&product, &y);
		pfree(limb);
		if (proved)
			return y;
	}
}

/* Returns the magnitude of the product of the finite values other than 0, rounded; an error if it is out of range. */
static double
finite_product(const ProductState *state)
{
	WideProduct product = state->newer;
	double		y;

	if (state->older.n > 0)
		product = wide_product_multiply(older_product(state, 0), &product);
	if (!wide_product_round(&product, &y))
		y = product_of_values(state);
	if (isinf(y))
		float_overflow_error();
	if (y == 0.0)
		float_underflow_error();
	return y;
}

PG_FUNCTION_INFO_V1(exact_product_final_float8);
Datum
exact_product_final_float8(PG_FUNCTION_ARGS)
{
	const ProductState *state = PG_ARGISNULL(0) ? NULL : (const ProductState *) PG_GETARG_POINTER(0);
	double				y;

	if (state == NULL || state->value.n + state->zeros + state->nans + state->infinities == 0)
		PG_RETURN_NULL();
	if (state->nans > 0 || (state->zeros > 0 && state->infinities > 0))
		PG_RETURN_FLOAT8(get_float8_nan());
	if (state->zeros > 0)
		PG_RETURN_FLOAT8(0.0);
	y = state->infinities > 0 ? get_float8_infinity() : finite_product(state);
	PG_RETURN_FLOAT8(state->negatives % 2 == 0 ? y : -y);
}
