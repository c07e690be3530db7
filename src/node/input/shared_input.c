/*
 * shared_input.c: input that several processes read: repartitions rows by partition, and takes batches.
 *
 * block_reader.c calls it, and exec/parallel.c to begin and to end.  Where the rows are divided into ranges,
 * order_ranges.c does the work.  Where only the first rows of partitions are wanted, and are few, each process drops
 * the others before it repartitions its rows.
 */
#include "postgres.h"

#include "guc.h"
#include "node/input/blocks.h"

/* Rows that are pulled between two calls of repartition_rows(). */
#define PULLED 4096

/* Rows are filtered before they are repartitioned if fewer than one of so many rows of a process are wanted. */
#define TOP_PART 16

void
shared_input_begin(SharedInput *shared, Sorted *sorted, Frame *frame, FunctionNeeds *needs)
{
	*shared = (SharedInput){.sorted = sorted, .ranges = {.sorted = sorted, .frame = frame, .needs = needs}};
}

void
shared_input_join(SharedInput *shared, Repartition *repartition, const RepartitionKey *key)
{
	shared->repartition = shared->ranges.repartition = repartition;
	shared->key = key;
	shared->range_partitioned = key == NULL;
	if (shared->range_partitioned)
		ranges_begin(&shared->ranges);
}

void
shared_input_leave(SharedInput *shared)
{
	ranges_leave(&shared->ranges);
	repartition_leave(shared->repartition);
	shared->repartition = shared->ranges.repartition = NULL;
	shared->range_partitioned = false;
}

void
shared_input_rewind(SharedInput *shared)
{
	ranges_leave(&shared->ranges);
	if (shared->repartition != NULL)
		repartition_leave(shared->repartition);
}

/* ---- repartitioning ---- */

static void
repartition_shared_input(SharedInput *shared, Rows *batch)
{
	while (pull_rows(shared->sorted->pull, batch, PULLED) > 0)
		/* a few rows for each batch would be much work */
		if (batch->n >= PULLED || batch->arena.used > BLOCK_MAX_BYTES)
		{
			repartition_rows(shared->repartition, batch);
			rows_reset(batch);
		}
	repartition_rows(shared->repartition, batch);
}

/* True if it is less work to find the first rows of partitions in this process, too, than to repartition all rows. */
static bool
few_are_wanted(const Sorted *sorted)
{
	return sorted->top.limit > 0 &&
		   sorted->pull->child->plan->plan_rows > TOP_PART * (double) sorted->top.limit * sorted->top.partitions;
}

void
shared_input_repartition(SharedInput *shared)
{
	Sorted *sorted = shared->sorted;
	Rows   *batch;

	if (shared->range_partitioned)
	{
		ranges_repartition(&shared->ranges);
		return;
	}
	batch = sorted_rows(sorted);
	if (repartition_begin(shared->repartition, batch, shared->key, sorted->keys->partition) == REPARTITION_ROWS)
	{
		if (few_are_wanted(sorted))
			sorted_first_rows(sorted, guc_budget() / 2, shared->repartition);
		else
			repartition_shared_input(shared, batch);
		repartition_finish(shared->repartition);
	}
	rows_free(batch);
}

/* ---- taking batches ---- */

static bool
append_taken(void *repartition, Rows *rows)
{
	return repartition_pull((Repartition *) repartition, rows);
}

/* Returns where the rows of the batch that was taken come from. */
static RowSource
taken_rows(SharedInput *shared)
{
	return shared->range_partitioned
			   ? ranges_rows(&shared->ranges)
			   : (RowSource){append_taken, shared->repartition, repartition_rows_taken(shared->repartition)};
}

bool
shared_input_next(SharedInput *shared)
{
	RowSource rows;

	if (shared->repartition == NULL || !repartition_next_batch(shared->repartition))
		return false;
	rows = taken_rows(shared);
	sorted_input(shared->sorted, &rows, shared->range_partitioned);
	if (shared->range_partitioned)
		ranges_join(&shared->ranges);
	return true;
}
