/*
 * moving_kind.h: the aggregates of ours that have operations of their own.
 *
 * node/aggregate_info.c finds the kind by the aggregate's C functions (the SCAN_MOVING lines of list.h), and
 * aggregate.c chooses the operation by it: number_ops.c has the sums of integers, exact_ops.c the kinds of
 * op/exact_statistics.h, time_ops.c has MOVING_TIME_AVERAGE, monotonic_queue.c
 * MOVING_ARG_MIN to MOVING_LAST, order_statistics.c those from MOVING_PERCENTILE_CONT on.  A header of its own, since
 * the planner stores the kind in a plan and needs nothing else of aggregates.
 */
#ifndef SCAN_AGGREGATE_MOVING_KIND_H
#define SCAN_AGGREGATE_MOVING_KIND_H

#include "op/exact_statistics.h"

/* Which statistic of the frame a moving_* or exact_* aggregate returns. */
typedef enum MovingKind
{
	MOVING_NONE = 0, /* not such an aggregate */
	MOVING_SUM_INT2, /* a numeric, over any frame */
	MOVING_SUM_INT4,
	MOVING_LEAST, /* of arrays: AggregateCall.sort_operator says what the extreme is */
	MOVING_GREATEST,
#define MOVING_EXACT(D, name, kind, squares, answer) MOVING_EXACT_##kind,
#define MOVING_EXACT_GROUP(G, ...) EXACT_OF_##G(MOVING_EXACT, )
	EXACT_GROUPS(MOVING_EXACT_GROUP)
#undef MOVING_EXACT
#undef MOVING_EXACT_GROUP
	MOVING_TIME_AVERAGE,
	MOVING_ARG_MIN, /* a value of the row with the least key */
	MOVING_ARG_MAX,
	MOVING_LAST,			/* as MOVING_ARG_MAX, but the last row of equal keys */
	MOVING_PERCENTILE_CONT, /* with one argument, the median */
	MOVING_PERCENTILE_DISC,
	MOVING_MODE,
	MOVING_COUNT_DISTINCT,
	MOVING_RANK, /* of the value of the frame's last row */
	MOVING_PERCENT_RANK,
} MovingKind;

/* True for a sum of integers, and for a statistic of op/exact_statistics.h: no result depends on the order of rows. */
static inline bool
moving_kind_adds_up(MovingKind kind)
{
	return kind > MOVING_NONE && kind < MOVING_TIME_AVERAGE && kind != MOVING_LEAST && kind != MOVING_GREATEST &&
		   kind != MOVING_EXACT_POSITION_AVG;
}

#endif /* SCAN_AGGREGATE_MOVING_KIND_H */
