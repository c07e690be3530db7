/*
 * init.c: what happens when a backend, or the postmaster, loads the library.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "device/offload.h"
#include "functions/register.h"
#include "guc.h"
#include "library/library.h"
#include "node/prefix_scan.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	library_loaded();
	guc_define();
	device_init();
	functions_register();
	prefix_scan_init();
}

/*
 * The planner support function of all window functions of the extension.
 *
 * It answers no request; its purpose is to be called.  The planner asks for the cost of a window function before it
 * looks at its hooks.  That call loads the library in time for the very statement that calls one of its functions to
 * run in PrefixScan, even if it is the first statement of a session.
 */
PG_FUNCTION_INFO_V1(scan_support);
Datum
scan_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(NULL);
}
