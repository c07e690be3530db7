/*
 * time_average.h: the argument `method` of time_average, as its functions for all types of `at` read it.
 *
 * Used by time_average.c and by time_average_numeric.c.
 */
#ifndef SCAN_FUNCTIONS_AGGREGATE_TIME_AVERAGE_H
#define SCAN_FUNCTIONS_AGGREGATE_TIME_AVERAGE_H

#include "postgres.h"

#include "fmgr.h"

/*
 * Returns the flags of TimeArea (op/time_area.h) for a call f(state, value, at [, method]), whose `at` has the type.
 * The method is checked at every row, also at one that is skipped.
 */
extern int64 time_average_flags(FunctionCallInfo fcinfo, Oid type);

/* Raises an error if a row's flags are not those of the state: the method has changed. */
extern void time_average_check_flags(int64 flags, int64 of_state);

#endif /* SCAN_FUNCTIONS_AGGREGATE_TIME_AVERAGE_H */
