/*
 * run.h: runs a job: a scan, or a sort of words.
 *
 * The callers hand over columns or words and do not know who runs them: cpu/ and sort/radix.c in this process, or
 * another processor that is expected to be faster.  run.c asks for it, and no other file of src/run/ knows of it.
 */
#ifndef SCAN_RUN_RUN_H
#define SCAN_RUN_RUN_H

#include "postgres.h"

#include "cpu/cpu.h"

/*
 * Runs a job of any length.  `n`, `in`, `valid`, `heads`, `out` and `out_valid` describe the whole column.  `carry` is
 * where the scan continues; NULL: it begins here.  `algorithm` and `scratch` are set by this function.  Afterwards
 * `done` and `status` speak of the whole column; the caller raises the error.
 *
 * A job of frames also has values, frame_values and made_ns.  It runs only as far as that is expected to be faster than
 * the caller's loop: rows 0 to job->done - 1 have results, which are all, some or none, and the caller computes the
 * others.
 *
 * Can be cancelled.  Memory is taken from the current memory context and given back.
 */
extern void scan_run(ScanJob *job);

/*
 * Returns how many of a job's n rows a caller should hand to scan_run() at once, if it can choose: few enough for the
 * CPU's cache (SCAN_BATCH), or more.  The job needs no columns.
 */
extern int64_t scan_run_rows(const ScanJob *job);

/* False if only the CPU runs jobs now, so that no job of frames and no scan with a sort need be made. */
extern bool scan_may_be_offered(void);

/* Sorts words, and may run scans over their rows with the sort.  Can be cancelled. */
extern const struct WordSorter scan_word_sorter;

/* ---- jobs of frames (op/frame.h), where jobs are faster than the caller's loops: for aggregate/refold.c ---- */

/* Nanoseconds for a row's frame to be written to a job's column, and for its result to be fetched: an estimate. */
#define FRAME_MADE_NS 3.0

/* Records that the caller's loop took `ns` nanoseconds for frames of `values` values together. */
extern void frames_took(const ScanOp *op, double ns, int64 values);

#endif /* SCAN_RUN_RUN_H */
