/*
 * frame_parts.h: the rows of a sliding frame as at most three stretches, and what changes from one frame to the next.
 */
#ifndef SCAN_AGGREGATE_FRAME_PARTS_H
#define SCAN_AGGREGATE_FRAME_PARTS_H

#include "postgres.h"

#include "column/block.h"

/* Consecutive rows of a block: `from` to `end` - 1. */
typedef struct FramePart
{
	int64 from, end;
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

/* Called for rows of the block that come into the frame, or leave it. */
typedef void (*FrameTake)(void *arg, int64 from, int64 end, bool leave);

/* Calls `take` for the rows of a that are not in b. */
static pg_attribute_always_inline void
content_without(const FrameContent *a, const FrameContent *b, bool leave, FrameTake take, void *arg)
{
	for (int p = 0; p < a->parts; p++)
	{
		int64 end = a->part[p].end;
		int64 from = a->part[p].from;

		for (int q = 0; q < b->parts; q++)
		{
			int64 stop = Min(end, b->part[q].from);

			if (from < stop)
				take(arg, from, stop, leave);
			from = Max(from, stop);
			if (from >= b->part[q].from)
				from = Max(from, Min(end, b->part[q].end));
		}
		if (from < end)
			take(arg, from, end, leave);
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

#endif /* SCAN_AGGREGATE_FRAME_PARTS_H */
