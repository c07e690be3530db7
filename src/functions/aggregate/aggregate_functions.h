/*
 * aggregate_functions.h: declares the C functions of aggregates that files besides their own call or recognise.
 *
 * Used by total_state.c, and by register.c, which tells the plan node their addresses.
 */
#ifndef SCAN_FUNCTIONS_AGGREGATE_AGGREGATE_FUNCTIONS_H
#define SCAN_FUNCTIONS_AGGREGATE_AGGREGATE_FUNCTIONS_H

#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"

#include "number/time_argument.h"
#include "op/exact_statistics.h"

/* Returns the memory of the transition value.  Raises an error if the function is called by no aggregate. */
static inline MemoryContext
aggregate_memory(FunctionCallInfo fcinfo)
{
	MemoryContext memory;

	if (!AggCheckCallContext(fcinfo, &memory))
		elog(ERROR, "aggregate function called in non-aggregate context");
	return memory;
}

/* total.c */
extern Datum scan_total_send(PG_FUNCTION_ARGS);

/* exact.c and total_state.c */
extern Datum exact_state_in(PG_FUNCTION_ARGS);
extern Datum total_final(PG_FUNCTION_ARGS);

/* moving.c and exact.c */
#define SCAN_MOVING(transition, inverse, final, kind) \
	extern Datum transition(PG_FUNCTION_ARGS);        \
	extern Datum inverse(PG_FUNCTION_ARGS);           \
	extern Datum final(PG_FUNCTION_ARGS);
#include "op/list.h"

/*
 * message.c: the text form of total_state and exact_state: the bytes of the type's send function, in bytea's hex
 * format.
 *
 * Called by the input and output functions of the two types (total_state.c, exact.c).
 */

/* Returns \x and two hex digits per byte of `message`, a palloc'd string. */
extern char *message_to_text(const bytea *message);

/* Decodes `text` into `message`, which it initializes.  Raises an error that names `type` if `text` is malformed. */
extern void message_of_text(StringInfo message, const char *text, const char *type);

/* Returns the scan_total that `message` holds, read from its cursor on (in total.c).  Errors name `type`. */
extern Datum total_of_message(StringInfo message, const char *type);

/*
 * time_average.c: the arguments of time_average and time_in_state, as their functions for all types of `at` read them.
 *
 * Used by time_average.c, time_average_numeric.c and time_in_state.c.
 */

/*
 * Returns the flags of TimeArea (op/time_area.h) for a call f(state, value, at [, method]), whose `at` has the type.
 * The method is checked at every row, also at one that is skipped.
 */
extern int64 time_average_flags(FunctionCallInfo fcinfo, TimeStatistic statistic, Oid type);

/* Fetches the value of a call f(state, value, at [, method]).  Returns false if the row is skipped. */
extern bool time_average_value(FunctionCallInfo fcinfo, TimeStatistic statistic, double *value);

/* Returns the area of a state over sliding frames. */
extern const TimeArea *time_average_moving_area(Datum state);

/* Raises an error if a row's flags are not those of the state: the method has changed. */
extern void time_average_check_flags(int64 flags, int64 of_state);

#endif /* SCAN_FUNCTIONS_AGGREGATE_AGGREGATE_FUNCTIONS_H */
