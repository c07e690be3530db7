/*
 * sliding_scans.h: sliding frames whose values can only be joined, by two scans in tiles that ran with the sort.
 *
 * By van Herk (1992) and Gil and Werman (1993).  The rows are cut into tiles as long as a frame.  One scan runs forward
 * from each tile's first row and one backward from its last row; both begin anew with a partition.  A frame that
 * reaches into two tiles is the join of one result of each scan.  scans.c offers the sort both scans over all rows,
 * where every frame has the same number of rows.  Frames of ROWS between two offsets are such, even if their
 * partition's ends cut them.
 *
 * Called by two_stacks.h.
 */
#ifndef SCAN_AGGREGATE_SLIDING_SCANS_H
#define SCAN_AGGREGATE_SLIDING_SCANS_H

#include "postgres.h"

#include "column/block.h"
#include "cpu/fused_scan.h"

/* Where the frame of the next row ends.  The rows are numbered as in the window. */
typedef struct SlidingScans
{
	const FusedScan *scan;	 /* the forward scan, and the backward scan */
	int64			 first;	 /* the row at which the block begins */
	int64			 tile;	 /* first row of the tile that contains row `looked` - 1 */
	int64			 before; /* first row of the tile before row `tile` */
	int64			 looked; /* row after the last row whose tile is known */
} SlidingScans;

/* Begins a block whose frames lie in rows `from` to `end` - 1. */
extern void sliding_begin(SlidingScans *sliding, const FusedScan *scan, const Block *block, int64 from, int64 end);

/*
 * Fetches the results whose join, from left to right, is the frame's result; returns their number.  It must be called
 * for the block's frames in order.
 */
#define SLIDING_RESULTS 3
extern int sliding_results(SlidingScans *sliding, const RowFrame *frame, Datum *answer);

#endif /* SCAN_AGGREGATE_SLIDING_SCANS_H */
