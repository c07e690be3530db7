/*
 * entry.h: the C functions of SQL functions that only pass their call on, or refuse it.
 *
 * PostgreSQL chooses among the forms of a function by the types of a call, and the plan node recognises a form by its C
 * function (entry_points.h).  So each form has a C function of its own, also where one C function serves them all.
 */
#ifndef SCAN_CALL_ENTRY_H
#define SCAN_CALL_ENTRY_H

#include "postgres.h"

#include "fmgr.h"

/* Defines the C function `name`, whose Datum is `answer`, an expression over `fcinfo`. */
#define SCAN_ENTRY(name, answer) \
	PG_FUNCTION_INFO_V1(name);   \
	Datum name(PG_FUNCTION_ARGS) \
	{                            \
		return answer;           \
	}

/* Defines the C function `name` of a form that exists only so that its callers read what to do instead. */
#define SCAN_REFUSAL(name, code, message, hint)         \
	PG_FUNCTION_INFO_V1(name);                          \
	Datum name(PG_FUNCTION_ARGS)                        \
	{                                                   \
		ereport(ERROR, (errcode(code), message, hint)); \
	}

#endif /* SCAN_CALL_ENTRY_H */
