/*
 * rows_in_order.h: rows that a process reads in window order, for ranges: they are cut, not repartitioned.
 *
 * order_ranges.c offers the rows that its process reads as long as they are in order, and cuts them into ranges by
 * bisection.  Whoever takes a range merges the parts of all processes.
 */
#ifndef SCAN_NODE_INPUT_ROWS_IN_ORDER_H
#define SCAN_NODE_INPUT_ROWS_IN_ORDER_H

#include "postgres.h"

#include "exchange/rows_in_place.h"
#include "node/input/sorted_input.h"

/* The rows of this process that are in order. */
typedef struct InOrder
{
	Ordered			 *ordered;
	const WindowKeys *keys;
	Rows			 *first; /* the first row of each piece */
	Rows			 *last;	 /* row 0: the last row; none before the first piece */
} InOrder;

extern void in_order_begin(InOrder *in_order, Ordered *ordered, Sorted *sorted);

/* Keeps some rows, if they are in order and not before those that were kept; false: none was kept. */
extern bool in_order_keep(InOrder *in_order, const Rows *rows);

/* Cuts the rows into ranges: each but the first begins with one of the rows of `splitters`, which are in order. */
extern void in_order_cut(InOrder *in_order, Sorted *sorted, const Rows *splitters);

extern void in_order_end(InOrder *in_order);

/* A process's rows in the range that was taken. */
typedef struct RangePart
{
	int64 next; /* the next row to be taken; rows are numbered as in Ordered */
	int64 end;
	int64 first; /* the number of the first row of `rows` */
	Rows *rows;	 /* the rows that were put together with row `next`; NULL: none are there */
} RangePart;

/* The rows in order of a range, of all processes. */
typedef struct RangeMerge
{
	int		   parts;
	RangePart *part; /* NULL: nothing was set up */
} RangeMerge;

/* Begins with the rows of a range, of which each of `processes` processes may have some; returns how many they are. */
extern int64 range_merge_begin(RangeMerge *merge, const Ordered *ordered, int processes, int range,
							   const Sorted *sorted);

/* Appends some of the next rows in order; false: there are none. */
extern bool range_merge_append(RangeMerge *merge, Ordered *ordered, const WindowKeys *keys, Rows *rows);

/* Frees the rows. */
extern void range_merge_end(RangeMerge *merge);

#endif /* SCAN_NODE_INPUT_ROWS_IN_ORDER_H */
