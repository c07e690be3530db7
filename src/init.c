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
