/*
 * moving.h: aggregates over sliding frames for which there is a faster way than aggregate.c.
 *
 * The table of inlined.c says which way a stock aggregate takes.  Where values can be taken out exactly, a frame's
 * result is a difference of sums (prefix_difference.c).  Where values can only be joined, a tree joins them
 * (segment_tree.h).  Where values have to be added from left to right, vector lanes add many frames at once
 * (refold.c).  Extremes of all other types use a queue (monotonic_queue.c).  The project's own aggregates use exact
 * sums that take values out (moments.c), or the ranks of values (order_statistics.c).
 */
#ifndef SCAN_NODE_EVALUATE_MOVING_H
#define SCAN_NODE_EVALUATE_MOVING_H

#include "postgres.h"

#include "cpu/cpu.h"
#include "node/evaluate/function.h"

/* Consecutive rows of a block: `from` to `end` - 1. */
typedef struct FramePart
{
	int64 from;
	int64 end;
} FramePart;

/* A hole, and the row that stays in it, divide a frame into at most three parts. */
#define FRAME_PARTS 3

/*
 * Fills `part` with the parts of row i's frame, from the first to the last row.  Returns their number; no part is
 * empty.
 */
static inline int
frame_parts(const RowFrame *frame, int64 i, FramePart *part)
{
	int n = 0;

	part[n] = (FramePart){frame->head, frame->hole};
	n += part[n].from < part[n].end;
	if (frame->stays)
		part[n++] = (FramePart){i, i + 1};
	part[n] = (FramePart){frame->hole_end, frame->tail};
	return n + (part[n].from < part[n].end);
}

/* The rows of a block that are in the frame of some row. */
typedef struct FrameContent
{
	int		  parts;
	FramePart part[FRAME_PARTS];
} FrameContent;

/* Called for a row of the block that comes into the frame, or leaves it. */
typedef void (*FrameTake)(void *arg, int64 i, bool leaves);

/* Calls `take` for the rows of a that are not in b. */
static pg_attribute_always_inline void
content_without(const FrameContent *a, const FrameContent *b, bool leaves, FrameTake take, void *arg)
{
	for (int p = 0; p < a->parts; p++)
	{
		int64 end = a->part[p].end;
		int64 from = a->part[p].from;

		for (int q = 0; q < b->parts; q++)
		{
			FOR_INTERRUPTIBLE (i, from, Min(end, b->part[q].from))
				take(arg, i, leaves);
			from = Max(from, Min(end, b->part[q].from));
			if (from >= b->part[q].from)
				from = Max(from, Min(end, b->part[q].end));
		}
		FOR_INTERRUPTIBLE (i, from, end)
			take(arg, i, leaves);
	}
}

/*
 * Moves `content` to the frame of row i.  A row comes in and leaves once, as long as the frames' ends only move
 * forward.
 */
static pg_attribute_always_inline void
content_move(FrameContent *content, const Block *block, int64 i, FrameTake take, void *arg)
{
	FrameContent next;

	next.parts = frame_parts(&block->frame[i], i, next.part);
	content_without(content, &next, true, take, arg);
	content_without(&next, content, false, take, arg);
	*content = next;
}

/*
 * Fetches the argument at row i of an aggregate with at most one argument.  Returns false if the argument is NULL or
 * the FILTER rejects the row.
 */
static inline bool
moving_value(const NodeFunction *f, const Block *block, int64 i, Datum *value)
{
	bool isnull = false;

	*value = 0;
	if (!node_filter(f, block, i))
		return false;
	if (f->arguments > 0)
		*value = node_argument(f, block, 0, i, &isnull);
	return !isnull;
}

/* The jobs of an aggregate of inlined.c, for a device (moving_job.c). */
typedef struct MovingJobs MovingJobs;

/* Prepares the jobs.  `joins`: values can only be joined; otherwise they are added up. */
extern void moving_jobs_start(NodeFunction *f, bool joins);

/*
 * Returns a job whose answers are the sums of all values up to each of the block's first `rows` rows; NULL: no device
 * computed them, and the CPU has to.
 */
extern const ScanJob *moving_sums(NodeFunction *f, const Block *block, int64 rows);

/*
 * Has rows `from` to `end` - 1 scanned forward and backward, for frames of at most `widest` rows.  Returns false if no
 * device did it, and the CPU has to.
 */
extern bool moving_scan_twice(NodeFunction *f, const Block *block, int64 from, int64 end, int64 widest);

/*
 * moving_is_scanned: true if a device scanned this block forward and backward.  moving_answers: fetches the answers
 * whose join, from left to right, is the frame's result; returns their number.  It must be called for the block's
 * frames in order.
 */
#define MOVING_ANSWERS 3
extern bool moving_is_scanned(const NodeFunction *f);
extern int	moving_answers(NodeFunction *f, const RowFrame *frame, Datum *answer);

/* prefix_difference.c: counts, sums and averages of integers */
extern int64 evaluate_difference(NodeFunction *f, const Block *block, int64 done);

/* refold.c: sums and averages of floats */
extern int64 evaluate_sum_float4(NodeFunction *f, const Block *block, int64 done);
extern int64 evaluate_sum_float8(NodeFunction *f, const Block *block, int64 done);
extern int64 evaluate_avg_float4(NodeFunction *f, const Block *block, int64 done);
extern int64 evaluate_avg_float8(NodeFunction *f, const Block *block, int64 done);

#endif /* SCAN_NODE_EVALUATE_MOVING_H */
