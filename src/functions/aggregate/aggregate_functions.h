/*
 * aggregate_functions.h: declares the C functions of aggregates that files besides their own call or recognise.
 *
 * Used by total_state.c, and by register.c, which tells the plan node their addresses.
 */
#ifndef SCAN_FUNCTIONS_AGGREGATE_AGGREGATE_FUNCTIONS_H
#define SCAN_FUNCTIONS_AGGREGATE_AGGREGATE_FUNCTIONS_H

#include "postgres.h"

#include "fmgr.h"

/* total.c */
extern Datum scan_total_send(PG_FUNCTION_ARGS);

/* moving.c and exact.c */
#define SCAN_MOVING(transition, inverse, final, kind) \
	extern Datum transition(PG_FUNCTION_ARGS);        \
	extern Datum inverse(PG_FUNCTION_ARGS);           \
	extern Datum final(PG_FUNCTION_ARGS);
#include "op/list.h"

#endif /* SCAN_FUNCTIONS_AGGREGATE_AGGREGATE_FUNCTIONS_H */
