/*
 * window_functions.h: declares the C functions of all window functions, their support function, and what a function
 * over rows and that over arrays have in common.
 *
 * Used by register.c, which tells the plan node their addresses, and by functions/array/, which calls them for each
 * element of an array.
 */
#ifndef SCAN_FUNCTIONS_WINDOW_WINDOW_FUNCTIONS_H
#define SCAN_FUNCTIONS_WINDOW_WINDOW_FUNCTIONS_H

#include "postgres.h"

#include "fmgr.h"

#include "op/binding.h"
#include "op/in_sequence.h"
#include "op/lines.h"

/* register.c */
extern PGDLLEXPORT Datum scan_support(PG_FUNCTION_ARGS);

#define SCAN_ROW(function, type, arguments, result, flags, call) \
	extern Datum scan_##function##_##type(PG_FUNCTION_ARGS);
#define SCAN_CALL(function, type, arguments, result, rows) extern Datum scan_##function##_##type(PG_FUNCTION_ARGS);
#include "op/list.h"

/* by which array_scan_* compute an element: array_scan_interpolate has more forms than scan_interpolate (fill.c) */
#define SCAN_ARRAY(function, type, arguments, result, call, line) \
	extern Datum scan_##function##_##type(PG_FUNCTION_ARGS);
#include "op/list.h"

/*
 * change.c: returns the operation that numbers the runs of values of `type`, or SCAN_OP_none if only the type's own
 * equality function can tell.  Raises an error if the type has no equality.
 */
extern ScanOpId change_line(Oid type);

/*
 * clamped.c: reads the constants of a clamped sum, the bounds (NULL: none) and the initial value.  Raises an error if
 * lower > upper or a bound is NaN.
 */
extern void clamp_read(ClampParam *param, NullableDatum lower, NullableDatum upper, int64 init);
extern void clamp_read_float(ClampedFloatParam *param, NullableDatum lower, NullableDatum upper, double init);

#endif /* SCAN_FUNCTIONS_WINDOW_WINDOW_FUNCTIONS_H */
