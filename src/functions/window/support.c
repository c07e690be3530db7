/*
 * support.c: the planner support function of all window functions of the extension.
 *
 * It answers no request; its purpose is to be called. The planner asks for the cost of a window function before it
 * looks at its hooks. That call loads the library in time for the very statement that calls one of its functions to run
 * in PrefixScan, even if it is the first statement of a session.
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"

PG_FUNCTION_INFO_V1(scan_support);
Datum
scan_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(NULL);
}
