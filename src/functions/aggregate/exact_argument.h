/*
 * exact_argument.h: the transition value of an exact aggregate, as its functions get it, and what these functions have
 * in common.
 */
#ifndef SCAN_FUNCTIONS_AGGREGATE_EXACT_ARGUMENT_H
#define SCAN_FUNCTIONS_AGGREGATE_EXACT_ARGUMENT_H

#include "postgres.h"

#include "fmgr.h"

#include "error.h"
#include "functions/aggregate/aggregate_functions.h"
#include "number/exact_state.h"
#include "op/exact_statistics.h"

/*
 * Returns the first argument, opened, or before the first row a new state with room for that many sums.  Raises an
 * error outside an aggregate: only an aggregate's own state may be changed in place, any other may lie in a page.
 */
static pg_attribute_always_inline ExactState *
exact_argument(FunctionCallInfo fcinfo, ExactStateKind kind, int sums, ExactStateMemory *memory)
{
	(void) aggregate_memory(fcinfo);
	return exact_state_open(PG_ARGISNULL(0) ? PointerGetDatum(exact_state_new(kind, sums)) : PG_GETARG_DATUM(0), kind,
							memory);
}

/*
 * A transition or combine function with a state of that kind, which has room for that many sums.  TAKEN, which adds the
 * row to `state`, removes it or joins another state to it, is run if IS_PRESENT.  A row that is not present also yields
 * a state: PostgreSQL forbids a NULL transition value where there is an inverse.
 */
#define EXACT_TAKE(NAME, KIND, SUMS, IS_PRESENT, TAKEN)                     \
	PG_FUNCTION_INFO_V1(exact_##NAME);                                      \
	Datum exact_##NAME(PG_FUNCTION_ARGS)                                    \
	{                                                                       \
		ExactStateMemory room;                                              \
		ExactState		*state = exact_argument(fcinfo, KIND, SUMS, &room); \
		ScanMemory		*memory = &room.memory;                             \
                                                                            \
		if (IS_PRESENT)                                                     \
			TAKEN;                                                          \
		PG_RETURN_DATUM(exact_state_close(state, KIND));                    \
	}

/* The transition function, and its inverse, of a line of op/exact_statistics.h. */
#define EXACT_TAKE_BOTH(KIND, SUMS, NAME, ARGUMENTS, TAKEN)         \
	EXACT_TAKE_ROW(add_##NAME, KIND, SUMS, ARGUMENTS, false, TAKEN) \
	EXACT_TAKE_ROW(remove_##NAME, KIND, SUMS, ARGUMENTS, true, TAKEN)
#define EXACT_TAKE_ROW(NAME, KIND, SUMS, ARGUMENTS, LEAVES, TAKEN)                                                     \
	static pg_attribute_always_inline void take_##NAME(FunctionCallInfo fcinfo, ExactState *state, ScanMemory *memory, \
													   bool leaves)                                                    \
	{                                                                                                                  \
		TAKEN;                                                                                                         \
	}                                                                                                                  \
	EXACT_TAKE(NAME, KIND, SUMS, !PG_ARGISNULL(1) && ((ARGUMENTS) < 2 || !PG_ARGISNULL(2)),                            \
			   take_##NAME(fcinfo, state, memory, LEAVES))
#define EXACT_ARGUMENT(T, N) DatumGet##T(PG_GETARG_DATUM((N) + 1))
#define EXACT_SQUARES (PAIRS_X_SQUARES | PAIRS_Y_SQUARES) /* other statistics may share the state */

/* A final function.  ANSWER stores the result, a TGetDatum, in `y`, from the CONTENT `c` of the state, and returns its
 * status. */
#define EXACT_FINAL(NAME, KIND, CONTENT, T, ANSWER)           \
	PG_FUNCTION_INFO_V1(exact_final_##NAME);                  \
	Datum exact_final_##NAME(PG_FUNCTION_ARGS)                \
	{                                                         \
		CONTENT		   content;                               \
		const CONTENT *c = &content;                          \
		EXACT_##T	   y = 0.0;                               \
		ScanStatus	   status;                                \
                                                              \
		if (PG_ARGISNULL(0))                                  \
			PG_RETURN_NULL();                                 \
		exact_state_view(PG_GETARG_DATUM(0), KIND, &content); \
		status = ANSWER;                                      \
		if (status == SCAN_NULL)                              \
			PG_RETURN_NULL();                                 \
		scan_check(status);                                   \
		PG_RETURN_DATUM(T##GetDatum(y));                      \
	}
#define EXACT_Float4 float4
#define EXACT_Float8 float8

/* Raises the error of two states that cannot be joined, unless they were. */
static inline void
exact_check_joined(bool joined)
{
	if (!joined)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("two states together have more values than can be counted"),
				 errhint("No aggregate makes states of this size. Check where the bytes of the states come from.")));
}

#endif /* SCAN_FUNCTIONS_AGGREGATE_EXACT_ARGUMENT_H */
