/*
 * internal.h: what the files of evaluate/ know of each other.
 *
 * dispatch.c knows all files that evaluate window functions, and none of them knows dispatch.c.  Two of them call
 * functions of ours at each row (row_call.c).
 */
#ifndef SCAN_NODE_EVALUATE_INTERNAL_H
#define SCAN_NODE_EVALUATE_INTERNAL_H

#include "postgres.h"

#include "call/call_context.h"
#include "column/rows.h"
#include "node/evaluate/function.h"

/* ---- one function for each file that evaluates window functions, called by dispatch.c ---- */

/* Each sets the pointers of a RowFunction, through which exec/ calls the file. */
extern void node_rank_start(RowFunction *f);
extern void node_value_start(RowFunction *f);
extern void node_aggregate_start(RowFunction *f);
extern void node_call_start(RowFunction *f);
extern void node_ahead_start(RowFunction *f);
extern void node_compaction_start(RowFunction *f);

/* ---- ahead_function.c: also for compaction.c, where it has no loop ---- */

/*
 * An EvaluateRows, of a function that node_ahead_start() has started: calls it for one row, and for those whose results
 * are settled with that.
 */
extern int64 node_ahead_rows(RowFunction *f, const Block *block, int64 i);

/* ---- row_call.c: calls a window function of ours for a row of a block ---- */

/* The function gets the row as a ScanCallContext (call/call_context.h). */
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

#endif /* SCAN_NODE_EVALUATE_INTERNAL_H */
