/*
 * repartition_report.h: what is counted of the processes of a repartition.
 *
 * The processes share the counts (repartition_state.h), and EXPLAIN prints those at the end.
 */
#ifndef SCAN_EXCHANGE_REPARTITION_REPORT_H
#define SCAN_EXCHANGE_REPARTITION_REPORT_H

#include "postgres.h"

/* What is counted of all processes together.  Times are in nanoseconds, summed over the participants. */
typedef enum RepartitionCount
{
	COUNT_PARTICIPANTS = 0,	 /* processes that have repartitioned rows or taken a batch */
	COUNT_ROWS,				 /* number of rows that were repartitioned */
	COUNT_IN_ORDER,			 /* how many of them came in order, and stayed where they were put */
	COUNT_BYTES,			 /* bytes of rows in shared memory */
	COUNT_SPILLED,			 /* bytes of rows in files */
	COUNT_REPARTITIONING_NS, /* reading rows and repartitioning them */
	COUNT_WAITING_NS,		 /* waiting for other processes */
	COUNT_TAKING_NS,		 /* from the first batch to the end of the last, with the time of the nodes above */
	COUNT_TAKEN,			 /* the number of the next batch to be taken */
	COUNT_HELD,				 /* ranges: bytes of rows that all processes hold */
	COUNTS
} RepartitionCount;

typedef struct RepartitionReport
{
	int	  batches;
	bool  ordered; /* batches are ranges */
	int64 count[COUNTS];
} RepartitionReport;

#endif /* SCAN_EXCHANGE_REPARTITION_REPORT_H */
