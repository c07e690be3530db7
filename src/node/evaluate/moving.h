/*
 * moving.h: aggregates over sliding frames, beyond what aggregate.c does for any of them.
 *
 * inlined.c's table says by which of these an aggregate goes: by differences of sums where values
 * can be taken out exactly, by a tree where they can only be joined, by lanes where they have to be added
 * from left to right.  Aggregates of ours go by exact sums that take values out (moments.c), or by the
 * ranks of values (order_statistics.c).
 */
#ifndef SCAN_NODE_EVALUATE_MOVING_H
#define SCAN_NODE_EVALUATE_MOVING_H

#include "postgres.h"

#include "cpu/cpu.h"
#include "node/evaluate/function.h"

/* Some rows of a block, in the order of the window. */
typedef struct FramePart
{
	int64 from;
	int64 end;
} FramePart;

/* The most parts that a hole and the row that stays in it leave of a frame. */
#define FRAME_PARTS 3

/* The parts of row i's frame, from the first to the last row; returns how many: none is empty. */
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

/* Is told that a row of the block comes into the frame, or leaves it. */
typedef void (*FrameTake)(void *arg, int64 i, bool leaves);

/* Tells of the rows of a that are not in b. */
static pg_attribute_always_inline void
content_without(const FrameContent *a, const FrameContent *b, bool leaves, FrameTake take, void *arg)
{
	for (int p = 0; p < a->parts; p++)
	{
		int64 end = a->part[p].end;
		int64 from = a->part[p].from;

		for (int q = 0; q < b->parts; q++)
		{
			FOR_INTERRUPTIBLE(i, from, Min(end, b->part[q].from))
			take(arg, i, leaves);
			from = Max(from, Min(end, b->part[q].from));
			if (from >= b->part[q].from)
				from = Max(from, Min(end, b->part[q].end));
		}
		FOR_INTERRUPTIBLE(i, from, end)
		take(arg, i, leaves);
	}
}

/* Goes on to the frame of row i: a row goes in and out once, as long as the frames' ends only go forward. */
static pg_attribute_always_inline void
content_move(FrameContent *content, const Block *block, int64 i, FrameTake take, void *arg)
{
	FrameContent next;

	next.parts = frame_parts(&block->frame[i], i, next.part);
	content_without(content, &next, true, take, arg);
	content_without(&next, content, false, take, arg);
	*content = next;
}

/* The argument of row i, for an aggregate of one; false: it is NULL, or the FILTER leaves the row out. */
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

/* Jobs for a device (moving_job.c), of an aggregate of inlined.c's. */
typedef struct MovingJobs MovingJobs;

/* `joins`: of values that can only be joined; else they are added up. */
extern void moving_jobs_start(NodeFunction *f, bool joins);

/* The sums of all values up to each of a block's first rows, as a device has them; NULL: it is the CPU's. */
extern const ScanJob *moving_sums(NodeFunction *f, const Block *block, int64 rows);

/* Has rows `from` to `end` - 1 scanned on and back, for frames of at most `widest` rows; false: it is the CPU's. */
extern bool moving_scan_twice(NodeFunction *f, const Block *block, int64 from, int64 end, int64 widest);

/* Whether the block was; then, row after row, the answers that a frame is the join of, from left to right: how many. */
#define MOVING_ANSWERS 3
extern bool moving_is_scanned(const NodeFunction *f);
extern int	moving_answers(NodeFunction *f, const RowFrame *frame, Datum *answer);

/* counts, sums and averages of integers: prefix_difference.c */
extern int64 evaluate_difference(NodeFunction *f, const Block *block, int64 done);

/* sums and averages of floats: refold.c */
extern int64 evaluate_sum_float4(NodeFunction *f, const Block *block, int64 done);
extern int64 evaluate_sum_float8(NodeFunction *f, const Block *block, int64 done);
extern int64 evaluate_avg_float4(NodeFunction *f, const Block *block, int64 done);
extern int64 evaluate_avg_float8(NodeFunction *f, const Block *block, int64 done);

#endif /* SCAN_NODE_EVALUATE_MOVING_H */
