/*
 * internal.h: what the files of evaluate/ know of each other.
 *
 * dispatch.c knows all files that evaluate window functions, and none of them knows dispatch.c.  Two of them call
 * functions of ours at each row (row_call.c), and keep values of partitions beyond memory (kept_values.c).
 */
#ifndef SCAN_NODE_EVALUATE_INTERNAL_H
#define SCAN_NODE_EVALUATE_INTERNAL_H

#include "postgres.h"

#include "call/call_context.h"
#include "column/rows.h"
#include "node/evaluate/function.h"
#include "sort/files.h"

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

/* ---- kept_values.c: the values of a column that a function keeps of a partition beyond memory, in their order ---- */

typedef struct KeptValues
{
	MemoryContext memory;
	RowColumn	  column;  /* describes the one column of `rows` */
	Rows		 *rows;	   /* the values that are not in the file */
	int64		  next;	   /* row of `rows` to be taken next, unless there is a file */
	bool		  spilled; /* `file` is open */
	bool		  taking;  /* no more values are appended */
	RowFile		  file;
} KeptValues;

/* Prepares for values of a type.  The values are allocated below the context `memory`. */
extern void kept_values_create(KeptValues *kept, MemoryContext memory, int16 length, bool by_value);

/* Forgets all values and closes the file.  Must be called before the resource owner is released. */
extern void kept_values_reset(KeptValues *kept);

/* Appends a value; a reference is copied. */
extern void kept_values_append(KeptValues *kept, Datum value, bool isnull);

/* Takes the next value, which is valid until the next call.  Returns false if there is none. */
extern bool kept_values_take(KeptValues *kept, Datum *value, bool *isnull);

#endif /* SCAN_NODE_EVALUATE_INTERNAL_H */
