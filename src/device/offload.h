/*
 * offload.h: the door of src/device/: all that other folders know of a device.
 *
 * src/run/ offers jobs, which are columns and an operation (cpu/cpu.h), or words and the scans over their rows
 * (cpu/fused_scan.h); EXPLAIN shows what became of them; init.c starts the worker.  So no file of src/device/ knows a
 * plan node, a block or an aggregate, and no other file includes another header of this folder.  test/t/arrows.t has
 * the list of the files that may name a device at all.
 */
#ifndef SCAN_DEVICE_OFFLOAD_H
#define SCAN_DEVICE_OFFLOAD_H

#include "postgres.h"

#include "cpu/fused_scan.h"
#include "device/counters.h"

/* Defines the settings of devices.  While the server starts, also reserves shared memory and registers the broker. */
extern void device_init(void);

/* ---- scans ---- */

/* Runs rows of a job from job->done to `until` - 1 on the CPU, up to the first error. */
typedef void (*DeviceElse)(ScanJob *job, int64 until);

/*
 * Runs a job that has rows and counts it: on the device as far as the device is expected to be faster and can prove its
 * answers, and the other rows by `otherwise`.  NULL: the rows from job->done on are left to the caller once the device
 * stops.  An error if scan.debug_require does not allow either.
 */
extern void device_run(ScanJob *job, DeviceElse otherwise);

/*
 * Records how many nanoseconds the caller's loop took for so many values of frames: the caller of a job of frames
 * (op/frame.h) has a faster loop than `sequential` of the job's line.
 */
extern void device_loop_took(const ScanOp *op, double ns, int64 values);

/*
 * device_takes: true if device_run() would run the job on the device.  The job needs no columns.
 *
 * device_rows_at_once: returns the number of rows to hand over at once to a device that takes them.
 */
extern bool	 device_takes(const ScanJob *job);
extern int64 device_rows_at_once(void);

/* ---- sorts: the members of a WordSorter (sort/radix.h) ---- */

extern bool		 device_sorts(int64_t n, int bits, FusedScans *scans);
extern uint64_t *device_sort(uint64_t *words, uint64_t *spare, int64_t n, int low, int high, FusedScans *scans,
							 int partition);
extern void		 device_sort_stays(int64_t n, double ns);

/* ---- what became of jobs ---- */

/* Returns who runs jobs now: "cpu", "gpu", or "auto" if it depends on the job. */
extern const char *device_chosen(void);

/* device_counters: returns the counts of this backend's jobs so far.  device_count: adds what came since `before`. */
extern DeviceCounters device_counters(void);
extern void			  device_count(DeviceCounters *sum, const DeviceCounters *before);

/* Prints in EXPLAIN who runs the jobs of a node; with ANALYZE, who ran them, and why the CPU ran some. */
struct ExplainState;
extern void device_explain(const DeviceCounters *jobs, struct ExplainState *es);

#endif /* SCAN_DEVICE_OFFLOAD_H */
