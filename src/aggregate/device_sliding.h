/*
 * device_sliding.h: aggregates over sliding frames as jobs, for a device.  two_scans.h and prefix_difference.c have the
 * loops of the CPU.
 */
#ifndef SCAN_AGGREGATE_DEVICE_SLIDING_H
#define SCAN_AGGREGATE_DEVICE_SLIDING_H

#include "aggregate/aggregate_op.h"
#include "cpu/cpu.h"

/* Prepares the jobs, if a device can run them.  `joins`: values can only be joined; otherwise they are added up. */
extern void device_sliding_start(Aggregate *aggregate, bool joins);

/*
 * Returns a job whose answers are the sums of all values up to each of the block's first `rows` rows; NULL: no device
 * computed them, and the CPU has to.
 */
extern const ScanJob *moving_sums(Aggregate *aggregate, const Block *block, int64 rows);

/*
 * Has rows `from` to `end` - 1 scanned forward and backward, for frames of at most `widest` rows.  Returns false if no
 * device did it, and the CPU has to.
 */
extern bool moving_scan_twice(Aggregate *aggregate, const Block *block, int64 from, int64 end, int64 widest);

/*
 * moving_is_scanned: true if a device scanned this block forward and backward.  moving_answers: fetches the answers
 * whose join, from left to right, is the frame's result; returns their number.  It must be called for the block's
 * frames in order.
 */
#define MOVING_ANSWERS 3
extern bool moving_is_scanned(const Aggregate *aggregate);
extern int	moving_answers(Aggregate *aggregate, const RowFrame *frame, Datum *answer);

#endif /* SCAN_AGGREGATE_DEVICE_SLIDING_H */
