/*
 * array_scan.h: what the functions over arrays share: checks of their arguments and of their results.
 */
#ifndef SCAN_FUNCTIONS_ARRAY_ARRAY_SCAN_H
#define SCAN_FUNCTIONS_ARRAY_ARRAY_SCAN_H

#include "postgres.h"

#include "fmgr.h"

#include "column/array.h"

/* Raises an error unless `array`, the argument `name`, has n elements, as the argument `first` has. */
extern void array_check_elements(const char *first, int64 n, const char *name, ArrayType *array);

/*
 * Raises an error if the first argument is an int2vector or an oidvector, and says what to cast it to. anyarray accepts
 * both types, but they have no NULLs and count from 0.
 */
extern void array_check_any(FunctionCallInfo fcinfo);

/* Returns `result`.  Raises an error if the element type is a domain that forbids NULL and `result` contains a NULL. */
extern Datum array_checked(ArrayType *result);

#endif /* SCAN_FUNCTIONS_ARRAY_ARRAY_SCAN_H */
