/*
 * add_remove.c: sliding frames of any operation: rows that come in are added, rows that leave are removed.
 *
 * Used by exact_ops.c and call.c.  An operation that removes any row exactly (AGGREGATE_REMOVES_ANY) has the rows of a
 * hole (EXCLUDE) removed, and added again behind the hole.  Any other one follows core's rule, since a user may observe
 * when the functions of an aggregate are called: rows leave only at the frame's start, and where that cannot be, all
 * rows of the frame are added to an empty state.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "aggregate/frame_parts.h"
#include "aggregate/internal.h"
#include "error.h"

typedef struct AddRemove
{
	FrameContent content; /* AGGREGATE_REMOVES_ANY: the rows that have gone in, of the current block */
	const Block *block;

	/* core's rule: rows `from` to `to` - 1 of the input have gone in */
	int64 from, to;
} AddRemove;

/* ---- any row can be removed ---- */

static void
add_or_remove_rows(void *arg, int64 from, int64 end, bool leave)
{
	Aggregate	*aggregate = (Aggregate *) arg;
	const Block *block = ((AddRemove *) aggregate->sliding_state)->block;

	if (leave)
		(void) aggregate->op->remove(aggregate, block, from, end);
	else
		aggregate->op->add(aggregate, block, from, end);
}

/* Empties the state; the next frame's rows are all added. */
static void
forget_content(Aggregate *aggregate, AddRemove *sliding)
{
	aggregate->op->empty(aggregate);
	sliding->content.parts = 0;
}

/* ---- core's rule ---- */

/*
 * Removes the rows before the frame's first row.  Returns false if the frame has to begin anew: a partition or range
 * begins, the frame does not overlap the last one, there is an EXCLUDE clause, a row cannot be removed, or another
 * strategy is the operation's own.
 */
static bool
frame_goes_on(Aggregate *aggregate, AddRemove *sliding, const Block *block, int64 i)
{
	int64 head = block->first + block->frame[i].head;

	/* an operation that scan.debug_strategy forces may have its state in memory that is reset between rows */
	if (block_begins_anew(block, i) || (aggregate->f.needs & NEEDS_EXCLUSION) || sliding->to <= head ||
		aggregate->strategy != aggregate->op->sliding)
		return false;
	if (sliding->from == head)
		return true;
	return aggregate->op->remove != NULL &&
		   aggregate->op->remove(aggregate, block, sliding->from - block->first, head - block->first);
}

static void
move_frame(Aggregate *aggregate, AddRemove *sliding, const Block *block, int64 i)
{
	const RowFrame *frame = &block->frame[i];
	FramePart		part[FRAME_PARTS];
	int				parts = frame_parts(frame, i, part);

	if (!frame_goes_on(aggregate, sliding, block, i))
	{
		aggregate->op->empty(aggregate);
		sliding->to = block->first + frame->head;
	}
	sliding->from = block->first + frame->head;
	for (int p = 0; p < parts; p++)
	{
		int64 from = Max(part[p].from, sliding->to - block->first);

		if (from < part[p].end)
			aggregate->op->add(aggregate, block, from, part[p].end);
	}
	sliding->to = Max(sliding->to, block->first + frame->tail);
}

/* ---- both ---- */

int64
add_remove_rows(RowFunction *f, const Block *block, int64 done)
{
	Aggregate *aggregate = aggregate_of(f);
	AddRemove *sliding = (AddRemove *) aggregate->sliding_state;
	bool	   any = (aggregate->op->traits & AGGREGATE_REMOVES_ANY) != 0;
	bool	   one = (aggregate->op->traits & AGGREGATE_MAY_FAIL) && aggregate->op->final_is_safe == NULL;
	int64	   stop = one ? done + 1 : row_stop(&aggregate->f, block, done);
	int64	   i;

	if (sliding == NULL)
		aggregate->sliding_state = sliding = MemoryContextAllocZero(aggregate->f.query, sizeof(AddRemove));
	sliding->block = block;
	for (i = done; i < stop; i++)
	{
		Datum	   value = 0;
		ScanStatus status;

		stretch_row(i);
		/* the last partition's values may have had a wide range, and this one's need not */
		if (any && (i == block->begin || block->head[i]))
			forget_content(aggregate, sliding);
		if (any)
			content_move(&sliding->content, block, i, add_or_remove_rows, aggregate);
		else
			move_frame(aggregate, sliding, block, i);
		/* the frame has moved, and stays where it is when this row is due */
		if (aggregate->op->final_is_safe != NULL && i > done && !aggregate->op->final_is_safe(aggregate))
			break;
		status = aggregate->op->final(aggregate, &value);
		if (status != SCAN_OK && status != SCAN_NULL)
		{
			/* the error is raised when the row is asked for */
			if (i > done)
				break;
			scan_raise(status);
		}
		result_put(&aggregate->f.result, i, value, status == SCAN_NULL);
		if (result_column_is_full(&aggregate->f.result))
			stop = i + 1;
	}
	return i;
}
