/*
 * sliding_scans.h: scans of a block's rows from which results over sliding frames are made, where jobs (run.h) run them
 * faster than the loops of the CPU: those of aggregate/two_scans.h and aggregate/prefix_difference.c.
 */
#ifndef SCAN_RUN_SLIDING_SCANS_H
#define SCAN_RUN_SLIDING_SCANS_H

#include "postgres.h"

#include "column/block.h"
#include "cpu/fused_scan.h"

typedef struct SlidingScans SlidingScans;

/*
 * Prepares scans of the values of a column, of the rows that pass the FILTER in column `filter`; -1: there is none.
 * *preferred_rows gets the number of rows that a block should have, when a block asks for the first time.
 */
extern SlidingScans *sliding_scans_create(const ScanOp *op, int values, int filter, int64 *preferred_rows,
										  MemoryContext query);

/*
 * Describe the scans over all rows of the window, for the sort (cpu/fused_scan.h): the sums up to each row; or two
 * scans in tiles, for frames that all have `tile` rows unless their partition cuts them.
 */
extern void sliding_offer_sums(SlidingScans *scans, FusedScan *scan);
extern void sliding_offer_tiles(SlidingScans *scans, int64 tile, FusedScan *scan);

/*
 * Returns a job whose results are the sums of all values up to each of the block's first `rows` rows; NULL: the caller
 * has to add them up, which is faster.
 */
extern const ScanJob *sliding_sums(SlidingScans *scans, const Block *block, int64 rows);

/*
 * Has rows `from` to `end` - 1 scanned forward and backward, for frames of at most `widest` rows.  `sorted`: the two
 * scans that the sort has run; NULL: it has not.  Returns false if the caller has to evaluate the block, which is
 * faster.
 */
extern bool sliding_scan_twice(SlidingScans *scans, const FusedScan *sorted, const Block *block, int64 from, int64 end,
							   int64 widest);

/*
 * sliding_is_scanned: true if this block was scanned forward and backward.  sliding_results: fetches the results whose
 * join, from left to right, is the frame's result; returns their number.  It must be called for the block's frames in
 * order.
 */
#define SLIDING_RESULTS 3
extern bool sliding_is_scanned(const SlidingScans *scans);
extern int	sliding_results(SlidingScans *scans, const RowFrame *frame, Datum *answer);

#endif /* SCAN_RUN_SLIDING_SCANS_H */
