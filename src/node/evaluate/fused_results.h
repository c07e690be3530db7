/*
 * fused_results.h: window functions whose results are computed together with the sort of the rows.
 *
 * Called by exec/fused_offer.c.  Where all rows are sorted in memory, the sort may run scans over them in its own job
 * (cpu/fused_scan.h).  These functions ask each window function for its scan before the sort, and give it the results
 * after the sort.
 */
#ifndef SCAN_NODE_EVALUATE_FUSED_RESULTS_H
#define SCAN_NODE_EVALUATE_FUSED_RESULTS_H

#include "postgres.h"

#include "cpu/fused_scan.h"
#include "node/evaluate/function.h"

/* The scans of a window's functions.  fused_results_create() allocates two scans for each function. */
typedef struct FusedResults
{
	FusedScans scans;
	Size	   bytes; /* bytes of memory that the results take */
} FusedResults;

extern FusedResults *fused_results_create(int columns, int functions);

/*
 * Before the sort: collects the scans that the functions offer over the rows of `all`, and reserves memory for their
 * results in the pool of `all`: at most `room` bytes.  `all` holds every row of the input; `rows` has the same columns,
 * and the constants.  `segmented`: there are partitions.  Returns NULL if no function offers a scan.
 */
extern FusedScans *fused_results_offer(FusedResults *fused, NodeFunction *function, int functions, const Rows *rows,
									   const Rows *all, bool segmented, Size room);

/*
 * After the sort: switches each function whose scans have run to the end to their results, and frees the memory of the
 * other scans.  Returns the number of functions switched.
 */
extern int fused_results_take(FusedResults *fused, NodeFunction *function, int functions, const Rows *all);

/* Switches all functions back to their own evaluation, when the results are gone. */
extern void fused_results_forget(NodeFunction *function, int functions);

#endif /* SCAN_NODE_EVALUATE_FUSED_RESULTS_H */
