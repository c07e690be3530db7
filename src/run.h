/*
 * run.h: the one place that decides where a job runs: a scan, or a sort.
 */
#ifndef SCAN_RUN_H
#define SCAN_RUN_H

#include "cpu/cpu.h"

/*
 * Runs a job of any length: `n`, `in`, `valid`, `heads`, `out` and `out_valid` are
 * the whole column's; `carry` is where the scan goes on from, NULL: it begins here;
 * `algorithm` and `scratch` are this function's affair.  Afterwards `done` and `status` speak of the whole column, and
 * raising the error is the caller's.  Can be cancelled; its memory is the current context's and is given back.
 */
extern void scan_run(ScanJob *job);

/*
 * How many of n rows to hand over at once, for who can choose: few enough for the cache, or many for the GPU.
 * cpu_ns is what a row takes on the CPU; 0: what was measured.
 */
extern int64_t scan_run_rows(const ScanOp *op, const void *param, int64_t n, double cpu_ns);

/*
 * Whether a job of n rows would go to the GPU, for who has another way to answer them on the CPU, of cpu_ns a
 * row.  If not, they count as a job that the CPU did.
 */
extern bool scan_run_leaves(const ScanOp *op, int64_t n, double cpu_ns);

/* Whether so many words of so many bits would be sorted by the GPU. */
extern bool scan_sort_leaves(int64_t n, int bits);

/* A RadixSort (sort/radix.h): sorts n words by their bits from `low` to `high` - 1, stably.  Can be cancelled. */
extern uint64_t *scan_sort(uint64_t *words, uint64_t *spare, int64_t n, int low, int high);

/* Where jobs would go now: "cpu", "gpu", or "auto", where it depends on the job. */
extern const char *run_device(void);

/* What sorts words for the plan node: the GPU, where that is the faster, or radix.c. */
extern const struct WordSorter scan_word_sorter;

/* What "auto" weighs against each other for jobs of a line without NULLs, or for sorts; nanoseconds. */
typedef struct RunRate
{
	char   *line;		 /* its name, as scan_status has it; allocated */
	double	batch_ns;	 /* each batch, however many rows it has */
	double	device_ns;	 /* a row on the device, */
	double	way_ns;		 /* and there and back */
	double	cpu_ns;		 /* a row on the CPU */
	int64_t from_rows;	 /* so many rows and more the device does sooner, by a tenth; 0: none */
	int64_t rests_until; /* a TimestampTz: the device was slower, and is not asked until then; 0: it may be */
} RunRate;

/* Kinds of jobs, and what is known of one of them; false: there is no device that runs such jobs now. */
extern int	run_rates(void);
extern bool run_rate(int kind, RunRate *rate);

/* What became of this backend's jobs so far, for EXPLAIN. */
typedef struct RunCounters
{
	int64_t		jobs;		/* scans of any rows, and sorts that are long enough to be one */
	int64_t		gpu_jobs;	/* of them, those that the GPU did to the end */
	const char *reason;		/* why the last of the others was not */
	double		copy_in_ns; /* to the GPU's program, */
	double		wait_ns;	/* until it had answered, */
	double		gpu_ns;		/* of which the GPU was at it for so long, */
	double		copy_out_ns;
} RunCounters;

extern RunCounters run_counters(void);

#endif /* SCAN_RUN_H */
