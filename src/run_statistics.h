/*
 * run_statistics.h: what is known of jobs that ran: counters, and the times by which a device is chosen.
 *
 * run.c and run_sort.c count their jobs in device_choice.c, which also knows the times; EXPLAIN and scan_rates() show
 * them.  A header of its own, so that device_choice.h need not include run.h: run.c is above device_choice.c.
 */
#ifndef SCAN_RUN_STATISTICS_H
#define SCAN_RUN_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

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
 * In device_choice.c.  run_rates: returns the number of kinds of jobs.  run_rate: fills *rate for a kind from 0 on;
 * false: no device runs such jobs now.
 */
extern int	run_rates(void);
extern bool run_rate(int kind, RunRate *rate);

/* Counts this backend's jobs so far, for EXPLAIN (run.h); times in nanoseconds. */
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

#endif /* SCAN_RUN_STATISTICS_H */
