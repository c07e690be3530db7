/*
 * overlap.h: finds the rows of a range, and before it, that the next range of the window order needs.
 */
#ifndef SCAN_NODE_INPUT_OVERLAP_H
#define SCAN_NODE_INPUT_OVERLAP_H

#include "postgres.h"

#include "column/rows.h"
#include "node/input/frame_state.h"
#include "node/input/function_needs.h"
#include "sort/sort_order.h"

/* Positions in the order. */
typedef struct Overlap
{
	int64 end;	  /* the first row that is left to the next range, since it looks ahead at rows there */
	int64 needed; /* the first row that rows from `end` on look back at; negative: it may come before position 0 */
} Overlap;

/*
 * Finds the overlap of the rows from position `first` of the order on, with the next range.  They look at the rows that
 * functions need, and those of their frames.
 */
extern Overlap overlap_find(const Rows *rows, const SortOrder *order, Frame *frame, const FunctionNeeds *needs,
							int64 first);

#endif /* SCAN_NODE_INPUT_OVERLAP_H */
