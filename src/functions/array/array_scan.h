/*
 * array_scan.h: what the scans over arrays share: their lines of list.h, and their arguments.
 */
#ifndef SCAN_FUNCTIONS_ARRAY_ARRAY_SCAN_H
#define SCAN_FUNCTIONS_ARRAY_ARRAY_SCAN_H

#include "postgres.h"

#include "fmgr.h"

#include "column/array.h"
#include "cpu/cpu.h"

#define ARRAY_ARGS 5	/* the most arguments of a function */
#define ARRAY_COLUMNS 2 /* the most of them that are columns */

/* What an entry point knows: its line of list.h. */
typedef struct ArrayLine
{
	ScanOpId   line;   /* SCAN_OP_none: no job of its own */
	Oid		   result; /* the type of the result's elements; InvalidOid: that of the values */
	PGFunction window; /* the window function of the same name and type */
} ArrayLine;

/* What the arguments are: first the columns, somewhere `reset`; the others are constants. */
typedef struct ArrayArguments
{
	int			columns;
	const char *name[ARRAY_COLUMNS];
	int			reset;
	int			constant; /* the one that must not be NULL */
	const char *constant_name;
} ArrayArguments;

/* The arrays of a call, all of n elements. */
typedef struct ArrayInput
{
	const ArrayArguments *arguments;
	int64				  n;
	ArrayType			 *column[ARRAY_COLUMNS];
	ArrayType			 *reset; /* NULL: there is none */
} ArrayInput;

/* An error unless `array`, the argument `name`, has the n elements that `first` has. */
extern void array_check_elements(const char *first, int64 n, const char *name, ArrayType *array);

/*
 * anyarray takes int2vector and oidvector, too, which have no NULLs and count from 0: an error that says what to cast
 * them to.
 */
extern void array_check_any(FunctionCallInfo fcinfo);

/* The result, whose elements are of the argument's type: an error if that is a domain that allows no NULL it has. */
extern Datum array_checked(ArrayType *result);

/* element.c: the line by its window function, element after element. */
extern Datum array_elements(FunctionCallInfo fcinfo, const ArrayLine *line, const ArrayInput *input);

#endif /* SCAN_FUNCTIONS_ARRAY_ARRAY_SCAN_H */
