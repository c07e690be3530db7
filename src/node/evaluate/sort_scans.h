/*
 * sort_scans.h: window functions whose results are computed together with the sort of the rows.
 *
 * Called by exec/sort_answers.c.  Where all rows are sorted in memory, the sort may run scans over them in its own job
 * (cpu/sorted_scan.h).  These functions ask each window function for its scan before the sort, and give it the answers
 * after the sort.
 */
#ifndef SCAN_NODE_EVALUATE_SORT_SCANS_H
#define SCAN_NODE_EVALUATE_SORT_SCANS_H

#include "postgres.h"

#include "cpu/sorted_scan.h"
#include "node/evaluate/function.h"

/* The scans of a window's functions.  answers_create() allocates two scans for each function. */
typedef struct Answers
{
	SortedScans scans;
	Size		bytes; /* bytes of memory that the answers take */
} Answers;

extern Answers *answers_create(int columns, int functions);

/*
 * Before the sort: collects the scans that the functions offer over the rows of `all`, and reserves memory for their
 * answers in the pool of `all`: at most `room` bytes.  `all` holds every row of the input; `rows` has the same columns,
 * and the constants.  `segmented`: there are partitions.  Returns NULL if no function offers a scan.
 */
extern SortedScans *answers_offer(Answers *answers, NodeFunction *function, int functions, const Rows *rows,
								  const Rows *all, bool segmented, Size room);

/*
 * After the sort: switches each function whose scans have run to the end to their answers, and frees the memory of the
 * other scans.  Returns the number of functions switched.
 */
extern int answers_take(Answers *answers, NodeFunction *function, int functions, const Rows *all);

/* Switches all functions back to their own evaluation, when the answers are gone. */
extern void answers_forget(NodeFunction *function, int functions);

#endif /* SCAN_NODE_EVALUATE_SORT_SCANS_H */
