/*
 * aggregate.h: evaluates an aggregate over the rows of blocks (aggregate_op.h).
 */
#ifndef SCAN_AGGREGATE_AGGREGATE_H
#define SCAN_AGGREGATE_AGGREGATE_H

#include "aggregate/aggregate_op.h"

/* Finds the operation and the strategy. */
extern void aggregate_start(Aggregate *aggregate);

/* Evaluates rows from `done` on, as an AggregateRows does. */
extern int64 aggregate_rows(Aggregate *aggregate, const Block *block, int64 done);

/* Takes in a block, which is a part of a unit that is larger than memory. */
extern void aggregate_accumulate(Aggregate *aggregate, const Block *block);

extern void aggregate_save(Aggregate *aggregate, StringInfo bytes);
extern void aggregate_restore(Aggregate *aggregate, StringInfo bytes);

#endif /* SCAN_AGGREGATE_AGGREGATE_H */
