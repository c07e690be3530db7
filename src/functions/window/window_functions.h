/*
 * window_functions.h: declares the C functions of all window functions, and their support function.
 *
 * Used by register.c, which tells the plan node their addresses, and by functions/array/, which calls them for each
 * element of an array.
 */
#ifndef SCAN_FUNCTIONS_WINDOW_WINDOW_FUNCTIONS_H
#define SCAN_FUNCTIONS_WINDOW_WINDOW_FUNCTIONS_H

#include "postgres.h"

#include "fmgr.h"

/* register.c */
extern PGDLLEXPORT Datum scan_support(PG_FUNCTION_ARGS);

#define SCAN_ROW(function, type, arguments, result, flags, call) \
	extern Datum scan_##function##_##type(PG_FUNCTION_ARGS);
#define SCAN_CALL(function, type, arguments, result, rows) extern Datum scan_##function##_##type(PG_FUNCTION_ARGS);
#include "op/list.h"

/* fill.c: array_scan_interpolate has more forms than scan_interpolate */
extern Datum scan_interpolate_int2(PG_FUNCTION_ARGS);
extern Datum scan_interpolate_int4(PG_FUNCTION_ARGS);
extern Datum scan_interpolate_integers(PG_FUNCTION_ARGS);
extern Datum scan_interpolate_literal(PG_FUNCTION_ARGS);
extern Datum scan_interpolate_literal_numeric(PG_FUNCTION_ARGS);
extern Datum scan_interpolate_literals(PG_FUNCTION_ARGS);

#endif /* SCAN_FUNCTIONS_WINDOW_WINDOW_FUNCTIONS_H */
