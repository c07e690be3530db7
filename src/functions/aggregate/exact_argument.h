/*
 * exact_argument.h: the transition value of an exact aggregate, as its functions get it.
 */
#ifndef SCAN_FUNCTIONS_AGGREGATE_EXACT_ARGUMENT_H
#define SCAN_FUNCTIONS_AGGREGATE_EXACT_ARGUMENT_H

#include "postgres.h"

#include "fmgr.h"

#include "number/exact_state.h"

/*
 * Returns the first argument, opened, or before the first row a new state with room for that many sums.  Raises an
 * error outside an aggregate: only an aggregate's own state may be changed in place, any other may lie in a page.
 */
static pg_attribute_always_inline ExactState *
exact_argument(FunctionCallInfo fcinfo, ExactStateKind kind, int sums, ExactStateMemory *memory)
{
	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate function called in non-aggregate context");
	return exact_state_open(PG_ARGISNULL(0) ? PointerGetDatum(exact_state_new(kind, sums)) : PG_GETARG_DATUM(0), kind,
							memory);
}

#endif /* SCAN_FUNCTIONS_AGGREGATE_EXACT_ARGUMENT_H */
