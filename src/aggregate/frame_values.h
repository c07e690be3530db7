/*
 * frame_values.h: the values of a block's frames, and the results over them that a job has computed, for refold.c.
 */
#ifndef SCAN_AGGREGATE_FRAME_VALUES_H
#define SCAN_AGGREGATE_FRAME_VALUES_H

#include "postgres.h"

#include "portability/instr_time.h"

#include "aggregate/aggregate_op.h"
#include "aggregate/frame_parts.h"
#include "op/frame.h"

/* If all values are smaller than this, the sum of squared distances from the mean cannot overflow. */
#define LARGEST 1e145

/* Which result is computed from the values. */
typedef struct LanesKind
{
	ScanOpId line;	   /* the line by which a job computes the sum, or the sum of squares */
	bool	 average;  /* average: core's sum begins with 0, not with the first value, and is divided by the count */
	int		 subtract; /* variance: the divisor is the count less this */
	bool	 root;	   /* variance: the result is its square root */
} LanesKind;

/* The values of a block's frames that go in, without gaps. */
typedef struct Lanes
{
	int64  row; /* first row of the block that a frame contains */
	int64  capacity;
	int64 *place; /* number of values before each row, counted from `row`, and before the end of the last row */
	void  *value;
	double largest;

	MemoryContext memory;	/* of the block's job; reset before the next one */
	const void	 *answer;	/* of the job, for rows from `begin` of the block on */
	int64		  answered; /* the row of the block after the last one that the job has answered */
} Lanes;

/* The values of one part of a frame: n values, from value[from] on. */
typedef struct Run
{
	int64 from;
	int64 n;
} Run;

/* Begins a block whose frames contain rows from `row` on: makes room for `rows` values of `size` bytes each. */
extern Lanes *lanes_of_rows(Aggregate *aggregate, int64 row, int64 rows, size_t size);

/*
 * Has a job compute the block's rows, as far as it does, if it is expected to be faster than the loops.  `values`: how
 * many values the block has.
 */
extern void lanes_run_job(Aggregate *aggregate, Lanes *lanes, const Block *block, int64 values, const LanesKind *kind);

/*
 * Fills `run` with the values of each part of row i's frame, with an empty run if there is no part.  Returns the number
 * of parts.
 */
static inline int
runs_of_frame(const Lanes *lanes, const Block *block, int64 i, Run *run)
{
	FramePart part[FRAME_PARTS];
	int		  parts = frame_parts(&block->frame[i], i, part);

	run[0] = (Run){0, 0};
	for (int p = 0; p < parts; p++)
	{
		run[p].from = lanes->place[part[p].from - lanes->row];
		run[p].n = lanes->place[part[p].end - lanes->row] - run[p].from;
	}
	return parts;
}

/* Returns the number of values in the first part of row i's frame; 0: it has none. */
static inline int64
first_values(const Lanes *lanes, const Block *block, int64 i)
{
	Run run[FRAME_PARTS];

	runs_of_frame(lanes, block, i, run);
	return run[0].n;
}

/* ---- the time of a loop over rows ---- */

/* The time of a loop over rows, and the values of their frames. */
typedef struct LoopTime
{
	instr_time start;
	int64	   values;
} LoopTime;

/* Records the time as a rate of the loops, by which jobs are expected to be faster or not. */
extern void loop_ends(const LoopTime *time, int64 rows, const LanesKind *kind);

#endif /* SCAN_AGGREGATE_FRAME_VALUES_H */
