/*
 * exact.c: the aggregates exact_sum, exact_avg, exact_var_* and exact_stddev_*, and the type exact_state of their
 * transition value.
 *
 * The aggregates share one transition value and differ in whether it sums squares too and in what the final function
 * reads from it.  Its addition is associative and commutative without exception and has an inverse.  So workers and
 * shards may add in any order, and a sliding frame subtracts the values that leave it: the result is always the real
 * number, rounded once.
 */
#include "postgres.h"

#include "fmgr.h"
#include "libpq/pqformat.h"

#include "compat.h"
#include "error.h"
#include "functions/aggregate/aggregate_functions.h"
#include "functions/aggregate/exact_argument.h"

/* ---- rows ---- */

#define TAKE(NAME, VALUE, WITH_SQUARE, LEAVES)                                  \
	EXACT_TAKE(NAME, EXACT_STATE_VALUES, WITH_SQUARE ? 2 : 1, !PG_ARGISNULL(1), \
			   moments_take(&state->moments, &memory.memory, VALUE(1), WITH_SQUARE, LEAVES))

TAKE(add_float8, PG_GETARG_FLOAT8, false, false)
TAKE(add_float4, PG_GETARG_FLOAT4, false, false)
TAKE(add_square, PG_GETARG_FLOAT8, true, false)
TAKE(remove_float8, PG_GETARG_FLOAT8, false, true)
TAKE(remove_float4, PG_GETARG_FLOAT4, false, true)
TAKE(remove_square, PG_GETARG_FLOAT8, true, true)

PG_FUNCTION_INFO_V1(exact_combine);
Datum
exact_combine(PG_FUNCTION_ARGS)
{
	ExactStateMemory memory;
	Moments			 other = {0};
	ExactState		*state;

	if (!PG_ARGISNULL(1))
		exact_state_view(PG_GETARG_DATUM(1), EXACT_STATE_VALUES, &other);
	state = exact_argument(fcinfo, EXACT_STATE_VALUES, other.squares.n > 0 ? 2 : 1, &memory);
	exact_check_joined(moments_join(&state->moments, &memory.memory, &other));
	PG_RETURN_DATUM(exact_state_close(state, EXACT_STATE_VALUES));
}

/* ---- the type: text and binary ---- */

PG_FUNCTION_INFO_V1(exact_state_recv);
Datum
exact_state_recv(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(exact_state_of_message((StringInfo) PG_GETARG_POINTER(0)));
}

PG_FUNCTION_INFO_V1(exact_state_send);
Datum
exact_state_send(PG_FUNCTION_ARGS)
{
	StringInfoData message;

	pq_begintypsend(&message);
	exact_state_send_message(&message, PG_GETARG_DATUM(0));
	PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

PG_FUNCTION_INFO_V1(exact_state_out);
Datum
exact_state_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(message_to_text(DatumGetByteaPP(exact_state_send(fcinfo))));
}

PG_FUNCTION_INFO_V1(exact_state_in);
Datum
exact_state_in(PG_FUNCTION_ARGS)
{
	StringInfoData message;

	message_of_text(&message, PG_GETARG_CSTRING(0), "exact_state");
	PG_RETURN_POINTER(exact_state_of_message(&message));
}

/* ---- final functions ---- */

#define FINAL(NAME, T, ANSWER, RETURN) EXACT_FINAL(NAME, EXACT_STATE_VALUES, Moments, T, ANSWER, RETURN)

FINAL(sum_float8, double, moments_sum_float8(c, &y), PG_RETURN_FLOAT8)
FINAL(sum_float4, float, moments_sum_float4(c, &y), PG_RETURN_FLOAT4)
FINAL(avg, double, moments_average(c, &y), PG_RETURN_FLOAT8)
FINAL(var_pop, double, moments_variance(c, false, false, &y), PG_RETURN_FLOAT8)
FINAL(var_samp, double, moments_variance(c, true, false, &y), PG_RETURN_FLOAT8)
FINAL(stddev_pop, double, moments_variance(c, false, true, &y), PG_RETURN_FLOAT8)
FINAL(stddev_samp, double, moments_variance(c, true, true, &y), PG_RETURN_FLOAT8)
