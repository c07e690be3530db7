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
 * The transition function, and its inverse, of a line of op/exact_statistics.h, whose D is the group.  A row with a
 * NULL also yields a state: PostgreSQL forbids a NULL transition value where there is an inverse.
 */
#define EXACT_TAKE_BOTH(G, NAME, ARGUMENTS, FIRST, SECOND, TAKEN) \
	EXACT_TAKE(G, add_##NAME, ARGUMENTS, false, TAKEN)            \
	EXACT_TAKE(G, remove_##NAME, ARGUMENTS, true, TAKEN)
#define EXACT_TAKE(G, NAME, ARGUMENTS, LEAVES, TAKEN)                                           \
	PG_FUNCTION_INFO_V1(exact_##NAME);                                                          \
	Datum exact_##NAME(PG_FUNCTION_ARGS)                                                        \
	{                                                                                           \
		const bool		  leaves = LEAVES;                                                      \
		ExactStateMemory  room;                                                                 \
		ExactState		 *state = exact_argument(fcinfo, EXACT_KIND(G), EXACT_SUMS_##G, &room); \
		ExactContent_##G *c = (ExactContent_##G *) &state->moments; /* of the union */          \
		ScanMemory		 *memory = &room.memory;                                                \
                                                                                                \
		if (!PG_ARGISNULL(1) && ((ARGUMENTS) < 2 || !PG_ARGISNULL(2)))                          \
			TAKEN;                                                                              \
		PG_RETURN_DATUM(exact_state_close(state, EXACT_KIND(G)));                               \
	}
#define EXACT_ARGUMENT(T, N) DatumGet##T(PG_GETARG_DATUM((N) + 1))
#define EXACT_SQUARES (PAIRS_X_SQUARES | PAIRS_Y_SQUARES) /* other statistics may share the state */

/* powers_join(), for powers whose units may differ; `value` is the Datum of the others.  In exact_powers.c. */
extern bool exact_powers_join(Powers *powers, ScanMemory *memory, Powers *other, Datum value);

#endif /* SCAN_FUNCTIONS_AGGREGATE_EXACT_ARGUMENT_H */
