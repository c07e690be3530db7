/*
 * run.h: runs a job, a scan or a sort, on the CPU or the GPU.  No other place chooses between them.
 */
#ifndef SCAN_RUN_H
#define SCAN_RUN_H

#include "cpu/cpu.h"

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

/* The times by which "auto" chooses a device for jobs of one line without NULLs, or for sorts; nanoseconds. */
typedef struct RunRate
{
	char   *line;		 /* name of the line, as in scan_status(); palloc'd */
	double	batch_ns;	 /* fixed time per batch, however many rows it has */
	double	device_ns;	 /* per row on the device */
	double	way_ns;		 /* per row for the transfer there and back */
	double	cpu_ns;		 /* per row on the CPU */
	int64_t from_rows;	 /* from this number of rows on the device is faster by a tenth; 0: not within one batch */
	int64_t rests_until; /* a TimestampTz: the device was slower and is not asked until then; 0: it may be asked */
} RunRate;

/*
 * run_rates: returns the number of kinds of jobs.  run_rate: fills *rate for a kind from 0 on; false: no device runs
 * such jobs now.
 */
extern int	run_rates(void);
extern bool run_rate(int kind, RunRate *rate);

/* Counts this backend's jobs so far, for EXPLAIN; times in nanoseconds. */
typedef struct RunCounters
{
	int64_t		jobs;		/* scans with at least one row, and sorts that are long enough to be a job */
	int64_t		gpu_jobs;	/* those of `jobs` that the GPU ran to the end */
	const char *reason;		/* why the last job that was left to the CPU was; NULL: none was */
	double		copy_in_ns; /* copying into slots of the ring */
	double		wait_ns;	/* waiting for answers */
	double		gpu_ns;		/* time that the GPU worked, as its program says; may overlap with copying */
	double		copy_out_ns;
} RunCounters;

extern RunCounters run_counters(void);

#endif /* SCAN_RUN_H */
