/*
 * row_call.h: calls a window function of ours for a row of a block.
 *
 * Used by scan_function.c and ahead_function.c.  The function gets the row as a ScanCallContext (call/call_context.h).
 */
#ifndef SCAN_NODE_EVALUATE_ROW_CALL_H
#define SCAN_NODE_EVALUATE_ROW_CALL_H

#include "postgres.h"

#include "call/call_context.h"
#include "node/evaluate/function.h"

typedef struct RowCall
{
	FmgrInfo		function;
	ScanCallContext source;
	Datum		   *value;
	bool		   *isnull;
	int			   *each; /* the n_each arguments that are read at each row; the others are numbers that stay */
	int				n_each;
	bool			started; /* `each` is known, and the others are read */
	/* the row that the function is called for, whose late arguments are computed where the function reads them */
	RowFunction				 *f;
	const Block				 *block;
	int64					  i;
	FunctionCallInfoBaseData *fcinfo;
} RowCall;

/* Looks the function up; the call's memory is the current context. */
extern void row_call_init(RowFunction *f, RowCall *call);

/* Forgets the state of the partition before. */
extern void row_call_start_partition(const RowFunction *f, RowCall *call);

/* Calls the function with the arguments that are in call->value; its result is NULL if call->fcinfo->isnull is set. */
extern Datum row_call_invoke(RowFunction *f, RowCall *call);

/* Stores the function's result for row i, which comes after the row of the last call or begins a partition. */
extern void row_call_row(RowFunction *f, RowCall *call, const Block *block, int64 i);

/* The same for a row whose result is settled (ScanCallContext.settled). */
extern void row_call_settled_row(RowFunction *f, RowCall *call, int64 i);

#endif /* SCAN_NODE_EVALUATE_ROW_CALL_H */
