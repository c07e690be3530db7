/*
 * call_context.h: a row of a window that PrefixScan hands to a window function of ours.
 *
 * Core's window functions find their arguments through WindowAgg's object.  Ours
 * look for this one first (functions/window/argument.c), so that the same function runs in
 * either node: the node calls it by the function manager, with a ScanCallContext as the
 * call's context, once a row in window order.
 */
#ifndef SCAN_COLUMN_CALL_CONTEXT_H
#define SCAN_COLUMN_CALL_CONTEXT_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/nodes.h"

#include "column/retained.h"

#define SCAN_CALL_ARGUMENTS 5 /* the most of a function */

/* A value that a call keeps, and its type. */
typedef struct KeptDatum
{
	RetainedDatum	   *datum; /* NULL: none */
	const RetainedType *type;
} KeptDatum;

typedef struct ScanCallContext
{
	NodeTag		  type;	 /* T_ExtensibleNode: nothing of core's */
	const void	 *brand; /* scan_call_context_brand: that it is one of these */
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

	/*
	 * What else the call knows of the rows before, if it says so: with the carry and the sum, all that another
	 * process has to know to go on.
	 */
	KeptDatum kept[2];
	void	 *flat; /* and some bytes; NULL: none */
	Size	  flat_size;
	const RetainedDatum
		*constant[SCAN_CALL_ARGUMENTS]; /* arguments that must stay what they were; NULL: need not be asked */

	/*
	 * The call is to make of its constants what it makes of them at a partition's first row, and to say of itself what
	 * stands above, but to take no row: what it knows of the rows before is then put there.  Its other arguments are
	 * NULL.
	 */
	bool restoring;
} ScanCallContext;

extern const char scan_call_context_brand[];

/* The source that a function is called with; NULL where it is WindowAgg that calls. */
static inline ScanCallContext *
scan_call_context(FunctionCallInfo fcinfo)
{
	ScanCallContext *source = (ScanCallContext *) fcinfo->context;

	return source != NULL && source->type == T_ExtensibleNode && source->brand == scan_call_context_brand ? source
																										  : NULL;
}

#endif /* SCAN_COLUMN_CALL_CONTEXT_H */
