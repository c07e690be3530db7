/*
 * answered.h: functions whose answers come with the sort of the rows.
 *
 * Where all rows are sorted in memory, a device that sorts them may run scans over them in the same job
 * (cpu/sorted.h).  exec/answers.c asks here which functions are such scans, and hands their answers over.
 */
#ifndef SCAN_NODE_EVALUATE_ANSWERED_H
#define SCAN_NODE_EVALUATE_ANSWERED_H

#include "postgres.h"

#include "cpu/sorted.h"
#include "node/evaluate/function.h"

/* The scans of a window's functions; whoever sets `room` up has memory for so many. */
typedef struct Answers
{
	SortedScans scans;
	Size		bytes; /* of the answers */
} Answers;

extern Answers *answers_create(int columns, int functions);

/*
 * The scans that functions offer over the rows of `all`, which are blocks' rows otherwise laid out like `rows`; NULL:
 * none.  `segmented`: there are partitions.  Their answers take at most `room` bytes, of the pool of `all`.
 */
extern SortedScans *answers_offer(Answers *answers, NodeFunction *function, int functions, const Rows *rows,
								  const Rows *all, bool segmented, Size room);

/* Has functions whose scans were run to the end show their answers; returns how many these are. */
extern int answers_take(Answers *answers, NodeFunction *function, int functions, const Rows *all);

/* Has functions go by themselves again: the answers are gone. */
extern void answers_forget(NodeFunction *function, int functions);

/* An Evaluate of a function that shows answers as they are. */
extern int64 answered_evaluate(NodeFunction *f, const Block *block, int64 done);

#endif /* SCAN_NODE_EVALUATE_ANSWERED_H */
