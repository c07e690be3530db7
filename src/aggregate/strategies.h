/*
 * strategies.h: the strategies that operations share: how an aggregate is evaluated over the rows of a block.
 *
 * The tables of operations (ops.h) name them, for frames that slide, and aggregate.c chooses by the frame.
 */
#ifndef SCAN_AGGREGATE_STRATEGIES_H
#define SCAN_AGGREGATE_STRATEGIES_H

#include "aggregate/aggregate_op.h"

/* ---- running.c: frames that only grow, with the state of a partition and more rows at each unit ---- */

/* An EvaluateRows for any operation: whole units to the block's end, or one unit where an error may be raised. */
extern int64 running_rows(RowFunction *f, const Block *block, int64 done);

/* Takes rows of one unit in; row `from` may be the first row of a partition. */
extern void running_add(Aggregate *aggregate, const Block *block, int64 from, int64 end);

/* ---- add_remove.c: sliding frames of any operation: rows that come in are added, rows that leave are removed ---- */

/* An EvaluateRows.  It evaluates one row where `final` may raise an error itself; else to a row that has an error. */
extern int64 add_remove_rows(RowFunction *f, const Block *block, int64 done);

/* ---- prefix_difference.c: counts, sums and averages of integers over sliding frames ---- */

/* An EvaluateRows, for operations whose state is a NumberState with an integer total. */
extern int64 prefix_difference_rows(RowFunction *f, const Block *block, int64 done);

/* ---- refold.c: stock sums and averages of floats over sliding frames, added from left to right ---- */

/* Each is an EvaluateRows, for the operation of its name. */
extern int64 refold_sum_float4(RowFunction *f, const Block *block, int64 done);
extern int64 refold_sum_float8(RowFunction *f, const Block *block, int64 done);
extern int64 refold_avg_float4(RowFunction *f, const Block *block, int64 done);
extern int64 refold_avg_float8(RowFunction *f, const Block *block, int64 done);

#endif /* SCAN_AGGREGATE_STRATEGIES_H */
