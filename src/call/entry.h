/*
 * entry.h: the C functions of SQL functions that only pass their call on.
 *
 * PostgreSQL chooses among the forms of a function by the types of a call, and the plan node recognises a form by its C
 * function (entry_points.h).  So each form has a C function of its own, also where one C function serves them all.
 */
#ifndef SCAN_CALL_ENTRY_H
#define SCAN_CALL_ENTRY_H

#include "postgres.h"

#include "fmgr.h"

/* Defines the C function `name`, whose Datum is `answer`, an expression that passes `fcinfo` on. */
#define SCAN_ENTRY(name, answer) \
	PG_FUNCTION_INFO_V1(name);   \
	Datum name(PG_FUNCTION_ARGS) \
	{                            \
		return answer;           \
	}

#endif /* SCAN_CALL_ENTRY_H */
