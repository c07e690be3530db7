/*
 * prefix_scan.c: registers PrefixScan and IndexSkip.  It is above node/, as the only file that knows all folders of it.
 */
#include "postgres.h"

#include "node/error_timing/early_stop.h"
#include "node/exec/state.h"
#include "node/plan/planning.h"
#include "node/planned_window.h"
#include "node/prefix_scan.h"
#include "node/skip/skip.h"

void
prefix_scan_init(void)
{
	prefix_scan_methods.CreateCustomScanState = prefix_scan_create_state;
	/*
	 * core would raise an error at a second registration, and a server that preloads both libraries would not start
	 */
	if (GetCustomScanMethods(PREFIX_SCAN_NAME, true) != NULL || GetCustomScanMethods(INDEX_SKIP_NAME, true) != NULL)
	{
		ereport(WARNING, (errmsg("plan nodes \"%s\" and \"%s\" are not available", PREFIX_SCAN_NAME, INDEX_SKIP_NAME),
						  errdetail("Another library has registered a custom scan with one of these names."),
						  errhint("Load only one of the two libraries to use the plan nodes. The functions of "
								  "extension \"scan\" work without them.")));
		return;
	}
	RegisterCustomScanMethods(&prefix_scan_methods);
	index_skip_init();
	demand_init();
	plan_init();
}
