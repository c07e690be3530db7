/*
 * order_ranges.h: divides a window's rows into ranges of the window order, which several processes compute.
 */
#ifndef SCAN_NODE_INPUT_ORDER_RANGES_H
#define SCAN_NODE_INPUT_ORDER_RANGES_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "column/rows.h"
#include "exchange/repartition.h"
#include "node/input/frame_state.h"
#include "node/input/function_needs.h"
#include "node/input/rows_in_order.h"
#include "node/input/sorted_input.h"
#include "sort/sort_order.h"

typedef struct Ranges
{
	Repartition	  *repartition;
	Sorted		  *sorted; /* the rows of the range that was taken */
	Frame		  *frame;
	FunctionNeeds *needs;

	/* running, for the range that was taken; positions are positions in its order */
	int	  before; /* the range that emits the row before this range's first; -1: none */
	int64 first;  /* position of the first row that this range emits */
	int64 end;	  /* position of the first row that is left to the next range */

	RangeMerge merge; /* its rows that came in order */
} Ranges;

/* Sees to it that blocks have the rows that a range needs of the range before. */
extern void ranges_begin(Ranges *ranges);

/* Repartitions all rows that this process reads to ranges.  Returns when all processes have repartitioned theirs. */
extern void ranges_repartition(Ranges *ranges);

/* Called when a range has been taken: returns where its rows come from. */
extern RowSource ranges_rows(Ranges *ranges);

/* Called before what the processes share is released, or forgotten. */
extern void ranges_leave(Ranges *ranges);

/*
 * Called when a range has been taken and sorted: takes over the rows that it needs of the range before, for which it
 * may wait, and hands its last rows over to the next range.
 */
extern void ranges_join(Ranges *ranges);

/*
 * Points `states` at the functions' states before the first row of the range, for which it may wait; false: the range
 * is the first one.  The bytes are valid until the next handoff is taken; states->len is not set.
 */
extern bool ranges_take_states(const Ranges *ranges, StringInfo states);

/* Hands the functions' states after the last row of the range over to the next range. */
extern void ranges_hand_states_over(Ranges *ranges, const StringInfoData *states);

#endif /* SCAN_NODE_INPUT_ORDER_RANGES_H */
