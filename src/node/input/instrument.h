/*
 * instrument.h: measures where the time of a PrefixScan goes and counts who ran its jobs, for EXPLAIN ANALYZE.
 *
 * Time is taken once a block, not once a row, and not at all without ANALYZE.  Core measures the time of the whole
 * node; the part of it that is in none of the steps below is the time for emitting rows.
 */
#ifndef SCAN_NODE_INPUT_INSTRUMENT_H
#define SCAN_NODE_INPUT_INSTRUMENT_H

#include "postgres.h"

#include "device/offload.h"
#include "library/clock.h"

/* What time is taken of. */
typedef enum InstrumentedTime
{
	TIME_PULL = 0, /* pulling rows from the child or from disk, and laying them down in blocks */
	TIME_SORT,	   /* sorting rows in memory, and writing them to disk */
	TIME_EVALUATE, /* evaluating functions */
	INSTRUMENTED_TIMES
} InstrumentedTime;

typedef struct BlockInstrumentation
{
	bool		   timed; /* false: jobs are counted, but no clock is read */
	double		   ns[INSTRUMENTED_TIMES];
	DeviceCounters jobs; /* the jobs of this node */
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
	return instrument->timed ? clock_ns() : 0;
}

/* Begins a step.  `instrument` is NULL if the query is not instrumented. */
static inline InstrumentStep
instrument_begin(const BlockInstrumentation *instrument)
{
	InstrumentStep step = {0};

	if (unlikely(instrument != NULL))
	{
		step.before = device_counters();
		step.sort_ns = instrument->ns[TIME_SORT];
		step.at = instrument_now(instrument);
	}
	return step;
}

/*
 * Adds the step's time, without that of a sort within the step, and counts the jobs that ran during the step as jobs of
 * the node.  While rows are pulled, the nodes below count their jobs themselves, and a sort has counted its own.
 */
static inline void
instrument_end(BlockInstrumentation *instrument, const InstrumentStep *step, InstrumentedTime time)
{
	if (likely(instrument == NULL))
		return;
	instrument->ns[time] += instrument_now(instrument) - step->at -
							(time == TIME_SORT ? 0 : instrument->ns[TIME_SORT] - step->sort_ns);
	if (time != TIME_PULL)
		device_count(&instrument->jobs, &step->before);
}

#endif /* SCAN_NODE_INPUT_INSTRUMENT_H */
