/*
 * row.h: the expressions of a definition over a row of the table: its WHERE, and FILTER and arguments of each
 * aggregate.
 */
#ifndef SCAN_KEPT_ROW_H
#define SCAN_KEPT_ROW_H

#include "kept/kept.h"

/* The expressions, ready to be evaluated.  One for each statement or query. */
typedef struct KeptRow
{
	const Kept	   *kept;
	ExprContext	   *econtext;
	ExprState	   *where;
	ExprState	 ***argument; /* of each aggregate */
	ExprState	  **filter;
	TupleTableSlot *slot;
} KeptRow;

extern KeptRow *kept_row_create(Kept *kept);

/* Takes a row of the table.  False: it is not kept, by the definition's WHERE. */
extern bool kept_row_set(KeptRow *row, TupleTableSlot *slot);

/* Sets the values of the partition that a row of the table is in. */
extern void kept_row_partition(const Kept *kept, TupleTableSlot *slot, NullableDatum *partition);

extern void kept_row_free(KeptRow *row);

/* True if the row passes the FILTER of an aggregate. */
extern bool kept_row_passes(KeptRow *row, int a);

/* Evaluates the arguments of an aggregate.  Returns how many there are. */
extern int kept_row_arguments(KeptRow *row, int a, NullableDatum *argument);

#endif /* SCAN_KEPT_ROW_H */
