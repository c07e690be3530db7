/*
 * shared_input.h: input that several processes read: each repartitions its rows, and then takes batches of all rows.
 *
 * Each process runs the same plan.  Rows are repartitioned (exchange/repartition.h) by their partition, so that a batch
 * has whole partitions, or to ranges of the window order (order_ranges.h).  A batch is an input of its own: it is
 * sorted, and makes blocks.  exec/parallel.c says what the processes share.
 */
#ifndef SCAN_NODE_INPUT_SHARED_INPUT_H
#define SCAN_NODE_INPUT_SHARED_INPUT_H

#include "postgres.h"

#include "exchange/repartition.h"
#include "node/input/order_ranges.h"
#include "node/input/sorted_input.h"

typedef struct SharedInput
{
	Repartition			 *repartition; /* NULL: this process alone reads the input */
	const RepartitionKey *key;		   /* one for each key of the partition; NULL if range partitioned */
	bool				  range_partitioned;
	Ranges				  ranges;
	Sorted				 *sorted;
} SharedInput;

/* Begins, without other processes.  What ranges share depends on `frame` and `needs`. */
extern void shared_input_begin(SharedInput *shared, Sorted *sorted, Frame *frame, FunctionNeeds *needs);

/* Begins to share the input; `key`: as above. */
extern void shared_input_join(SharedInput *shared, Repartition *repartition, const RepartitionKey *key);

/* Called before what the processes share is released. */
extern void shared_input_leave(SharedInput *shared);

/* Repartitions all rows that this process reads.  Returns when all processes have repartitioned theirs. */
extern void shared_input_repartition(SharedInput *shared);

/* Takes and sorts the next batch, as shared->sorted; false: there is none.  The last batch has been forgotten. */
extern bool shared_input_next(SharedInput *shared);

/* Begins again. */
extern void shared_input_rewind(SharedInput *shared);

#endif /* SCAN_NODE_INPUT_SHARED_INPUT_H */
