/*
 * internal.h: what the files of aggregate/ know of each other: the operations, and the strategies that they share.
 *
 * The tables of operations name the strategies for frames that slide, and aggregate.c chooses by the frame.  One header
 * for all: each part is a few declarations that one or two files read.  number_op.h, typed_loop.h and two_stacks.h, of
 * which operations are made, are templates and have headers of their own.
 */
#ifndef SCAN_AGGREGATE_INTERNAL_H
#define SCAN_AGGREGATE_INTERNAL_H

#include "postgres.h"

#include "portability/instr_time.h"

#include "aggregate/aggregate_op.h"
#include "aggregate/frame_parts.h"
#include "cpu/fused_scan.h"
#include "op/frame.h"

/* ---- the operations that aggregate.c chooses from ---- */

/* PostgreSQL's aggregates that op/list.h has: number_ops.c, numeric_ops.c, refold.c */
#define SCAN_STOCK(oid, function, type, values, line) extern const AggregateOp aggregate_op_##function##_##type;
#include "op/list.h"

/* exact_sum of smallint and integer: number_ops.c */
extern const AggregateOp aggregate_op_exact_sum_int2;
extern const AggregateOp aggregate_op_exact_sum_int4;

/* Any aggregate, by its own functions: call.c */
extern const AggregateOp aggregate_op_call;

/* The first value in call.sort_operator's order, and moving_arg_min and its like, over sliding frames:
 * monotonic_queue.c */
extern const AggregateOp aggregate_op_extreme;
extern bool				 aggregate_is_extreme(const Aggregate *aggregate);

/* The statistics of op/exact_statistics.h, over any frame of a state that no other process needs: exact_ops.c */
extern const AggregateOp aggregate_op_exact;
extern bool				 aggregate_is_exact(const Aggregate *aggregate);
extern bool				 aggregate_kind_is_exact(MovingKind kind);
extern ScanStatus		 aggregate_exact_partial(Aggregate *aggregate, Datum *value);

/* time_average, over sliding frames without EXCLUDE, by a constant method: time_ops.c */
extern const AggregateOp aggregate_op_time_average;
extern bool				 aggregate_is_time_average(const Aggregate *aggregate);

/* moving_median, moving_percentile_*, moving_mode and moving_count_distinct, over sliding frames: order_statistics.c */
extern const AggregateOp aggregate_op_order_statistic;
extern bool				 aggregate_is_order_statistic(const Aggregate *aggregate);

/* ---- components.c: the functions that an aggregate consists of ---- */

/* What an aggregate consists of over frames of one kind: its moving form where rows leave the frames and it has one. */
struct AggregateComponents
{
	Oid			oid;   /* the aggregate */
	Oid			owner; /* the aggregate's, who must be allowed to call the functions */
	Oid			transition;
	Oid			inverse;	 /* InvalidOid: there is none, or the frames need none */
	Oid			final;		 /* InvalidOid: the transition value is the result */
	bool		final_extra; /* the final function gets NULLs of the arguments' types, too */
	Oid			type;		 /* of the transition value; not polymorphic */
	const char *start;		 /* the first transition value as text; NULL: it is NULL */
	/* the functions by which a transition value of type internal goes to another process; InvalidOid: they lack */
	Oid serial, deserial, combine;
};

/*
 * Looks up the components of the aggregate that is called.  Raises core's error unless the aggregate's owner may call
 * those of them that core would call.  Memory is the current context's.
 */
extern AggregateComponents *aggregate_components(const Aggregate *aggregate);

/* Raises core's errors if the components no longer fit together: one may have been replaced since CREATE AGGREGATE. */
extern void aggregate_check_strictness(const AggregateComponents *components, const AggregateCall *call);

/* ---- running.c: frames that only grow, with the state of a partition and more rows at each unit ---- */

/* An EvaluateRows for any operation: whole units to the block's end, or one unit where an error may be raised. */
extern int64 running_rows(RowFunction *f, const Block *block, int64 done);

/* Takes rows of one unit in; row `from` may be the first row of a partition. */
extern void running_add(Aggregate *aggregate, const Block *block, int64 from, int64 end);

/* ---- add_remove.c: sliding frames of any operation: rows that come in are added, rows that leave are removed ---- */

/* An EvaluateRows.  It evaluates one row where `final` may raise an error itself; else to a row that has an error. */
extern int64 add_remove_rows(RowFunction *f, const Block *block, int64 done);

/* ---- prefix_difference.c: counts, sums and averages of integers over sliding frames ---- */

/* An EvaluateRows, for operations whose state is a NumberState with an integer total. */
extern int64 prefix_difference_rows(RowFunction *f, const Block *block, int64 done);

/* ---- refold.c: stock sums and averages of floats over sliding frames, added from left to right ---- */

/* Each is an EvaluateRows, for the operation of its name. */
extern int64 refold_sum_float4(RowFunction *f, const Block *block, int64 done);
extern int64 refold_sum_float8(RowFunction *f, const Block *block, int64 done);
extern int64 refold_avg_float4(RowFunction *f, const Block *block, int64 done);
extern int64 refold_avg_float8(RowFunction *f, const Block *block, int64 done);

/* ---- scans.c: aggregates that are a scan by a line of list.h, so that the sort of their rows may run it ---- */

/* Has the aggregate offer the sort its scans (cpu/fused_scan.h), if the operation has a line of list.h. */
extern void aggregate_scans_start(Aggregate *aggregate);

/* ---- sliding_scans.c: sliding frames that are joined of two scans in tiles, which ran with the sort ---- */

/* Where the frame of the next row ends.  The rows are numbered as in the window. */
typedef struct SlidingScans
{
	const FusedScan *scan;	 /* the forward scan, and the backward scan */
	int64			 first;	 /* the row at which the block begins */
	int64			 tile;	 /* first row of the tile that contains row `looked` - 1 */
	int64			 before; /* first row of the tile before row `tile` */
	int64			 looked; /* row after the last row whose tile is known */
} SlidingScans;

/* Begins a block whose frames lie in rows `from` to `end` - 1. */
extern void sliding_begin(SlidingScans *sliding, const FusedScan *scan, const Block *block, int64 from, int64 end);

/*
 * Fetches the results whose join, from left to right, is the frame's result; returns their number.  It must be called
 * for the block's frames in order.
 */
#define SLIDING_RESULTS 3
extern int sliding_results(SlidingScans *sliding, const RowFrame *frame, Datum *answer);

/* ---- frame_values.c: the values of a block's frames, and results over them by a job, for refold.c ---- */

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
	int64 from, n;
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

#endif /* SCAN_AGGREGATE_INTERNAL_H */
