/*
 * guc.c: the settings, scan.*
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/guc.h"

#include "cpu/cpu.h"
#include "guc.h"

int guc_algorithm = SCAN_AUTO;
int guc_node = NODE_AUTO;
int guc_work_mem = 256 * 1024;
int guc_debug_require = REQUIRE_NOTHING;

Size
guc_budget(void)
{
	return (Size) (guc_work_mem < 0 ? work_mem : guc_work_mem) * 1024;
}

static const struct config_enum_entry algorithm_options[] = {
	{"auto", SCAN_AUTO, false},
	{"sequential", SCAN_SEQUENTIAL, false},
	{"hillis_steele", SCAN_HILLIS_STEELE, false},
	{"blelloch", SCAN_BLELLOCH, false},
	{"blocked", SCAN_BLOCKED, false},
	{NULL, 0, false},
};

static const struct config_enum_entry node_options[] = {
	{"auto", NODE_AUTO, false},
	{"off", NODE_OFF, false},
	{"force", NODE_FORCE, false},
	{NULL, 0, false},
};

static const struct config_enum_entry require_options[] = {
	{"allow", REQUIRE_NOTHING, false},
	{"node", REQUIRE_NODE, false},
	{"cpu", REQUIRE_CPU, false},
	{"gpu", REQUIRE_GPU, false},
	{NULL, 0, false},
};

void
guc_define(void)
{
	DefineCustomEnumVariable("scan.algorithm", "How a batch is scanned on the CPU.",
							 "Never changes an answer; \"auto\" is the fastest.", &guc_algorithm, SCAN_AUTO,
							 algorithm_options, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("scan.node", "Whether window queries run in PrefixScan.",
							 "\"auto\" leaves it to the planner's costs, \"force\" takes it wherever it can answer.",
							 &guc_node, NODE_AUTO, node_options, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("scan.work_mem", "Memory that the rows of one PrefixScan may take.",
							"Beyond it they are sorted on disk.  -1 is work_mem.", &guc_work_mem, 256 * 1024, -1,
							MAX_KILOBYTES, PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomEnumVariable("scan.debug_require", "What has to do the work, or the query fails: for tests.",
							 "\"node\": PrefixScan has to run every window; \"cpu\", \"gpu\": every job.",
							 &guc_debug_require, REQUIRE_NOTHING, require_options, PGC_USERSET, GUC_NOT_IN_SAMPLE, NULL,
							 NULL, NULL);
	MarkGUCPrefixReserved("scan");
}
