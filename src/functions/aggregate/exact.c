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

#define TAKE(SUMS, NAME, ARGUMENTS, FIRST, SECOND, TAKEN) \
	EXACT_TAKE_BOTH(EXACT_STATE_VALUES, SUMS, NAME, ARGUMENTS, TAKEN)

EXACT_TAKINGS_OF_FLOAT4(TAKE, 1)
EXACT_TAKINGS_OF_FLOAT8(TAKE, 1)
EXACT_TAKINGS_OF_SQUARES(TAKE, 2)

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

#define FINAL(T, NAME, KIND, SQUARES, ANSWER) EXACT_FINAL(NAME, EXACT_STATE_VALUES, Moments, T, ANSWER)

EXACT_OF_FLOAT4(FINAL, Float4)
EXACT_OF_FLOAT8(FINAL, Float8)
EXACT_OF_SQUARES(FINAL, Float8)
