/*
 * support.c: the planner support function of all window functions here.
 *
 * It has nothing to say: being called is what it is for.  The planner asks for the
 * cost of a window function before it looks at its hooks, so the library is loaded
 * in time for the very statement that calls one of its functions to run in
 * PrefixScan, also the first one of a session.
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
