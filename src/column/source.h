/*
 * source.h: a row of a window that PrefixScan hands to a window function of ours.
 *
 * Core's window functions find their arguments through WindowAgg's object.  Ours
 * look for this one first (call/argument.c), so that the same function runs in
 * either node: the node calls it by the function manager, with a RowSource as the
 * call's context, once a row in window order.
 */
#ifndef SCAN_COLUMN_SOURCE_H
#define SCAN_COLUMN_SOURCE_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/nodes.h"

typedef struct RowSource
{
	NodeTag		  type;	 /* T_ExtensibleNode: nothing of core's */
	const void	 *brand; /* row_source_brand: that it is one of these */
	const Datum	 *value; /* the row's arguments */
	const bool	 *isnull;
	int64		  row;		 /* of the partition, from 0 */
	MemoryContext partition; /* emptied when the partition ends */
	void		 *state;	 /* the call's, in `partition`; NULL until it is asked for */

	/*
	 * What the call says of itself at a partition's first row, so that the node may
	 * take the rows after it as jobs (cpu/cpu.h): the line of the list, the scan as it
	 * stands, and that the first so many arguments are the job's columns.  0: row by
	 * row only.
	 */
	int					 columns;
	bool				 heads; /* a partition begins as a segment does: a job may span many */
	int					 reset; /* the argument that starts a segment; -1: there is none */
	int					 extent;
	const struct ScanOp *op;
	const void			*param;
	struct ScanCarry	*carry;
	struct DecimalSum	*sum; /* the scan is no job but decimal_sum_step() row by row; NULL: it is a job */
} RowSource;

extern const char row_source_brand[];

/* The source that a function is called with; NULL where it is WindowAgg that calls. */
static inline RowSource *
row_source(FunctionCallInfo fcinfo)
{
	RowSource *source = (RowSource *) fcinfo->context;

	return source != NULL && source->type == T_ExtensibleNode && source->brand == row_source_brand ? source : NULL;
}

#endif /* SCAN_COLUMN_SOURCE_H */
