/*
 * init.c: puts PrefixScan together.  The only file of node/ that knows all its rooms.
 */
#include "postgres.h"

#include "node/exec/exec.h"
#include "node/node.h"
#include "node/plan/plan.h"
#include "node/rows/demand.h"
#include "node/window.h"

void
node_init(void)
{
	prefix_scan_methods.CreateCustomScanState = prefix_scan_create_state;
	RegisterCustomScanMethods(&prefix_scan_methods);
	demand_init();
	plan_init();
}
