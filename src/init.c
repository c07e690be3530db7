/*
 * init.c: what happens when a backend, or the postmaster, loads the library.
 *
 * It is above all folders, as the only file that knows both the functions and all rooms of node/.  The way of a query:
 * node/plan/ finds WindowAgg paths that PrefixScan can evaluate byte for byte, and offers a cheaper path.  When the
 * plan runs, node/input/ puts the input rows into blocks of columns in window order, node/evaluate/ computes each
 * window function over a block, and node/exec/, which calls both, emits the rows.  planned_window.h is what plan/ and
 * exec/ know of each other.  node/skip/ is IndexSkip, the node that finds the first rows of groups by an index, and
 * node/reduce/ is WindowReduce, the node that filters and aggregates the rows of a window as columns.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "device/offload.h"
#include "functions/register.h"
#include "guc.h"
#include "kept/hooks.h"
#include "library/library.h"
#include "node/error_timing/error_timing.h"
#include "node/exec/state.h"
#include "node/plan/planning.h"
#include "node/planned_window.h"
#include "node/reduce/reduce.h"
#include "node/skip/skip.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

/* Registers PrefixScan and IndexSkip with the planner, the executor and EXPLAIN of this backend. */
static void
register_nodes(void)
{
	prefix_scan_methods.CreateCustomScanState = prefix_scan_create_state;
	window_reduce_methods.CreateCustomScanState = window_reduce_create_state;
	/*
	 * core would raise an error at a second registration, and a server that preloads both libraries would not start
	 */
	if (GetCustomScanMethods(PREFIX_SCAN_NAME, true) != NULL || GetCustomScanMethods(INDEX_SKIP_NAME, true) != NULL ||
		GetCustomScanMethods(WINDOW_REDUCE_NAME, true) != NULL)
	{
		ereport(WARNING, (errmsg("plan nodes \"%s\", \"%s\" and \"%s\" are not available", PREFIX_SCAN_NAME,
								 INDEX_SKIP_NAME, WINDOW_REDUCE_NAME),
						  errdetail("Another library has registered a custom scan with one of these names."),
						  errhint("Load only one of the two libraries to use the plan nodes. The functions of "
								  "extension \"scan\" work without them.")));
		return;
	}
	RegisterCustomScanMethods(&prefix_scan_methods);
	index_skip_init();
	demand_init();
	plan_init();
	window_reduce_init();
}

void
_PG_init(void)
{
	library_loaded();
	guc_define();
	device_init();
	functions_register();
	kept_log_init();
	register_nodes();
	kept_rewrite_init();
}
