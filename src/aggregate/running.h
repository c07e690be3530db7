/*
 * running.h: frames that only grow: the state of a partition, with more rows at each unit.
 */
#ifndef SCAN_AGGREGATE_RUNNING_H
#define SCAN_AGGREGATE_RUNNING_H

#include "aggregate/aggregate_op.h"

/* An EvaluateRows for any operation: whole units to the block's end, or one unit where an error may be raised. */
extern int64 running_rows(RowFunction *f, const Block *block, int64 done);

/* Takes rows of one unit in; row `from` may be the first row of a partition. */
extern void running_add(Aggregate *aggregate, const Block *block, int64 from, int64 end);

/* Stores the current state's result for rows `from` to `end` - 1.  Raises the error if there is one. */
extern void running_show(Aggregate *aggregate, int64 from, int64 end);

#endif /* SCAN_AGGREGATE_RUNNING_H */
