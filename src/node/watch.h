/*
 * watch.h: where the time of a PrefixScan goes, and who ran its jobs: for EXPLAIN ANALYZE.
 *
 * Steps are watched by the block, not by the row, and without ANALYZE not at all.  What is
 * left of the node's time, which core measures, is the emitting of rows.
 */
#ifndef SCAN_NODE_WATCH_H
#define SCAN_NODE_WATCH_H

#include "postgres.h"

#include "portability/instr_time.h"

#include "run.h"

typedef struct Watch
{
	bool		timed;	   /* else jobs are counted, and no clock is read */
	double		pull_ns;   /* rows, of the child or from disk, and into blocks */
	double		sort_ns;   /* of rows in memory, and writing them to disk */
	double		answer_ns; /* of functions */
	RunCounters jobs;	   /* of this node */
} Watch;

/* A step's beginning. */
typedef struct WatchStep
{
	double		at;
	double		sort_ns;
	RunCounters before;
} WatchStep;

static inline double
watch_now(const Watch *watch)
{
	instr_time now;

	if (!watch->timed)
		return 0;
	INSTR_TIME_SET_CURRENT(now);
	return INSTR_TIME_GET_DOUBLE(now) * 1e9;
}

/* `watch` is NULL where nobody asks. */
static inline WatchStep
watch_begin(const Watch *watch)
{
	WatchStep step = {0};

	if (unlikely(watch != NULL))
	{
		step.before = run_counters();
		step.sort_ns = watch->sort_ns;
		step.at = watch_now(watch);
	}
	return step;
}

/* The step's time goes to *ns, but for what went to a sort within. */
static inline void
watch_end(Watch *watch, const WatchStep *step, double *ns)
{
	double spent = watch_now(watch) - step->at;

	*ns += spent - (ns == &watch->sort_ns ? 0 : watch->sort_ns - step->sort_ns);
}

/* Counts a step's jobs as the node's. */
static inline void
watch_jobs(Watch *watch, const WatchStep *step)
{
	RunCounters	 now = run_counters();
	RunCounters *jobs = &watch->jobs;

	jobs->jobs += now.jobs - step->before.jobs;
	jobs->gpu_jobs += now.gpu_jobs - step->before.gpu_jobs;
	if (now.jobs - now.gpu_jobs > step->before.jobs - step->before.gpu_jobs)
		jobs->reason = now.reason;
	jobs->copy_in_ns += now.copy_in_ns - step->before.copy_in_ns;
	jobs->wait_ns += now.wait_ns - step->before.wait_ns;
	jobs->gpu_ns += now.gpu_ns - step->before.gpu_ns;
	jobs->copy_out_ns += now.copy_out_ns - step->before.copy_out_ns;
}

#endif /* SCAN_NODE_WATCH_H */
