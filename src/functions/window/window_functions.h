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

/* support.c */
extern Datum scan_support(PG_FUNCTION_ARGS);

#define SCAN_ROW(function, type, arguments, result, flags, call) \
	extern Datum scan_##function##_##type(PG_FUNCTION_ARGS);
#define SCAN_CALL(function, type, arguments, result, rows) extern Datum scan_##function##_##type(PG_FUNCTION_ARGS);
#include "op/list.h"

#endif /* SCAN_FUNCTIONS_WINDOW_WINDOW_FUNCTIONS_H */
