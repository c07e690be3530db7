/*
 * refold.h: stock sums and averages of floats over sliding frames, added from left to right.
 */
#ifndef SCAN_AGGREGATE_REFOLD_H
#define SCAN_AGGREGATE_REFOLD_H

#include "aggregate/aggregate_op.h"

/* Each is an EvaluateRows, for the operation of its name. */
extern int64 refold_sum_float4(RowFunction *f, const Block *block, int64 done);
extern int64 refold_sum_float8(RowFunction *f, const Block *block, int64 done);
extern int64 refold_avg_float4(RowFunction *f, const Block *block, int64 done);
extern int64 refold_avg_float8(RowFunction *f, const Block *block, int64 done);

#endif /* SCAN_AGGREGATE_REFOLD_H */
