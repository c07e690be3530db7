/*
 * guc.h: the settings scan.*.  They change how a result is found, never the result.
 */
#ifndef SCAN_GUC_H
#define SCAN_GUC_H

#include "postgres.h"

/* scan.algorithm: a ScanAlgorithm (cpu/cpu.h) */
extern int guc_algorithm;

/* scan.prefixscan */
typedef enum PrefixScanChoice
{
	PREFIXSCAN_AUTO = 0, /* where the planner expects it to be cheaper */
	PREFIXSCAN_OFF,
	PREFIXSCAN_FORCE, /* wherever it can run the query */
} PrefixScanChoice;

extern int guc_prefixscan;

/* scan.index_skip: whether the first rows of each group are found by an index (node/skip/) */
typedef enum IndexSkipChoice
{
	INDEX_SKIP_AUTO = 0,
	INDEX_SKIP_OFF,
	INDEX_SKIP_FORCE,
} IndexSkipChoice;

extern int guc_index_skip;

/* scan.reduce: whether rows of a window are filtered and aggregated as columns (node/reduce/) */
typedef enum ReduceChoice
{
	REDUCE_AUTO = 0,
	REDUCE_OFF,
	REDUCE_FORCE,
} ReduceChoice;

extern int guc_reduce;

/* scan.parallel: true if PrefixScan may run in several processes */
extern bool guc_parallel;

/* scan.work_mem: memory that all PrefixScans of this process may take, in kB; -1: work_mem */
extern int guc_work_mem;

/*
 * Returns the memory that one PrefixScan may take by the current settings, in bytes.  The PrefixScans that sort have
 * equal shares, since those of a query hold rows at the same time.
 */
extern Size guc_budget(void);

/* Returns the same for a query that is planned, of which `nodes` PrefixScans will sort. */
extern Size guc_budget_of(int nodes);

/* Has a PrefixScan that sorts take a share until the memory context of its query is reset or deleted. */
extern void guc_share_budget(MemoryContext query);

/* scan.debug_require: what raises an error instead of passing unnoticed, for tests */
typedef enum DebugRequire
{
	REQUIRE_NOTHING = 0,
	REQUIRE_NODE, /* a window that is left to WindowAgg */
	REQUIRE_CPU,  /* a job that runs on another device */
	REQUIRE_GPU,
} DebugRequire;

extern int guc_debug_require;

/* scan.debug_strategy: by which strategy aggregates over sliding frames are computed if they can be, for tests */
typedef enum DebugStrategy
{
	STRATEGY_AUTO = 0,
	STRATEGY_QUEUE,		 /* monotonic_queue.c */
	STRATEGY_ADD_REMOVE, /* add_remove.c, also for operations that cannot remove rows: each frame is added up anew */
	STRATEGY_CALL,		 /* call.c */
} DebugStrategy;

extern int guc_debug_strategy;

/* scan.debug_cpu_factor: the factor by which "auto" multiplies the CPU's times, for tests */
extern double guc_debug_cpu_factor;

/* scan.kept_compact: whether a background worker folds long logs of kept scans (kept/worker.c) */
typedef enum KeptCompactChoice
{
	KEPT_COMPACT_AUTO = 0,
	KEPT_COMPACT_OFF,
} KeptCompactChoice;

extern int guc_kept_compact;

/* scan.kept: whether plain queries read kept scans (kept/rewrite.c) */
typedef enum KeptChoice
{
	KEPT_AUTO = 0,
	KEPT_OFF,
	KEPT_FORCE, /* wherever it has what a query asks for */
	KEPT_CHECK, /* the same, and what is read is compared with the rows of the table */
} KeptChoice;

extern int guc_kept;

/* scan.debug_kept_deltas: deltas that make a log long, and that one transaction of a compaction folds, for tests */
extern int guc_debug_kept_deltas;

extern void guc_define(void);

#endif /* SCAN_GUC_H */
