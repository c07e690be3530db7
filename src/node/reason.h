/*
 * reason.h: why a window does not run in PrefixScan, or not in several processes.
 *
 * plan/verdict.c and plan/parallel_blocker.c decide and return a reason.  plan/declined.c keeps the first kind until
 * EXPLAIN (VERBOSE) asks, and the plan's node has the second kind (NUMBER_PARALLEL_BLOCKER) for exec/explain.c.
 * scan_explain() shows what EXPLAIN prints.
 */
#ifndef SCAN_NODE_REASON_H
#define SCAN_NODE_REASON_H

typedef enum WindowReason
{
	REASON_NONE = 0, /* nothing is against it */

	/* why a window is left to WindowAgg */
	REASON_COST, /* it could have been PrefixScan's */
	REASON_OFF,
	REASON_FUNCTION,
	REASON_UNKNOWN,
	REASON_RANGE,
	REASON_NULLS,
	REASON_VOLATILE,
	REASON_SUBSELECT,
	REASON_STOPS_EARLY,
	REASON_MAY_FAIL,
	REASON_MAY_FAIL_LIMIT, /* the same, in a query with a LIMIT */
	REASON_MEMORY,
	REASON_STEP,
	REASON_GROUPING, /* core takes a key for redundant that a grouping set makes NULL */

	/* why PrefixScan runs it in one process */
	REASON_WORKERS,		  /* max_parallel_workers_per_gather is 0 */
	REASON_QUERY,		  /* the query must not run in parallel */
	REASON_INPUT,		  /* its input is read by one process */
	REASON_UNSAFE,		  /* a function or an expression is not parallel safe */
	REASON_HASH,		  /* a partition key has no hash function */
	REASON_WHOLE,		  /* there are no partitions, and the order cannot be cut into ranges */
	REASON_TIES,		  /* rows that are equal in all keys may not fit in memory */
	REASON_EARLY,		  /* an error may be raised at a row that is never asked for */
	REASON_EARLY_LIMIT,	  /* the same, in a query with a LIMIT */
	REASON_SUBQUERY,	  /* a subquery that may fail would be computed even if no row reads its result */
	REASON_REPLACED,	  /* workers would load another build of the library */
	REASON_PARALLEL_COST, /* several processes are not expected to be faster */
} WindowReason;

typedef struct ReasonText
{
	const char *sentence;
	const char *hint; /* what would change it */
} ReasonText;

/* Returns what users are told.  REASON_NONE has no text. */
extern ReasonText reason_text(WindowReason reason);

/* What of a window is the reason, beside the arguments of its functions, which are numbered from 1. */
#define PART_NONE 0 /* nothing in particular */
#define PART_FILTER (-1)
#define PART_FRAME (-2) /* an offset of the frame */

/* The same, where a part of the window is the reason. */
extern ReasonText reason_text_of_part(WindowReason reason, int part);

#endif /* SCAN_NODE_REASON_H */
