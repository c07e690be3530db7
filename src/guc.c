/*
 * guc.c: see guc.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/plancache.h"

#include "cpu/cpu.h"
#include "guc.h"

int	 guc_algorithm = SCAN_AUTO;
int	 guc_prefixscan = PREFIXSCAN_AUTO;
int	 guc_index_skip = INDEX_SKIP_AUTO;
int	 guc_reduce = REDUCE_AUTO;
bool guc_parallel = true;
int	 guc_work_mem = 256 * 1024;
int	 guc_debug_require = REQUIRE_NOTHING;
int	 guc_debug_strategy = STRATEGY_AUTO;
int	 guc_kept = KEPT_AUTO;
int	 guc_kept_compact = KEPT_COMPACT_AUTO;
int	 guc_debug_kept_deltas = 10000;

double guc_debug_cpu_factor = 1;

#define WORK_MEM_MIN 64 /* kB, as core's */

static int sharers; /* PrefixScans that sort, of all queries that are open in this process */

Size
guc_budget_of(int nodes)
{
	int kilobytes = (guc_work_mem < 0 ? work_mem : guc_work_mem) / Max(nodes, 1);

	return (Size) Max(kilobytes, WORK_MEM_MIN) * 1024;
}

Size
guc_budget(void)
{
	return guc_budget_of(sharers);
}

static void
leave_budget(void *unused)
{
	sharers--;
}

void
guc_share_budget(MemoryContext query)
{
	MemoryContextCallback *leave = (MemoryContextCallback *) MemoryContextAlloc(query, sizeof(MemoryContextCallback));

	leave->func = leave_budget;
	MemoryContextRegisterResetCallback(query, leave);
	sharers++;
}

static const struct config_enum_entry algorithm_options[] = {
	{"auto", SCAN_AUTO, false},
	{"sequential", SCAN_SEQUENTIAL, false},
	{"hillis_steele", SCAN_HILLIS_STEELE, false},
	{"blelloch", SCAN_BLELLOCH, false},
	{"blocked", SCAN_BLOCKED, false},
	{NULL, 0, false},
};

/* The values of a switch, and what else turns it on or off, as for core's settings that once were boolean. */
/* clang-format off */
#define SWITCH(name)                                                                                                   \
	{"auto", name##_AUTO, false}, {"off", name##_OFF, false},                                                           \
	{"on", name##_AUTO, true}, {"true", name##_AUTO, true}, {"yes", name##_AUTO, true}, {"1", name##_AUTO, true},       \
	{"false", name##_OFF, true}, {"no", name##_OFF, true}, {"0", name##_OFF, true}

#define SWITCH_WITH_FORCE(name) SWITCH(name), {"force", name##_FORCE, false}, {NULL, 0, false}
/* clang-format on */

static const struct config_enum_entry prefixscan_options[] = {SWITCH_WITH_FORCE(PREFIXSCAN)};
static const struct config_enum_entry index_skip_options[] = {SWITCH_WITH_FORCE(INDEX_SKIP)};
static const struct config_enum_entry reduce_options[] = {SWITCH_WITH_FORCE(REDUCE)};
static const struct config_enum_entry kept_options[] = {
	SWITCH(KEPT), {"force", KEPT_FORCE, false}, {"check", KEPT_CHECK, false}, {NULL, 0, false}};
static const struct config_enum_entry kept_compact_options[] = {SWITCH(KEPT_COMPACT), {NULL, 0, false}};

static const struct config_enum_entry require_options[] = {
	{"allow", REQUIRE_NOTHING, false},
	{"node", REQUIRE_NODE, false},
	{"cpu", REQUIRE_CPU, false},
	{"gpu", REQUIRE_GPU, false},
	{NULL, 0, false},
};

static const struct config_enum_entry strategy_options[] = {
	{"auto", STRATEGY_AUTO, false},
	{"monotonic_queue", STRATEGY_QUEUE, false},
	{"add_remove", STRATEGY_ADD_REMOVE, false},
	{"call", STRATEGY_CALL, false},
	{NULL, 0, false},
};

/* Raises a value below work_mem's minimum to that minimum: sorting a few rows at a time on disk helps nobody. */
static bool
check_work_mem(int *kilobytes, void **extra, GucSource source)
{
	if (*kilobytes >= 0)
		*kilobytes = Max(*kilobytes, WORK_MEM_MIN);
	return true;
}

/*
 * A cached plan has what the settings were when it was made.  So a change of a setting by which plans are chosen has
 * all of them made anew: PL/pgSQL and prepared statements follow scan.prefixscan = off at their next execution.  A
 * plan that is running goes on.
 */
static void
plan_anew(int value, void *extra)
{
	ResetPlanCache();
}

static void
plan_anew_by_bool(bool value, void *extra)
{
	ResetPlanCache();
}

/*
 * The prefix "scan" is not reserved (MarkGUCPrefixReserved): core would delete an application's own setting of a name
 * such as scan.tenant when the library is loaded, which any query may cause, and refuse it from then on.
 */
void
guc_define(void)
{
	DefineCustomEnumVariable("scan.algorithm", "Selects the algorithm by which the CPU scans a batch.",
							 "The algorithm never changes a result. \"auto\" is the fastest.", &guc_algorithm,
							 SCAN_AUTO, algorithm_options, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable(
		"scan.prefixscan", "Enables the plan node PrefixScan, which runs window functions.",
		"\"auto\" lets the planner decide by cost. \"force\" uses PrefixScan for every window that it can run.",
		&guc_prefixscan, PREFIXSCAN_AUTO, prefixscan_options, PGC_USERSET, GUC_EXPLAIN, NULL, plan_anew, NULL);
	/*
	 * scan.prefixscan was called scan.node in 1.0; databases and roles may still have that name set.  Both names set
	 * one variable, so the last SET counts.  scan.node begins with the value that a configuration file has given
	 * scan.prefixscan.
	 */
	DefineCustomEnumVariable("scan.node", "Former name of scan.prefixscan.", NULL, &guc_prefixscan, guc_prefixscan,
							 prefixscan_options, PGC_USERSET, GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE, NULL, plan_anew,
							 NULL);
	DefineCustomEnumVariable(
		"scan.index_skip", "Enables the plan node IndexSkip, which finds the first rows of each group by an index.",
		"\"auto\" lets the planner decide by cost. \"force\" uses IndexSkip wherever an index has "
		"the order of the rows. scan.prefixscan = off turns IndexSkip off, too.",
		&guc_index_skip, INDEX_SKIP_AUTO, index_skip_options, PGC_USERSET, GUC_EXPLAIN, NULL, plan_anew, NULL);
	DefineCustomEnumVariable(
		"scan.reduce", "Enables the plan node WindowReduce, which filters and aggregates the rows of PrefixScan.",
		"\"auto\" lets the planner decide by cost. \"force\" uses WindowReduce wherever it can run "
		"the query. scan.prefixscan = off turns WindowReduce off, too.",
		&guc_reduce, REDUCE_AUTO, reduce_options, PGC_USERSET, GUC_EXPLAIN, NULL, plan_anew, NULL);
	DefineCustomBoolVariable("scan.parallel", "Allows PrefixScan to run in several processes.",
							 "PrefixScan uses several processes where PostgreSQL would run the query in parallel and "
							 "the planner expects that to be faster.",
							 &guc_parallel, true, PGC_USERSET, GUC_EXPLAIN, NULL, plan_anew_by_bool, NULL);
	DefineCustomIntVariable("scan.work_mem", "Sets the maximum memory for the rows of a query's PrefixScans.",
							"If the rows need more memory, PrefixScan sorts them on disk. Each process of a query "
							"can use this much memory, in addition to the work_mem of other plan nodes. A session "
							"keeps at most 8MB of it after the query. -1 means the value of work_mem.",
							&guc_work_mem, 256 * 1024, -1, MAX_KILOBYTES, PGC_USERSET, GUC_UNIT_KB | GUC_EXPLAIN,
							check_work_mem, plan_anew, NULL);
	DefineCustomEnumVariable(
		"scan.debug_require", "Raises an error if the given node or device does not do the work, for tests.",
		"\"node\" raises an error if WindowAgg runs a window. \"cpu\" and \"gpu\" raise an error if a job runs on the "
		"other device.",
		&guc_debug_require, REQUIRE_NOTHING, require_options, PGC_USERSET, GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	DefineCustomEnumVariable("scan.debug_strategy", "Forces a strategy for aggregates over moving frames, for tests.",
							 "An aggregate that the strategy cannot compute is computed as with \"auto\".",
							 &guc_debug_strategy, STRATEGY_AUTO, strategy_options, PGC_USERSET, GUC_NOT_IN_SAMPLE, NULL,
							 NULL, NULL);
	DefineCustomRealVariable("scan.debug_cpu_factor",
							 "Multiplies the time that scan.device = auto expects of the CPU, for tests.",
							 "A test machine has no device that is faster than its CPU.", &guc_debug_cpu_factor, 1,
							 1e-6, 1e6, PGC_USERSET, GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	DefineCustomEnumVariable("scan.kept", "Lets queries of a table read its kept scans.",
							 "\"auto\" reads a kept scan where it has what a query asks for and is cheaper to read. "
							 "\"off\" reads the table. \"force\" reads a kept scan even where that takes longer. "
							 "\"check\" does so, too, and raises an error if the table gives something else. "
							 "The functions of a kept scan read it in any case.",
							 &guc_kept, KEPT_AUTO, kept_options, PGC_USERSET, GUC_EXPLAIN, NULL, plan_anew, NULL);
	DefineCustomEnumVariable("scan.kept_compact", "Lets a background worker compact kept scans.",
							 "\"auto\" starts a background worker when about 10,000 rows wait in the log of a kept "
							 "scan. \"off\" leaves all compaction to scan_kept_compact().",
							 &guc_kept_compact, KEPT_COMPACT_AUTO, kept_compact_options, PGC_SUSET, 0, NULL, NULL,
							 NULL);
	DefineCustomIntVariable("scan.debug_kept_deltas",
							"Sets the number of rows in a log that starts a compaction of a kept scan, for tests.",
							"One transaction of a compaction folds about as many rows.", &guc_debug_kept_deltas, 10000,
							1, 1000000, PGC_SUSET, GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
}
