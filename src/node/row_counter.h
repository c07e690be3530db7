/*
 * row_counter.h: counts the rows of a partition, as row_number(), rank() and dense_rank() do.
 */
#ifndef SCAN_NODE_ROW_COUNTER_H
#define SCAN_NODE_ROW_COUNTER_H

#include "postgres.h"

#include "node/planned_window.h"

typedef struct RowCounter
{
	int64 rows;		  /* of the partition so far */
	int64 rank;		  /* number of the peer group's first row, from 1 */
	int64 dense_rank; /* number of the peer group, from 1 */
} RowCounter;

/* Counts one more row, which begins a partition if `head` and a peer group if `peer`; returns its count. */
static inline int64
row_counter_next(RowCounter *counter, TopUnit unit, bool head, bool peer)
{
	if (head)
		memset(counter, 0, sizeof(*counter));
	counter->rows++;
	if (head || peer)
	{
		counter->rank = counter->rows;
		counter->dense_rank++;
	}
	return unit == TOP_ROWS ? counter->rows : unit == TOP_RANKS ? counter->rank : counter->dense_rank;
}

#endif /* SCAN_NODE_ROW_COUNTER_H */
