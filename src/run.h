/*
 * run.h: runs a job, a scan or a sort, on the CPU or the GPU.  No other place chooses between them.
 */
#ifndef SCAN_RUN_H
#define SCAN_RUN_H

#include "cpu/cpu.h"
#include "run_statistics.h"

/*
 * Runs a job of any length.  `n`, `in`, `valid`, `heads`, `out` and `out_valid` describe the whole column.  `carry` is
 * where the scan continues; NULL: it begins here.  `algorithm` and `scratch` are set by this function.  Afterwards
 * `done` and `status` speak of the whole column; the caller raises the error.
 *
 * Can be cancelled.  Memory is taken from the current memory context and given back.
 */
extern void scan_run(ScanJob *job);

/*
 * Returns how many of n rows a caller should hand to scan_run() at once, if it can choose: few enough for the CPU's
 * cache, or many for the GPU.  cpu_ns: nanoseconds that the CPU takes per row; 0: the measured rate.
 */
extern int64_t scan_run_rows(const ScanOp *op, const void *param, int64_t n, double cpu_ns);

/*
 * True if a job of n rows would go to the GPU.  For callers with their own loop for the CPU, which takes cpu_ns
 * nanoseconds per row.  If false, the rows are counted as a job that the CPU ran; an error if scan.debug_require is
 * gpu.
 */
extern bool scan_run_leaves(const ScanOp *op, int64_t n, double cpu_ns);

/* True if the GPU would sort n words by `bits` bits. */
extern bool scan_sort_leaves(int64_t n, int bits);

/* A RadixSort (sort/radix.h): sorts n words by their bits from `low` to `high` - 1, stably.  Can be cancelled. */
extern uint64_t *scan_sort(uint64_t *words, uint64_t *spare, int64_t n, int low, int high);

/* Returns the device that jobs would go to now: "cpu", "gpu", or "auto" if it depends on the job. */
extern const char *run_device(void);

/* Sorts words for the plan node, on the GPU if it is faster, else by radix.c. */
extern const struct WordSorter scan_word_sorter;

/* Returns the counts of this backend's jobs so far. */
extern RunCounters run_counters(void);

#endif /* SCAN_RUN_H */
