/*
 * guc.h: the settings, scan.*: they change how an answer is found, never the answer.
 */
#ifndef SCAN_GUC_H
#define SCAN_GUC_H

#include "postgres.h"

/* scan.algorithm: a ScanAlgorithm (cpu/cpu.h) */
extern int guc_algorithm;

/* scan.prefixscan */
typedef enum PrefixScanChoice
{
	PREFIXSCAN_AUTO = 0, /* where it is cheaper */
	PREFIXSCAN_OFF,
	PREFIXSCAN_FORCE, /* wherever it can answer */
} PrefixScanChoice;

extern int guc_prefixscan;

/* scan.parallel: whether PrefixScan may run in several processes */
extern bool guc_parallel;

/* scan.work_mem: kB that a PrefixScan may hold; -1: work_mem */
extern int guc_work_mem;

/* The same in bytes, as it is now. */
extern Size guc_budget(void);

/* scan.debug_require: what may not happen unnoticed, for tests */
typedef enum DebugRequire
{
	REQUIRE_NOTHING = 0,
	REQUIRE_NODE, /* a window that is left to WindowAgg */
	REQUIRE_CPU,  /* a job that runs elsewhere */
	REQUIRE_GPU,
} DebugRequire;

extern int guc_debug_require;

/* scan.debug_cpu_factor: how many times slower than it is "auto" takes the CPU to be, for tests */
extern double guc_debug_cpu_factor;

/* scan.device */
typedef enum DeviceChoice
{
	DEVICE_AUTO = 0, /* where it is faster */
	DEVICE_CPU,
	DEVICE_GPU, /* whatever can go there */
} DeviceChoice;

extern int guc_device;

/* "auto" leaves jobs of fewer rows on the CPU; how long one may take, in milliseconds */
extern int guc_gpu_min_rows;
extern int guc_gpu_sort_min_rows;
extern int guc_gpu_timeout;

/* scan.gpu_quarantine, in milliseconds */
extern int guc_gpu_quarantine;

/* scan.mock_fault: a ScanGpuFault (device/device.h); scan.mock_fault_line: of which jobs; empty: of all */
extern int	 guc_mock_fault;
extern char *guc_mock_fault_line;

/* Set when the server starts: slots of the ring and kB of each, MB of device memory (0: the library's choice). */
extern int	 guc_gpu_slots;
extern int	 guc_gpu_slot_size;
extern int	 guc_gpu_memory;
extern char *guc_gpu_library;

extern void guc_define(void);

#endif /* SCAN_GUC_H */
