/*
 * arrays.h: what the functions over arrays share.
 */
#ifndef SCAN_FUNCTIONS_ARRAY_ARRAYS_H
#define SCAN_FUNCTIONS_ARRAY_ARRAYS_H

#include "postgres.h"

#include "fmgr.h"

#include "column/array.h"
#include "cpu/cpu.h"
#include "op/lines.h"

/* ---- array_scan.c: checks of arguments and of results ---- */

/* Raises an error unless `array`, the argument `name`, has n elements, as the argument `first` has. */
extern void array_check_elements(const char *first, int64 n, const char *name, ArrayType *array);

/*
 * Raises an error if the first argument is an int2vector or an oidvector, and says what to cast it to. anyarray accepts
 * both types, but they have no NULLs and count from 0.
 */
extern void array_check_any(FunctionCallInfo fcinfo);

/* Returns `result`.  Raises an error if the element type is a domain that forbids NULL and `result` contains a NULL. */
extern Datum array_checked(ArrayType *result);

/*
 * ---- element.c: a scan over an array that calls the window function for each element ----
 *
 * Called by array_scan.c, which reads a call's arguments into the structs below.
 */

#define ARRAY_ARGS 6	/* the most arguments of a function */
#define ARRAY_COLUMNS 2 /* the most columns among them */

typedef struct ArrayInput ArrayInput;

/* How an entry point of a SCAN_ARRAY line describes itself. */
typedef struct ArrayLine
{
	ScanOpId   line;   /* the operation that runs as a job; SCAN_OP_none: no fixed one */
	Oid		   result; /* the result's element type; InvalidOid: that of the values */
	PGFunction window; /* the window function of the same name and type */
} ArrayLine;

/*
 * The roles of a function's arguments: the columns come first, one argument is `reset`, the others are constants; and
 * what they are read for.
 */
typedef struct ArrayArguments
{
	int			columns;
	const char *name[ARRAY_COLUMNS];
	int			reset;
	int			constant; /* number of the constant that must not be NULL; -1: there is none */
	const char *constant_name;

	/* Runs an operation as a job.  NULL: no line has one. */
	Datum (*job)(FunctionCallInfo fcinfo, const ArrayLine *line, const ScanOp *op, const ArrayInput *input);
	/* Returns the operation for an element type, or SCAN_OP_none.  NULL: the line names it. */
	ScanOpId (*line_of_type)(Oid type);
} ArrayArguments;

/* The arrays of a call, each with n elements. */
struct ArrayInput
{
	const ArrayArguments *arguments;
	int64				  n;
	ArrayType			 *column[ARRAY_COLUMNS];
	ArrayType			 *reset; /* NULL: the argument is NULL */
};

/* Calls the window function of `line` for each element and returns the array of its results. */
extern Datum array_elements(FunctionCallInfo fcinfo, const ArrayLine *line, const ArrayInput *input);

#endif /* SCAN_FUNCTIONS_ARRAY_ARRAYS_H */
