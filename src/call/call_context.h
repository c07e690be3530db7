/*
 * call_context.h: how PrefixScan passes a row of a window to one of our window functions.
 *
 * Core's window functions find their arguments through WindowAgg's WindowObject.  Ours look for a ScanCallContext first
 * (functions/window/argument.c), so the same function runs in either node.  The node (evaluate/scan_function.c) calls
 * the function through the function manager, with a ScanCallContext as the call's context, once for each row in window
 * order.
 */
#ifndef SCAN_CALL_CALL_CONTEXT_H
#define SCAN_CALL_CALL_CONTEXT_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/nodes.h"

#include "column/column.h"
#include "column/deque.h"
#include "column/memory.h"

/* The most arguments of a window function of ours that the node calls: a pattern and 26 conditions are 27. */
#define SCAN_CALL_ARGUMENTS 32 /* bits of ScanCallContext.late */

/* scan_lag saves its state if it keeps at most so many values. */
#define SCAN_LAG_SAVED 256

/* A value that a call keeps from row to row, and its type. */
typedef struct KeptDatum
{
	RetainedDatum	   *datum; /* NULL: none */
	const RetainedType *type;
} KeptDatum;

typedef struct ScanCallContext
{
	NodeTag		 type;	/* T_ExtensibleNode: no node that core would take for its own */
	const void	*brand; /* scan_call_context_brand: proves that this is a ScanCallContext */
	const Datum *value; /* the arguments of this row */
	const bool	*isnull;

	/*
	 * Set by the node: arguments, one bit each, that may raise an error.  Such an argument has no value before
	 * `compute` is called, where the function reads it, as in WindowAgg; functions do not read all arguments at all
	 * rows.
	 */
	uint32 late;
	void (*compute)(struct ScanCallContext *source, int arg);

	int64		  row;		 /* the row's position in its partition */
	MemoryContext partition; /* reset when the partition ends */
	void		 *state;	 /* the function's own state, in `partition`; NULL until the function asks for it */

	/*
	 * Set by the node for functions that look ahead: returns an argument at a later row of the partition.  Sets
	 * *is_out if the partition ends before that row.  Rows are asked for in their order, and a value lives until
	 * the next one is asked for.
	 */
	Datum (*ahead)(void *ahead_rows, int arg, int64 row, bool *isnull, bool *is_out);

	/*
	 * The same for many rows: returns the column that has an argument at the rows from a row to the partition's end.
	 * *at is that row's place in the column, and *rows how many there are.  NULL: `ahead` has to be asked for each row.
	 */
	const Column *(*ahead_column)(void *ahead_rows, int arg, int64 row, int64 *at, int64 *rows);
	void *ahead_rows;

	/*
	 * Set by such a function: the results of this many rows after the current one are known.  For these rows, the
	 * function needs no arguments and raises no error, so that the node may call it for all of them at once.
	 */
	int64 settled;

	/*
	 * Set by the function at a partition's first row, so that the node can evaluate the rows after it as jobs
	 * (cpu/cpu.h) instead of calling the function: the operation and its state so far.
	 */
	int columns; /* the first `columns` arguments are the job's columns; 0: call the function row by row only */
	/* a partition starts the function anew as a segment does: a job may span several partitions */
	bool				 heads;
	int					 reset; /* number of the argument that starts a segment when it is true; -1: there is none */
	int					 extent;
	const struct ScanOp *op;
	const void			*param;
	struct ScanCarry	*carry;
	struct DecimalSum	*sum; /* not NULL: no jobs; the node calls decimal_sum_step() for each row instead */

	/*
	 * Set by the functions that save state: what the function knows of the rows before, besides `carry` and `sum`.
	 * Another process that restores all of it can continue.
	 */
	KeptDatum			kept[3];
	struct WideDecimal *wide;	/* NULL: none */
	Deque			   *values; /* RetainedDatums of one type, in order; NULL: none */
	const RetainedType *values_type;
	void			   *flat; /* more state, of flat_size bytes; NULL: none */
	Size				flat_size;
	/* arguments that must be the same in every row of a partition; NULL: the argument need not be */
	const RetainedDatum *constant[SCAN_CALL_ARGUMENTS];

	/*
	 * Set by the node: the function prepares its constant arguments and sets the members above, as it does at a
	 * partition's first row, but does not accumulate a row.  The node then restores the state of the rows before into
	 * these members.  The non-constant arguments are NULL.
	 */
	bool restoring;
} ScanCallContext;

extern const char scan_call_context_brand[];

/* Returns the context that a function is called with, or NULL if WindowAgg calls it. */
static inline ScanCallContext *
scan_call_context(FunctionCallInfo fcinfo)
{
	ScanCallContext *source = (ScanCallContext *) fcinfo->context;

	return source != NULL && source->type == T_ExtensibleNode && source->brand == scan_call_context_brand ? source
																										  : NULL;
}

#endif /* SCAN_CALL_CALL_CONTEXT_H */
