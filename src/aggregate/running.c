/*
 * running.c: frames that only grow: the state of a partition, with more rows at each unit.
 *
 * The strategy of every operation for frames that do not slide, but for those with a typed loop: sums, counts, averages
 * and extremes of numbers run in typed_loop.h, which leaves to this file only what it cannot do.  A unit is a row, a
 * peer group or a partition, by the window's frame; its rows have one result.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "aggregate/internal.h"
#include "error.h"

void
running_add(Aggregate *aggregate, const Block *block, int64 from, int64 end)
{
	if (from < end && block->head[from])
		aggregate->op->empty(aggregate);
	aggregate->op->add(aggregate, block, from, end);
}

/* Stores the current state's result for rows `from` to `end` - 1.  Raises the error if there is one. */
static void
running_show(Aggregate *aggregate, int64 from, int64 end)
{
	Datum	   value = 0;
	ScanStatus status = aggregate->op->final(aggregate, &value);

	if (status != SCAN_NULL)
		scan_check(status);
	/* most units have one row */
	if (end == from + 1)
		result_put(&aggregate->f.result, from, value, status == SCAN_NULL);
	else
		result_put_rows(&aggregate->f.result, from, end, value, status == SCAN_NULL);
}

int64
running_rows(RowFunction *f, const Block *block, int64 done)
{
	Aggregate	 *aggregate = aggregate_of(f);
	bool		  one = (aggregate->op->traits & AGGREGATE_MAY_FAIL) || aggregate->f.late_row != NULL;
	int64		  stop = one ? done + 1 : row_stop(&aggregate->f, block, done);
	MemoryContext old = MemoryContextSwitchTo(aggregate->f.scratch);

	do
	{
		int64 from = done;

		done = block_result_end(block, aggregate->f.lookahead, from);
		/* the rows of a unit that was accumulated have gone in */
		if (!block->accumulated[aggregate->f.lookahead])
			running_add(aggregate, block, from, done);
		running_show(aggregate, from, done);
	} while (done < stop && !result_column_is_full(&aggregate->f.result));
	MemoryContextSwitchTo(old);
	MemoryContextReset(aggregate->f.scratch);
	return done;
}
