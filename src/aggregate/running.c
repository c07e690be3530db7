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

/* Stores a result for rows `from` to `end` - 1. */
static void
running_put(Aggregate *aggregate, int64 from, int64 end, Datum value, bool isnull)
{
	/* most units have one row */
	if (end == from + 1)
		result_put(&aggregate->f.result, from, value, isnull);
	else
		result_put_rows(&aggregate->f.result, from, end, value, isnull);
}

/*
 * Computes the current state's result.  Returns false if there is an error, which is raised if the result is due; if
 * not, `final` is called only where it raises none itself.
 */
static bool
running_final(Aggregate *aggregate, bool due, Datum *value, bool *isnull)
{
	const AggregateOp *op = aggregate->op;
	ScanStatus		   status;

	if (!due && op->final_is_safe != NULL && !op->final_is_safe(aggregate))
		return false;
	status = op->final(aggregate, value);
	*isnull = status == SCAN_NULL;
	if (due && status != SCAN_NULL)
		scan_check(status);
	return status == SCAN_OK || status == SCAN_NULL;
}

int64
running_rows(RowFunction *f, const Block *block, int64 done)
{
	Aggregate *aggregate = aggregate_of(f);
	bool	   fails = (aggregate->op->traits & AGGREGATE_MAY_FAIL) && aggregate->op->final_is_safe == NULL;
	bool	   one = fails || aggregate->f.late_row != NULL;
	bool	   added = aggregate->added == block->first + done + 1; /* when their result was not due yet */
	int64	   begin = done, stop = one ? done + 1 : row_stop(&aggregate->f, block, done);

	aggregate->added = 0;
	do
	{
		int64 from = done;
		Datum value = 0;
		bool  isnull;

		done = block_result_end(block, row_unit(&aggregate->f), from);
		/* the rows of a unit that was accumulated have gone in */
		if (!added && !block->accumulated[row_unit(&aggregate->f)])
			running_add(aggregate, block, from, done);
		added = false;
		if (!running_final(aggregate, from == begin, &value, &isnull))
		{
			aggregate->added = block->first + from + 1;
			done = from;
			break;
		}
		running_put(aggregate, from, done, value, isnull);
	} while (done < stop && !result_column_is_full(&aggregate->f.result));
	return done;
}
