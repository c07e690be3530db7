/*
 * instrument.h: measures where the time of a PrefixScan goes and counts who ran its jobs, for EXPLAIN ANALYZE.
 *
 * Time is taken once a block, not once a row, and not at all without ANALYZE.  Core measures the time of the whole
 * node; the part of it that is in none of the steps below is the time for emitting rows.
 */
#ifndef SCAN_NODE_INPUT_INSTRUMENT_H
#define SCAN_NODE_INPUT_INSTRUMENT_H

#include "postgres.h"

#include "portability/instr_time.h"

#include "device/offload.h"

typedef struct BlockInstrumentation
{
	bool		   timed;		/* false: jobs are counted, but no clock is read */
	double		   pull_ns;		/* pulling rows from the child or from disk, and laying them down in blocks */
	double		   sort_ns;		/* sorting rows in memory, and writing them to disk */
	double		   evaluate_ns; /* evaluating functions */
	DeviceCounters jobs;		/* the jobs of this node */
} BlockInstrumentation;

/* What all parts of the input count, for EXPLAIN ANALYZE. */
typedef struct InputStatistics
{
	BlockInstrumentation *instrument; /* NULL: without ANALYZE */
	int64				  blocks;
	int64				  left_out;		/* rows that were not wanted */
	Size				  peak_bytes;	/* of blocks, sorted rows and their sort, at most */
	int64				  spilled;		/* bytes that the sort and units wrote to disk */
	Size				  peak_spilled; /* bytes in mapped files (memory.h) of all nodes, at most */
} InputStatistics;

/* The clock (in nanoseconds) and the counters when a step began. */
typedef struct InstrumentStep
{
	double		   at;
	double		   sort_ns;
	DeviceCounters before;
} InstrumentStep;

static inline double
instrument_now(const BlockInstrumentation *instrument)
{
	instr_time now;

	if (!instrument->timed)
		return 0;
	INSTR_TIME_SET_CURRENT(now);
	return INSTR_TIME_GET_DOUBLE(now) * 1e9;
}

/* Begins a step.  `instrument` is NULL if the query is not instrumented. */
static inline InstrumentStep
instrument_begin(const BlockInstrumentation *instrument)
{
	InstrumentStep step = {0};

	if (unlikely(instrument != NULL))
	{
		step.before = device_counters();
		step.sort_ns = instrument->sort_ns;
		step.at = instrument_now(instrument);
	}
	return step;
}

/* Adds the step's time to *ns, without the time of a sort within the step. */
static inline void
instrument_end(BlockInstrumentation *instrument, const InstrumentStep *step, double *ns)
{
	double spent = instrument_now(instrument) - step->at;

	*ns += spent - (ns == &instrument->sort_ns ? 0 : instrument->sort_ns - step->sort_ns);
}

/* Counts the jobs that ran during the step as jobs of the node. */
static inline void
instrument_jobs(BlockInstrumentation *instrument, const InstrumentStep *step)
{
	device_count(&instrument->jobs, &step->before);
}

#endif /* SCAN_NODE_INPUT_INSTRUMENT_H */
