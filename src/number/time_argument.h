/*
 * time_argument.h: the arguments `at` and `method` of time_average, as a state (op/time_area.h) has them; `at` of
 * time_in_state, too.
 *
 * Used by the aggregate's own functions (functions/aggregate/time_average.c) and by its operation over sliding frames
 * (aggregate/time_ops.c), which must raise the same errors.
 */
#ifndef SCAN_NUMBER_TIME_ARGUMENT_H
#define SCAN_NUMBER_TIME_ARGUMENT_H

#include "postgres.h"

#include "op/time_area.h"

/* The types of `at`: the name in pg_type, and the OID. */
#define TIME_TYPES(_)              \
	_(timestamptz, TIMESTAMPTZOID) \
	_(timestamp, TIMESTAMPOID)     \
	_(date, DATEOID)               \
	_(int8, INT8OID)               \
	_(float8, FLOAT8OID)

/* Returns a time as TimedPoint has it.  An error if it is not finite. */
extern int64 time_argument(Oid type, Datum at);

/* Returns the flags of TimeArea for a type of `at`, and for 'linear' or, if `previous`, 'previous'. */
extern int64 time_flags(Oid type, bool previous);

/* Sets *previous.  Returns false for a text that is no method. */
extern bool time_method(const text *method, bool *previous);

/* Returns true if the method is 'previous', false if it is 'linear'.  Raises an error if it is neither. */
extern bool time_method_is_previous(const text *method);

/* Raises the error for a time that is not finite. */
extern void time_raise_not_finite(int errcode_of_type) __attribute__((noreturn));

/* What the aggregates compute of rows over time: for their functions and messages. */
typedef enum TimeStatistic
{
	TIME_AVERAGE = 0, /* of time_average(value, at): the average */
	TIME_IN_STATE,	  /* of time_in_state(state, at): the time for which the state is true */
} TimeStatistic;

/* Raises the error for a row whose time lies before that of the row before. */
extern void time_raise_backwards(TimeStatistic statistic, Oid type, int64 at, int64 last) __attribute__((noreturn));
extern void time_raise_numeric_backwards(TimeStatistic statistic, Datum at, Datum last) __attribute__((noreturn));

/* The hint for rows of time_average that are out of order. */
#define TIME_ORDER_HINT TIME_ORDER_HINT_OF("time_average(value, at ORDER BY at)")
#define TIME_ORDER_HINT_OF(CALL) \
	"Without OVER, write ORDER BY in the call: " CALL ". With OVER, begin the window's ORDER BY with \"at\"."

#endif /* SCAN_NUMBER_TIME_ARGUMENT_H */
