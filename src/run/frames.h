/*
 * frames.h: runs jobs of frames (op/frame.h), sums and sums of squares that are added from left to right for each row,
 * where jobs are faster than the caller's loops.
 *
 * Called by aggregate/refold.c.
 */
#ifndef SCAN_RUN_FRAMES_H
#define SCAN_RUN_FRAMES_H

#include "postgres.h"

#include "cpu/cpu.h"

/* Nanoseconds for a row's frame to be written to a job's column, and for its result to be fetched: an estimate. */
#define FRAME_MADE_NS 3.0

/*
 * Runs a job if that is expected to be faster than the caller's loop.  The caller has set op, n, in, in2, values,
 * frame_values and made_ns. Allocates the results.  Rows 0 to job->done - 1 then have results: all, some or none; the
 * caller computes the others.
 */
extern void frames_run(ScanJob *job);

/* Records that the caller's loop took `ns` nanoseconds for frames of `values` values together. */
extern void frames_took(const ScanOp *op, double ns, int64 values);

#endif /* SCAN_RUN_FRAMES_H */
